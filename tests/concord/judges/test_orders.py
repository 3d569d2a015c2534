"""Position bias: LLMBar's own statistics, cases counted by hand, and the command."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from concord.cli import main
from concord.formats.both_orders import BothOrders, read_both_orders
from concord.formats.choices import AnswerCounts
from concord.formats.errors import FormatError
from concord.judges import probe_orders
from concord.judges.orders import BOTH_BAD_LABEL, TIE_LABEL, choices_of, pair_scores
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
        bias = probe.bias
        if pairs < 10:
            assert bias.ci is None and probe.verdict == "too few questions to tell"
        else:
            assert -1 <= bias.low <= bias.value <= bias.high <= 1


def test_a_judge_of_the_first_side_is_half_right_and_never_consistent():
    pairs = [BothOrders(1 + k % 2, 1, 2) for k in range(40)]
    probe = probe_orders(pairs)
    assert (probe.correct_average.value, probe.correct_both.value) == (0.5, 0.0)
    assert (probe.equal.value, probe.bias.value) == (0.0, 1.0)
    assert probe.verdict == "prefers the answer shown first"


def test_a_judge_of_the_answers_has_no_bias():
    probe = probe_orders([BothOrders(2, 1 + k % 2, 1 + k % 2) for k in range(40)])
    assert (probe.bias.value, probe.equal.value, probe.bias.p) == (0.0, 1.0, 1.0)
    # A preference in this share of pairs is in none of 40 with a probability of 2.5%.
    assert probe.bias.high == -probe.bias.low == pytest.approx(1 - 0.025 ** (1 / 40))
    assert probe.verdict.startswith("no preference for a side is seen; one of 0.1")


def test_a_preference_that_shows_in_few_pairs_is_seen():
    """In 12 of 80 pairs, always for the first side: the sign test has p = 0.0005."""
    probe = probe_orders([BothOrders(1, 1, 2)] * 12 + [BothOrders(1, 1, 1)] * 68)
    assert probe.bias.p == pytest.approx(2 / 2**12, abs=0.0005)
    assert probe.bias.low > 0 and probe.verdict == "prefers the answer shown first"


def test_pairs_of_one_question_are_one_observation():
    few = [BothOrders(1, 1, 2 if k < 6 else 1, f"q{k}") for k in range(30)]
    alone, copied = probe_orders(few), probe_orders(few * 9)
    for name in ("correct_swapped", "equal"):
        one, other = getattr(alone, name), getattr(copied, name)
        assert other.ci == pytest.approx(one.ci, abs=0.03) and other.clusters == 30
    assert copied.bias.p == pytest.approx(alone.bias.p, abs=0.01)
    unknown = probe_orders([replace(one, question="") for one in few * 9])
    assert unknown.bias.clusters == 270 and unknown.bias.p < 0.001 < alone.bias.p


@pytest.mark.parametrize("share", [0.03, 0.1])
def test_the_interval_of_a_rare_preference_covers_it(share):
    rng, covered = np.random.default_rng(2), []
    for _ in range(80):
        pairs = [BothOrders(1, 1, 2 if one else 1) for one in rng.random(40) < share]
        bias = probe_orders(pairs).bias
        covered.append(bias.low <= share <= bias.high)
    assert np.mean(covered) >= 0.9


def test_an_invalid_answer_is_wrong_and_counted():
    probe = probe_orders([BothOrders(1, None, 1), BothOrders(1, 1, 1)])
    assert probe.invalid == 1
    assert (probe.correct_as_given.value, probe.equal.value) == (0.5, 0.5)


def test_the_interval_of_the_bias_covers_it():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(150):
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


def test_ties_are_right_where_people_tie_and_count_for_neither_side():
    pairs = [
        BothOrders("tie", "tie", "tie"),
        BothOrders("tie", "both_bad", 1),
        BothOrders(1, "tie", 1),
        BothOrders(2, 2, "tie"),
        BothOrders(1, "tie", None),
        BothOrders(None, 1, 1),
    ]
    probe = probe_orders(pairs)
    assert (probe.pairs, probe.left_out, probe.invalid, probe.valid_pairs) == (5, 1, 1, 4)
    assert probe.judge == AnswerCounts(answers=12, ties=5, both_bad=1, invalid=1)
    assert probe.people == AnswerCounts(answers=6, ties=2, both_bad=0, invalid=1)
    # Right as given: pairs 0, 1 and 3; swapped: 0 and 2; together: all but the last, which is not.
    assert (probe.correct_as_given.value, probe.correct_swapped.value) == (0.6, 0.4)
    assert (probe.correct_both.value, probe.correct_together.value) == (0.2, 0.8)
    # Of ten answers three are for the one shown second: those of pair 3, and of 1 and 2 swapped.
    assert probe.bias.value == pytest.approx((0 - 3) / 10)
    assert probe.equal.value == 0.2


def test_both_bad_is_left_out_by_option():
    pairs = [BothOrders(1, "both_bad", 1), BothOrders("both_bad", 1, 1), BothOrders(1, 1, 1)]
    probe = probe_orders(pairs, leave_out_both_bad=True)
    assert (probe.pairs, probe.left_out) == (1, 2)
    assert (probe.judge.both_bad, probe.people.both_bad, probe.correct_both.value) == (1, 1, 1.0)
    with pytest.raises(ValueError, match="no pair is left"):
        probe_orders(pairs[:2], leave_out_both_bad=True)


def test_a_tie_of_both_orders_is_half_a_point_each():
    assert pair_scores(choices_of(TIE_LABEL, BOTH_BAD_LABEL)) == (0.5, 0.5)
    assert pair_scores(choices_of(TIE_LABEL, 1)) == (0.5, 0.5)
    assert pair_scores(choices_of(2, 1)) == (0.0, 1.0)
    assert pair_scores(choices_of(TIE_LABEL, None)) is None


def test_judgebench_counts_a_tie_beside_a_right_answer_as_right():
    """Claude 3 Haiku on 40 pairs, by JudgeBench's own rule, written here: the answers that are
    right less those for the other answer, over both orders."""
    label = {"A>B": 1, "B>A": 2, "A=B": TIE_LABEL, None: None}
    flipped = {"A>B": "B>A", "B>A": "A>B", "A=B": "A=B", None: None}
    pairs, correct, ties, nulls = [], 0, 0, 0
    for line in real_data.path("public/judgebench_haiku.first40.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        given, swapped = (one and one["decision"] for one in row["judgments"])
        votes = [given, flipped[swapped]]
        correct += votes.count(row["label"]) > votes.count(flipped[row["label"]])
        ties += votes.count("A=B")
        nulls += votes.count(None)
        pairs.append(choices_of(label[given], label[swapped], better=label[row["label"]]))
    probe = probe_orders(pairs)
    assert probe.correct_together.value == correct / 40 and correct == 15
    assert (probe.judge.ties, probe.judge.invalid) == (ties, nulls) == (30, 3)


def test_the_command_says_how_ties_count(tmp_path, capsys):
    path = tmp_path / "orders.jsonl"
    answers = ["A=B", "tie (bothbad)", "Tie", None, 1]
    rows = [{"better": 1, "as_given": answers[k % 5], "swapped": 1} for k in range(20)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["orders", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["answers"]["judge"] == {"ties": 8, "both_bad": 4, "invalid": 4}
    assert (report["pairs"], report["left_out"], report["both_bad"]) == (20, 0, "tie")
    assert report["correct_together"]["value"] == 1.0
    assert main(["orders", str(path), "--both-bad", "leave-out"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "16 pairs in both orders" in output and "4 pairs left out" in output
    assert "The judge: 8 ties, 4 both bad and 4 invalid of 40 answers." in output


def test_a_file_may_name_the_question_of_a_pair(tmp_path):
    path = tmp_path / "orders.jsonl"
    path.write_text('{"better": 1, "as_given": 1, "swapped": 2, "question": "Who?"}\n')
    assert read_both_orders(path)[0].question == "Who?"
    path.write_text('{"better": 1, "as_given": 1, "swapped": 2, "question": 7}\n')
    with pytest.raises(FormatError, match="question: is a number; text is expected"):
        read_both_orders(path)
