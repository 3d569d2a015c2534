"""Position bias: LLMBar's own statistics, cases counted by hand, and the command."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from concord.cli import main
from concord.formats.both_orders import BothOrders, read_both_orders
from concord.judges import probe_orders
from concord.judges.orders import choices_of
from tests import real_data

SHARES = {
    "correct_as_given": "correct_False",
    "correct_swapped": "correct_True",
    "correct_average": "correct_average",
    "correct_both": "correct_both",
}


def test_figures_are_those_of_llmbars_authors():
    """All 16 files. The authors count two invalid answers as the same choice, and an invalid answer
    as answer 2 in their kappa; three files have invalid answers."""
    files = sorted(real_data.path("llmbar").rglob("result.json"))
    assert len(files) == 16
    with_invalid = 0
    for path in files:
        expected = json.loads(path.with_name("statistics.json").read_text())
        pairs = read_both_orders(path, "llmbar")
        probe = probe_orders(pairs)
        for name, key in SHARES.items():
            assert 100 * getattr(probe, name).value == pytest.approx(percent(expected[key])), path
        both_invalid = sum(pair.as_given is pair.swapped is None for pair in pairs)
        same = probe.equal.value * len(pairs) + both_invalid
        assert 100 * same / len(pairs) == pytest.approx(percent(expected["equal"])), path
        as_second = [
            replace(pair, as_given=pair.as_given or 2, swapped=pair.swapped or 2) for pair in pairs
        ]
        kappa = probe_orders(as_second).kappa.value
        assert kappa == pytest.approx(expected["kappa_agreement"], abs=1e-12), path
        with_invalid += bool(probe.invalid)
    assert with_invalid == 3


def percent(text: str) -> float:
    return float(text.split("=")[-1].strip(" %"))


def test_two_invalid_answers_are_not_the_same_choice():
    pairs = [*[BothOrders(1, None, None)] * 3, BothOrders(1, 1, 2)]
    probe = probe_orders(pairs)
    assert (probe.pairs, probe.invalid, probe.valid_pairs) == (4, 6, 1)
    assert (probe.equal.value, probe.kappa.value) == (0.0, 0.0)
    assert probe_orders(pairs[:3]).kappa.reason == "no pair has two valid answers"


def test_stored_answers_of_judgebench():
    """Claude 3 Haiku on 40 pairs; A=B and null are no choice. By hand: 12 pairs with the same
    choice, 9 with none in both orders."""
    choice = {"A>B": 1, "B>A": 2}
    pairs = []
    for line in real_data.path("public/judgebench_haiku.first40.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        shown = [choice.get(one["decision"]) if one else None for one in row["judgments"]]
        pairs.append(choices_of(*shown, better=choice[row["label"]]))
    probe = probe_orders(pairs)
    assert (probe.pairs, probe.valid_pairs) == (40, 16)
    assert probe.equal.value == 0.3


@pytest.mark.parametrize("pairs", [2, 3, 20])
@pytest.mark.parametrize("choices", [(1, 1), (1, 2), (2, 1), (None, None), (None, 1)])
def test_no_interval_leaves_its_range(pairs, choices):
    for others in ([], [BothOrders(2, 1, 2)], [BothOrders(1, None, 2)]):
        probe = probe_orders([BothOrders(1, *choices)] * pairs + others)
        for name in (*SHARES, "equal"):
            figure = getattr(probe, name)
            assert 0 <= figure.ci[0] <= figure.value <= figure.ci[1] <= 1
        assert -1 <= probe.bias.ci[0] <= probe.bias.value <= probe.bias.ci[1] <= 1


def test_a_judge_of_the_first_side_is_half_right_and_never_consistent():
    pairs = [BothOrders(1 + k % 2, 1, 2) for k in range(40)]
    probe = probe_orders(pairs)
    assert (probe.correct_average.value, probe.correct_both.value) == (0.5, 0.0)
    assert (probe.equal.value, probe.bias.value) == (0.0, 1.0)
    assert probe.verdict == "prefers the answer shown first"


def test_a_judge_of_the_answers_has_no_bias():
    probe = probe_orders([BothOrders(2, 1 + k % 2, 1 + k % 2) for k in range(40)])
    assert (probe.bias.value, probe.equal.value) == (0.0, 1.0)
    assert probe.verdict == "no preference for a side is seen"


def test_an_invalid_answer_is_wrong_and_counted():
    probe = probe_orders([BothOrders(1, None, 1), BothOrders(1, 1, 1)])
    assert probe.invalid == 1
    assert (probe.correct_as_given.value, probe.equal.value) == (0.5, 0.5)


def test_the_interval_of_the_bias_covers_it():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(400):
        sides = rng.random((150, 2)) < 0.6
        pairs = [BothOrders(1, 1 if a else 2, 2 if b else 1) for a, b in sides]
        low, high = probe_orders(pairs).bias.ci
        covered.append(low <= 0.2 <= high)
    assert 0.91 <= np.mean(covered) <= 0.98


def test_the_command_reads_json_lines(tmp_path, capsys):
    path = tmp_path / "orders.jsonl"
    rows = [{"better": 1, "as_given": 1, "swapped": None if k == 3 else 2} for k in range(20)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["orders", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["pairs"], report["invalid"]) == (20, 1)
    assert report["correct_as_given"]["value"] == 1.0
    assert main(["orders", str(path)]) == 0
    assert "prefers the answer shown first" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [('{"better": 3, "as_given": 1, "swapped": 1}', "better: is a number; 1 or 2 is expected"),
     ('{"better": 1, "as_given": "1", "swapped": 1}', "as_given: is "), ("", "is empty")],
)  # fmt: skip
def test_a_faulty_file_is_named(tmp_path, capsys, line, message):
    path = tmp_path / "orders.jsonl"
    path.write_text(line)
    assert main(["orders", str(path)]) == 2
    assert message in capsys.readouterr().err
