"""SummEval's ratings in THumB's lines: criteria, groups of raters, the reference system."""

import math

import pytest

from concord.formats import Limits, RatingRecord, ReadOptions, read_judgments

CRITERIA = ("coherence", "consistency", "fluency", "relevance")


def rated(*values):
    return [dict.fromkeys(CRITERIA, value) for value in values]


def line(system, article="s1", **change):
    return {
        "SYS": system,
        "seg_id": article,
        "set_id": 3,
        "hyp": f"{system} on {article}",
        "expert_annotations": rated(1, 2, 5),
        "turker_annotations": rated(4, 4),
        **change,
    }


def thumb(*paths, **options):
    options = {"criterion": "fluency", **options}
    return read_judgments(paths, "thumb", ReadOptions(**options), Limits())


def test_experts_make_the_gold_and_the_human_summary_the_reference(write):
    file = thumb(write("t.jsonl", [line("T5"), line("Human-H")]), split="test")
    (candidate,) = file.candidates
    assert file.report.criterion == "fluency"
    assert "Criterion: fluency." in file.report.lines()
    assert (candidate.key, candidate.text, candidate.system) == ("s1/T5", "T5 on s1", "T5")
    assert candidate.score == pytest.approx(8 / 3)
    assert candidate.ratings == (
        RatingRecord("e1", 1.0, "expert"),
        RatingRecord("e2", 2.0, "expert"),
        RatingRecord("e3", 5.0, "expert"),
        RatingRecord("c1", 4.0, "crowd"),
        RatingRecord("c2", 4.0, "crowd"),
    )
    instance = candidate.instance
    assert (instance.key, instance.references) == ("s1", ("Human-H on s1",))
    assert (instance.passage, instance.question, instance.split) == ("", "", "test")
    assert file.scale == (1.0, 5.0)
    assert file.report.left_out == {"summaries by Human-H, which are the references": 1}
    assert any("do not name raters" in note for note in file.report.notes)


def test_the_criterion_is_the_one_asked_for(write):
    one = {**dict.fromkeys(CRITERIA, 1), "relevance": 4}
    lines = [line("Human-H"), line("T5", expert_annotations=[one])]
    assert thumb(write("t.jsonl", lines), criterion="relevance").candidates[0].score == 4.0


def test_without_a_choice_all_criteria_are_read(write):
    one = {**dict.fromkeys(CRITERIA, 1), "relevance": 4}
    lines = [line("Human-H"), line("T5", expert_annotations=[one])]
    file = thumb(write("t.jsonl", lines), criterion=None)
    (candidate,) = file.candidates
    assert candidate.score is None and file.scale is None
    assert {one.name: one.score for one in candidate.criteria} == one
    assert [(r.worker, r.value) for r in candidate.criteria[3].ratings][:1] == [("e1", 4.0)]
    assert {one.scale for one in candidate.criteria} == {(1.0, 5.0)}
    assert file.report.criteria == dict.fromkeys(CRITERIA, 1)


@pytest.mark.parametrize("crowd", [math.nan, None])
def test_the_crowd_may_be_absent(write, crowd):
    file = thumb(write("t.jsonl", [line("Human-H"), line("T5", turker_annotations=crowd)]))
    assert {rating.group for rating in file.candidates[0].ratings} == {"expert"}


def test_what_has_no_reference_or_no_expert_is_left_out_and_counted(write):
    lines = [
        line("Human-H"),
        line("T5", expert_annotations=[]),
        line("BART"),
        line("T5", "s2"),
    ]
    report = thumb(write("t.jsonl", lines)).report
    assert report.left_out == {
        "summaries by Human-H, which are the references": 1,
        "summaries without an expert's rating": 1,
        "summaries of articles that have none by Human-H": 1,
    }
    assert report.kept == 1


def test_another_system_may_be_the_reference(write, refusal):
    path = write("t.jsonl", [line("T5"), line("BART")])
    file = thumb(path, reference_system="BART")
    assert file.candidates[0].instance.references == ("BART on s1",)
    error = refusal(thumb, path)
    assert 'reference_system: no summary by "Human-H"; found "BART", "T5"' in str(error)


def test_a_chosen_criterion_must_be_known(write, refusal):
    path = write("t.jsonl", [line("T5")])
    choices = "choose one of coherence, consistency, fluency, relevance"
    assert f'"style" is unknown; {choices}' in str(refusal(thumb, path, criterion="style"))


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"SYS": None}, "SYS", "is null; a string is expected"),
        ({"seg_id": 4}, "seg_id", "is a number; a string is expected"),
        ({"hyp": None}, "hyp", "is null; a string is expected"),
        ({"expert_annotations": None}, "expert_annotations", "is null; a list of objects"),
        ({"expert_annotations": rated(6)}, "expert_annotations[0].fluency", "6 is outside"),
        ({"turker_annotations": 3}, "turker_annotations", "is a number; a list of objects"),
        ({"turker_annotations": [{}]}, "turker_annotations[0].fluency", "is missing; a number"),
        (
            {"turker_annotations": rated(math.nan)},
            "turker_annotations[0].fluency",
            "is nan; a finite number is expected",
        ),
    ],
)
def test_a_fault_is_named_with_its_line(write, refusal, change, field, message):
    path = write("t.jsonl", [line("Human-H"), line("T5", **change)])
    assert str(refusal(thumb, path)).startswith(f"{path}:2: {field}: {message}")


@pytest.mark.parametrize("system", ["T5", "Human-H"])
def test_a_summary_that_comes_twice_is_an_error(write, refusal, system):
    path = write("t.jsonl", [line("Human-H"), line("T5"), line(system)])
    assert f"{path}:3: SYS: the id " in str(refusal(thumb, path))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_real_file(real, criterion):
    file = thumb(real("thumb/cnndm_part1.jsonl"), criterion=criterion)
    report = file.report
    assert (report.read, report.kept, report.instances) == (1080, 1020, 60)
    assert len({candidate.system for candidate in file.candidates}) == 17
    crowds = [sum(r.group == "crowd" for r in c.ratings) for c in file.candidates]
    experts = [sum(r.group == "expert" for r in c.ratings) for c in file.candidates]
    assert set(crowds) == {0, 5}
    assert set(experts) == {3}
