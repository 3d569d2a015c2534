"""Concord's own JSON Lines: what a line must hold, what lines must agree on."""

import math

import pytest

from concord.formats import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    Limits,
    MarksRecord,
    PairRecord,
    RatingRecord,
    ReadOptions,
    SamplingRecord,
    Span,
    instance_key,
    passage_key,
    read_judgments,
    read_pairs,
)

LINE = {"id": "a", "references": ["blue"], "candidate": "blue sky"}
FULL = {
    "id": "m-17",
    "instance": "m-4",
    "constituent": "tales",
    "split": "test",
    "passage": "The sky was blue.",
    "question": "What colour?",
    "references": ["blue", "it was blue"],
    "short_answer": "blue",
    "candidate": "green",
    "system": "gpt2",
    "category": "COLOUR",
    "scale": [1, 5],
    "score": 4.5,
    "ratings": [{"worker": "w-3f2a", "value": 4, "group": "crowd", "simulated": True}],
}
PAIR = {
    "references": ["r"],
    "candidate1": "a",
    "score1": 5,
    "candidate2": "b",
    "score2": 1.5,
    "phenomenon": None,
}


def judgments(*paths, limits=None, options=None):
    return read_judgments(paths, "concord", options or ReadOptions(), limits or Limits())


def pairs(*paths):
    return read_pairs(paths, "concord", ReadOptions(), Limits())


def test_every_field_of_a_line_arrives(write):
    file = judgments(write("c.jsonl", [FULL]))
    instance = InstanceRecord(
        key="m-4",
        references=("blue", "it was blue"),
        passage="The sky was blue.",
        question="What colour?",
        constituent="tales",
        split="test",
        category="COLOUR",
        short_answer="blue",
    )
    rating = RatingRecord("w-3f2a", 4.0, "crowd", True)
    assert file.candidates == [CandidateRecord("m-17", instance, "green", "gpt2", 4.5, (rating,))]
    assert file.scale == (1.0, 5.0)


def test_three_fields_are_enough_and_null_is_absent(write):
    optional = {name: None for name in FULL if name not in LINE}
    file = judgments(write("c.jsonl", [LINE, {**optional, **LINE, "id": "b"}]))
    key = instance_key("", "", ["blue"])
    assert {candidate.instance for candidate in file.candidates} == {InstanceRecord(key, ("blue",))}
    assert file.scale is None
    assert file.report.without_judgment == 2


def test_the_gold_is_the_score_else_the_mean_of_the_ratings_and_the_report_says_which(write):
    ratings = [{"worker": name, "value": value} for name, value in (("v", 1), ("w", 2))]
    lines = [
        {**LINE, "id": "1", "score": 5, "ratings": ratings},
        {**LINE, "id": "2", "ratings": ratings},
        {**LINE, "id": "3", "ratings": []},
    ]
    file = judgments(write("c.jsonl", lines))
    assert [candidate.score for candidate in file.candidates] == [5.0, 1.5, None]
    report = file.report
    assert (report.gold_given, report.gold_from_ratings, report.without_judgment) == (1, 1, 1)
    assert report.ratings == 4


def test_an_empty_candidate_is_kept_and_counted(write):
    report = judgments(write("c.jsonl", [{**LINE, "candidate": " "}])).report
    assert (report.kept, report.empty_candidates) == (1, 1)


def test_candidates_share_their_instance_and_instances_their_passage(write):
    lines = [
        {**LINE, "id": str(k), "passage": "long " * 50, "question": f"q{k % 2}"} for k in range(4)
    ]
    first, second, third, _ = [c.instance for c in judgments(write("c.jsonl", lines)).candidates]
    assert first is third
    assert first is not second
    assert first.passage is second.passage


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"id": None}, "id", "is null; a string is expected"),
        ({"id": ""}, "id", "is empty"),
        ({"id": 7}, "id", "is a number; a string is expected"),
        ({"id": "x" * 501}, "id", "has 501 characters; at most 500 are allowed"),
        ({"instance": ""}, "instance", "is empty"),
        ({"candidate": None}, "candidate", "is null; a string is expected"),
        ({"candidate": ["a"]}, "candidate", "is a list; a string is expected"),
        ({"candidate": "a\0b"}, "candidate", "contains a NUL character (U+0000)"),
        (
            {"candidate": "a\ud83d"},
            "candidate",
            "contains half of a surrogate pair (U+D83D), which is not a character",
        ),
        ({"passage": {}}, "passage", "is an object; a string is expected"),
        ({"references": []}, "references", "is empty; at least one reference is expected"),
        ({"references": 7}, "references", "is a number; a list of strings is expected"),
        ({"references": ["a", 1]}, "references[1]", "is a number; a string is expected"),
        ({"references": ["r"] * 1001}, "references", "1,001 references; at most 1,000 are allowed"),
        ({"score": "4"}, "score", 'is "4"; a number is expected'),
        ({"score": True}, "score", "is true or false; a number is expected"),
        ({"score": math.nan}, "score", "is nan; a finite number is expected"),
        ({"score": math.inf}, "score", "is inf; a finite number is expected"),
        ({"score": 10**400}, "score", "is too large a number"),
        ({"score": 6, "scale": [1, 5]}, "score", "6 is outside the scale from 1 to 5"),
        (
            {"ratings": [{"worker": "w", "value": 0.5}], "scale": [1, 5]},
            "ratings[0].value",
            "0.5 is outside the scale from 1 to 5",
        ),
        ({"ratings": {}}, "ratings", "is an object; a list of objects is expected"),
        ({"ratings": [3]}, "ratings[0]", "is a number; an object is expected"),
        ({"ratings": [{"value": 3}]}, "ratings[0].worker", "is missing; a string is expected"),
        ({"ratings": [{"worker": "w"}]}, "ratings[0].value", "is missing; a number is expected"),
        (
            {"ratings": [{"worker": "w", "value": 3, "simulated": 1}]},
            "ratings[0].simulated",
            "is a number; true or false is expected",
        ),
        (
            {"ratings": [{"worker": "w", "value": 3}] * 2},
            "ratings[1].worker",
            '"w" rates this candidate twice',
        ),
        (
            {"ratings": [{"worker": str(k), "value": 3} for k in range(1001)]},
            "ratings",
            "1,001 ratings; at most 1,000 are allowed",
        ),
        ({"scale": [5, 1]}, "scale", "the lowest, 5, is not below the highest, 1"),
        (
            {"scale": [1, 5, 7]},
            "scale",
            "must be a list of two numbers, the lowest and the highest",
        ),
        ({"scale": [1, None]}, "scale", "the highest is null; a number is expected"),
    ],
)
def test_a_fault_is_named_with_its_line_and_field(write, refusal, change, field, message):
    path = write("c.jsonl", [LINE, {**LINE, "id": "b", **change}])
    error = refusal(judgments, path)
    assert str(error) == f"{path}:2: {field}: {message}"


def test_unknown_fields_are_named_with_the_known_ones(write, refusal):
    rating = {"worker": "w", "value": 1, "when": 3}
    error = refusal(judgments, write("c.jsonl", [{**LINE, "answer": "x", "ratings": [rating]}]))
    first, second = error.problems
    assert (first.field, second.field) == ('"answer"', 'ratings[0]."when"')
    assert "unknown field; allowed:" in first.message
    assert '"candidate"' in first.message


def test_a_missing_field_is_named(write, refusal):
    message = str(refusal(judgments, write("c.jsonl", [{"score": 1}])))
    for name in ("id", "references", "candidate"):
        assert f":1: {name}: is missing" in message


def test_an_id_used_twice_is_an_error_also_over_two_files(write, refusal):
    first = write("a.jsonl", [LINE])
    second = write("b.jsonl", [{**LINE, "id": "b"}, LINE])
    error = refusal(judgments, first, second)
    assert str(error) == f'{second}:2: id: the id "a" is already used in {first}:1'


@pytest.mark.parametrize("name", ["constituent", "split", "category", "short_answer"])
@pytest.mark.parametrize("instance", [{}, {"instance": "i"}])
def test_lines_of_one_instance_must_agree(write, refusal, name, instance):
    line = {**LINE, **instance}
    path = write("c.jsonl", [{**line, name: "x"}, {**line, "id": "b", name: "y"}])
    problem = refusal(judgments, path).problems[0]
    assert (problem.line, problem.field) == (2, name)
    assert problem.message.endswith(f"has another {name} in {path}:1")


def test_an_instance_cannot_have_two_texts(write, refusal):
    line = {**LINE, "instance": "i"}
    change = {"id": "b", "question": "why?", "references": ["so"]}
    error = refusal(judgments, write("c.jsonl", [line, {**line, **change}]))
    assert 'instance "i" has another references, another question in' in str(error)


def test_the_scale_is_one_over_the_files_and_may_come_late(write, refusal):
    plain = {**LINE, "id": "b", "score": 9}
    late = write("late.jsonl", [plain, {**LINE, "scale": [1, 5]}])
    assert str(refusal(judgments, late)) == f"{late}:1: score: 9 is outside the scale from 1 to 5"
    other = write("other.jsonl", [{**LINE, "id": "c", "scale": [0, 100]}])
    error = refusal(judgments, write("a.jsonl", [{**LINE, "scale": [1, 5]}]), other)
    assert "scale: is 0 to 100, but 1 to 5 in" in str(error)
    assert judgments(write("none.jsonl", [plain])).report.notes == ["The file has no scale."]


CRITERIA = {"fluency": {"scale": [1, 5], "ratings": [{"worker": "w", "value": 4}]}}


def test_criteria_are_read_beside_the_score(write):
    (candidate,) = judgments(
        write("c.jsonl", [{**LINE, "score": 2, "criteria": CRITERIA}])
    ).candidates
    assert candidate.score == 2.0
    assert candidate.criteria == (
        CriterionRecord("fluency", (1.0, 5.0), 4.0, (RatingRecord("w", 4.0),)),
    )


def test_a_criterion_can_be_read_as_the_score(write, refusal):
    lines = [{**LINE, "criteria": CRITERIA}, {**LINE, "id": "z"}]
    path = write("c.jsonl", lines)
    file = judgments(path, options=ReadOptions(criterion="fluency"))
    assert [candidate.score for candidate in file.candidates] == [4.0, None]
    assert file.candidates[0].ratings == (RatingRecord("w", 4.0),)
    assert (file.scale, file.candidates[0].criteria) == ((1.0, 5.0), ())
    error = refusal(judgments, path, options=ReadOptions(criterion="style"))
    assert 'criterion: "style" is unknown; the only one is fluency' in str(error)


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        (3, "criteria: is a number; an object is expected"),
        ({"fluency": 4}, "criteria.fluency: is a number; an object is expected"),
        ({"fluency": {"value": 4}}, "unknown field"),
        ({"": {"score": 4}}, "criteria: a criterion has no name"),
        ({"fluency": {"scale": [1, 5], "score": 9}}, "9 is outside the scale from 1 to 5"),
        ({"fluency": {"score": "high"}}, 'criteria.fluency.score: is "high"; a number is expected'),
    ],
)
def test_faults_in_criteria_are_named(write, refusal, criteria, message):
    assert message in str(refusal(judgments, write("c.jsonl", [{**LINE, "criteria": criteria}])))


def test_a_later_line_states_the_scale_of_a_criterion(write, refusal):
    unscaled = {**LINE, "criteria": {"fluency": {"score": 4}}}
    path = write("c.jsonl", [unscaled, {**LINE, "id": "b", "criteria": CRITERIA}])
    scales = [candidate.criteria[0].scale for candidate in judgments(path).candidates]
    assert scales == [(1.0, 5.0)] * 2
    other = {**LINE, "id": "b", "criteria": {"fluency": {"scale": [0, 3]}}}
    path = write("d.jsonl", [unscaled, other])
    assert "d.jsonl:1: criteria.fluency.score: 4 is outside" in str(refusal(judgments, path))


def test_marked_spans_are_read_and_counted(write):
    spans = [
        {"start": 0, "end": 2, "severity": "major", "categories": ["style"]},
        {"start": None, "end": None, "severity": None},
    ]
    marks = [{"worker": "w", "spans": spans}, {"worker": "v", "spans": []}]
    file = judgments(write("c.jsonl", [{**LINE, "marks": marks}]))
    assert file.candidates[0].marks == (
        MarksRecord("w", (Span(0, 2, "major", ("style",)), Span(None, None, None))),
        MarksRecord("v", ()),
    )
    assert "Error spans: 2; without a position: 1; of undecided severity: 1." in file.report.lines()


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ({"start": 0, "end": 999}, "end: is 999, but the candidate has"),
        ({"start": 2, "end": 2}, "start must be 0 or more and below end"),
        ({"start": 2}, "start and end must be whole numbers, or both null"),
        ({"start": 0, "end": 1, "severity": "bad"}, "severity: must be one of minor, major"),
    ],
)
def test_faults_in_spans_are_named(write, refusal, span, message):
    line = {**LINE, "marks": [{"worker": "w", "spans": [span]}]}
    assert message in str(refusal(judgments, write("c.jsonl", [line])))


def test_how_a_candidate_was_drawn_is_read(write):
    sampling = {"unit": "q", "probabilities": [0.25, 1], "drawn": 2}
    file = judgments(write("c.jsonl", [{**LINE, "sampling": sampling}]))
    assert file.candidates[0].sampling == SamplingRecord("q", (0.25, 1.0), 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": None}, "sampling.unit: is null"),
        ({"probabilities": []}, "sampling.probabilities: must be a list of one number or more"),
        ({"probabilities": [0.5, 0]}, "sampling.probabilities[1]: is 0; it must be above 0"),
        ({"probabilities": [1.5]}, "sampling.probabilities[0]: is 1.5; it must be above 0"),
        ({"probabilities": ["a"]}, "sampling.probabilities[0]: is 'a'; a number is expected"),
        ({"drawn": 2}, "sampling.drawn: must be null or the number of probabilities"),
        ({"wave": 1}, "unknown field; allowed"),
    ],
)
def test_faults_of_a_draw_are_named(write, refusal, change, message):
    sampling = {"unit": "q", "probabilities": [0.5], "drawn": None} | change
    error = str(refusal(judgments, write("c.jsonl", [{**LINE, "sampling": sampling}])))
    assert message in error.replace('"', "'")


def test_all_bad_lines_are_named_and_none_is_loaded(write, refusal):
    path = write("c.jsonl", '{"id": "a"\n[]\n\n7\n{"id": "a", "id": "b"}\n')
    error = refusal(judgments, path)
    assert [problem.line for problem in error.problems] == [1, 2, 4, 5]
    assert "is not valid JSON" in error.problems[0].message
    assert error.problems[1].message == "is a list; one JSON object per line is expected"
    assert error.problems[3].message == 'the name "id" occurs twice in one object'


def test_long_texts_are_refused(write, refusal):
    path = write("c.jsonl", [{**LINE, "passage": "x" * 11}])
    error = refusal(judgments, path, limits=Limits(max_field_chars=10))
    assert "passage: has 11 characters; at most 10 are allowed" in str(error)


def test_references_may_be_one_text(write):
    (candidate,) = judgments(write("c.jsonl", [LINE | {"references": "blue"}])).candidates
    assert candidate.instance.references == ("blue",)


def test_blank_references_and_shared_passages_are_noted(write):
    lines = [
        {**LINE, "references": [" "], "passage": "p", "split": "train"},
        {**LINE, "id": "b", "passage": "p", "split": "test"},
    ]
    assert judgments(write("c.jsonl", lines)).report.notes == [
        "Instances with a blank reference: 1.",
        "Passages in more than one split: 1.",
    ]


def test_a_pair_arrives_whole(write):
    file = pairs(write("p.jsonl", [{**PAIR, "id": "x", "phenomenon": "negation"}, PAIR]))
    first, second = file.pairs
    assert first == PairRecord("x", first.instance, "a", 5.0, "b", 1.5, "negation")
    assert second.phenomenon == ""
    assert len(second.key) == 32
    assert file.report.counted == "pairs"


@pytest.mark.parametrize("score", [5, 6])
def test_the_first_of_a_pair_must_be_the_better(write, refusal, score):
    path = write("p.jsonl", [{**PAIR, "score2": score}])
    assert str(refusal(pairs, path)) == f"{path}:1: score1: 5 is not above score2 ({score})"


def test_a_pair_without_an_id_may_not_come_twice(write, refusal):
    assert "is already used in" in str(refusal(pairs, write("p.jsonl", [PAIR, PAIR])))


def test_keys_are_stable_and_keep_the_parts_apart():
    assert instance_key("p", "q", ["r"]) == "5bf6cb5d3302b9d3d641b093a4325ccb"
    assert instance_key("p", "q", ["r", "s"]) != instance_key("p", "q", ["s", "r"])
    assert instance_key("pq", "", ["r"]) != instance_key("p", "q", ["r"])
    assert instance_key("\ud800", "", []) != instance_key("\ud801", "", [])
    assert passage_key("") == ""
    assert passage_key("p") != passage_key("q")
