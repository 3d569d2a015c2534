"""Position bias: LLMBar's own statistics, cases counted by hand, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.formats.both_orders import BothOrders, read_both_orders
from concord.judges import probe_orders
from tests import real_data

STATISTICS = {
    "correct_as_given": "correct_False",
    "correct_swapped": "correct_True",
    "correct_average": "correct_average",
    "correct_both": "correct_both",
    "equal": "equal",
}


def test_figures_are_those_of_llmbars_authors():
    files = sorted(real_data.path("llmbar").rglob("result.json"))
    assert len(files) == 16
    for path in files:
        expected = json.loads(path.with_name("statistics.json").read_text())
        probe = probe_orders(read_both_orders(path, "llmbar"))
        for name, key in STATISTICS.items():
            percent = float(expected[key].split("=")[-1].strip(" %"))
            assert 100 * getattr(probe, name).value == pytest.approx(percent, abs=1e-9), path
        if not probe.invalid:
            assert probe.kappa.value == pytest.approx(expected["kappa_agreement"], abs=1e-12)


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
