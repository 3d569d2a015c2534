"""Labels in the answers of models: on every scale, in every accepted form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.judges.chat import read_verdict

SCALES = [(-2, 2), (0, 1), (1, 5), (0, 100), (-1000, 1000)]
MINUS = ["-", "\N{MINUS SIGN}", "\N{EN DASH}"]
AROUND = [("", ""), ("**", "**"), ('"', '"'), ("(", ")"), ("[", "]."), ("`", "`"), ("", "."),
          (" ", "\n"), ("_", "_!"), ("\u201c", "\u201d")]  # fmt: skip
HEADS = ["Score: ", "score:", "**Score:** ", "## Score: ", "Why it is so.\n\nScore:\n", "- Score: "]


@st.composite
def written_labels(draw):
    """(scale, label on the scale, its text)."""
    low, high = draw(st.sampled_from(SCALES))
    label = draw(st.integers(low, high))
    sign = draw(st.sampled_from(MINUS)) if label < 0 else draw(st.sampled_from(["", "+"]))
    before, after = draw(st.sampled_from(AROUND))
    zeros = draw(st.sampled_from(["", ".0", ",0"]))
    return (low, high), label, f"{before}{sign}{abs(label)}{zeros}{after}"


@given(written_labels())
def test_a_label_reads_as_itself(written):
    scale, label, text = written
    verdict = read_verdict(text, None, *scale)
    assert (verdict.score, verdict.label, verdict.reason) == (label, label, "")


@given(written_labels(), st.sampled_from(HEADS))
def test_the_last_score_of_a_reasoned_answer_reads_as_itself(written, head):
    scale, label, text = written
    answer = f"Score: {scale[0]}?\n{head}{text}\nThank you."
    verdict = read_verdict(answer, None, *scale, is_reasoned=True)
    assert (verdict.score, verdict.label) == (label, label)


@given(written_labels())
def test_a_label_of_another_scale_is_invalid(written):
    _, label, text = written
    low = label + 1
    verdict = read_verdict(text, None, low, low + 4)
    assert (verdict.score, verdict.label) == (None, label)
    assert verdict.reason == f"{label} is not from {low} to {low + 4}"


@pytest.mark.parametrize(
    "text",
    ["4/5", "4 out of 5", "3.5", "4 or 5", "- 4", "\N{EM DASH}4", "<4", "~4", "$4", "4%", "1,000",
     "4-5", "four", "4 \N{GLOWING STAR}"],
)  # fmt: skip
@pytest.mark.parametrize("is_reasoned", [True, False])
def test_what_is_not_one_whole_number_is_invalid_with_the_reason(text, is_reasoned):
    answer = f"Because.\nScore: {text}" if is_reasoned else text
    verdict = read_verdict(answer, None, -1000, 1000, is_reasoned=is_reasoned)
    assert (verdict.score, verdict.label) == (None, None)
    assert verdict.reason.startswith("no label: the answer is ")


def test_only_the_last_score_of_a_reasoned_answer_counts():
    verdict = read_verdict("Score: 4\nScore: 4.5", None, 1, 5, is_reasoned=True)
    assert verdict.reason == 'no label: the answer is "4.5"; a whole number is expected'
    assert read_verdict("Score:\n", None, 1, 5, is_reasoned=True).reason == "no label"


def test_probabilities_of_negative_labels_are_weighted():
    tops = [{"\N{MINUS SIGN}2": np.log(0.5), "-1": np.log(0.5), "2": np.log(0.0001), "x": 0.0}]
    verdict = read_verdict("-2", tops, -2, 2)
    assert verdict.score == pytest.approx((-2 * 0.5 - 0.5 + 2 * 0.0001) / 1.0001)


def test_a_judge_that_answers_as_people_do_agrees_with_them():
    people = np.random.default_rng(0).integers(-2, 3, 200)
    for form in ("{}", "Score: {}", "**Score: {}**"):
        texts = [form.format(label).replace("-", "\N{MINUS SIGN}") for label in people]
        verdicts = [read_verdict(text, None, -2, 2, is_reasoned="S" in form) for text in texts]
        assert [verdict.score for verdict in verdicts] == people.tolist()
