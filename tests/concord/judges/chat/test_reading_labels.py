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


# The forms in which models write a label on a scale that ends at `top`.
FORMS = {
    "plain": "{label}",
    "line": "Score: {label}",
    "bold head": "**Score:** {label}",
    "bold head, colon after": "**Score**: {label}",
    "bold": "**{label}**",
    "out of": "{label}/{top}",
    "bold out of": "**{label}** / {top}",
    "out of in words": "Score: {label} out of {top}.",
    "reason after": "Score: {label}\nIt names 2 of 3 facts.",
    "object": '{{"score": {label}, "explanation": "2 of 3 facts"}}',
    "text in an object": '{{"Score": "{label}/{top}"}}',
    "fence": '```json\n{{\n  "score": {label}\n}}\n```',
    "fence in one line": '```json {{"score": {label}}} ```',
    "fence without language": 'Because.\n```\n{{"score": {label}}}\n```\nThank you.',
}
THINKING = ["", "<think>\nScore: 1? Or 9/10?\n</think>\n\n", "<thinking>{</thinking>",
            "It could be 2.\n</think>", "<think>a</think> <think>\n</think>"]  # fmt: skip


@st.composite
def answers(draw):
    """(scale, label, an answer that states it)."""
    low, high = draw(st.sampled_from(SCALES))
    label = draw(st.integers(low, high))
    form = draw(st.sampled_from(list(FORMS.values())))
    thinking = draw(st.sampled_from(THINKING))
    return (low, high), label, thinking + form.format(label=label, top=high)


@given(answers(), st.booleans())
def test_every_form_reads_as_its_label(answer, is_reasoned):
    scale, label, text = answer
    verdict = read_verdict(text, None, *scale, is_reasoned=is_reasoned)
    assert (verdict.score, verdict.label, verdict.reason) == (label, label, "")


@given(written_labels(), st.booleans(), st.integers(1, 3), st.sampled_from(THINKING))
def test_two_scores_that_differ_are_no_score(written, is_reasoned, distance, thinking):
    scale, label, text = written
    fenced = f'```json\n{{"score": {label - distance}}}\n```'
    for both in (f"Score: {text}\n{fenced}", f"{fenced}\nScore: {text}"):
        verdict = read_verdict(thinking + both, None, *scale, is_reasoned=is_reasoned)
        assert (verdict.score, verdict.label) == (None, None)
        assert verdict.reason.startswith("no label: the answer states several scores: ")


@given(answers(), st.integers(1, 50), st.booleans())
def test_a_number_out_of_another_top_is_no_score(answer, more, is_reasoned):
    (low, high), label, _ = answer
    verdict = read_verdict(f"{label}/{high + more}", None, low, high, is_reasoned=is_reasoned)
    assert verdict.reason.endswith(f"which is out of {high + more}; the scale ends at {high}")
    assert verdict.label is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<think>It is good, so 4", "ends before its thinking does"),
        ("<think>3</think>4<think>", "ends before its thinking does"),
        ("<think>4</think>", ""),
        ("Score: 4\nScore: 5", "states several scores: 4, 5"),
        ('{"score": 4, "score": 5}', "states several scores: 4, 5"),
        ('{"score": 4.5}', "has a score that is 4.5; a whole number is expected"),
        ('{"score": null}', "has a score that is null; a whole number is expected"),
        ('{"score": true}', "has a score that is true or false; a whole number is expected"),
        ('{"grade": 4}', 'is "grade\\": 4"; a number is expected'),
        ("4/5/5", 'is "5/5"; a number is expected'),
        ("Score: 4 or 5", 'is "4 or 5"; a number is expected'),
    ],
)
def test_what_states_no_score_is_invalid_with_the_reason(text, reason):
    verdict = read_verdict(text, None, 1, 5)
    assert (verdict.score, verdict.label) == (None, None)
    assert verdict.reason == (f"no label: the answer {reason}" if reason else "no label")


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (["Score: ", "5", "/", "5"], 1),
        (['{"score": ', "5", ', "facts": ', "3", "}"], 1),
        (["**", "5", "**"], 1),
        (["<think>3 or ", "5", "</think>Score: ", "5", "\nIt has ", "4", " facts."], 3),
    ],
)
def test_probabilities_are_those_of_the_score_and_of_no_number_after_it(texts, place):
    tokens = [{one: np.log(0.9), "5": np.log(0.05), "4": np.log(0.05)} for one in texts]
    tokens[place] = {"5": np.log(0.6), "4": np.log(0.4)}
    assert read_verdict("".join(texts), tokens, 1, 5).score == pytest.approx(4.6)
