"""SQuALITY's stories: workers, criteria from 0 to 100, the human response as reference."""

import pytest

from concord.formats import Limits, RatingRecord, ReadOptions, read_judgments


def review(worker, value):
    return {
        "worker_id": worker,
        "correctness-rating": 1,
        "selection-rating": 2,
        "overall-rating": value,
    }


def answer(text, *values):
    reviews = [review(str(k), value) for k, value in enumerate(values, start=3)]
    return {"response": text, "reviews": reviews, "overall": {}}


def story(name="77", **systems):
    systems = {"bart": answer("b", 10, 20), "human": answer("h", 90)} | systems
    return {"passage-id": name, "questions": {"0": systems}}


def squality(*paths, **options):
    options = {"criterion": "overall", **options}
    return read_judgments(paths, "squality", ReadOptions(**options), Limits())


def test_workers_keep_their_ids_and_the_human_response_is_the_reference(write):
    file = squality(write("s.jsonl", [story()]), constituent="stories")
    (candidate,) = file.candidates
    assert (candidate.key, candidate.system, candidate.text) == ("77/0/bart", "bart", "b")
    assert candidate.score == 15.0
    assert candidate.ratings == (RatingRecord("3", 10.0), RatingRecord("4", 20.0))
    instance = candidate.instance
    assert (instance.key, instance.references, instance.passage) == ("77/0", ("h",), "")
    assert instance.constituent == "stories"
    assert file.scale == (0.0, 100.0)
    assert file.report.left_out == {"answers by human, which are the references": 1}
    assert any("cannot be grouped by story" in note for note in file.report.notes)


@pytest.mark.parametrize(("criterion", "score"), [("correctness", 1.0), ("selection", 2.0)])
def test_the_criterion_is_the_one_asked_for(write, criterion, score):
    file = squality(write("s.jsonl", [story()]), criterion=criterion)
    assert file.candidates[0].score == score


def test_an_answer_nobody_reviewed_is_kept_without_judgment(write):
    file = squality(write("s.jsonl", [story(bart=answer("b"))]))
    assert file.candidates[0].score is None


def test_questions_without_the_reference_system_are_left_out(write):
    lines = [story(), story("78")]
    del lines[1]["questions"]["0"]["human"]
    report = squality(write("s.jsonl", lines)).report
    assert report.left_out["answers to questions without an answer by human"] == 1
    assert report.read == report.kept + sum(report.left_out.values())


def test_all_criteria_are_read_without_a_choice(write, refusal):
    path = write("s.jsonl", [story()])
    candidate = squality(path, criterion=None).candidates[0]
    assert candidate.score is None
    assert [one.name for one in candidate.criteria] == ["correctness", "selection", "overall"]
    error = refusal(squality, path, criterion="style")
    assert str(error) == (
        'criterion: "style" is unknown; choose one of correctness, selection, overall'
    )


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"bart": 5}, "questions.0.bart: is a number; an object is expected"),
        ({"bart": answer(None, 1)}, "questions.0.bart.response: is null"),
        (
            {"bart": answer("b", 101)},
            "questions.0.bart.reviews[0].overall-rating: 101 is outside the scale",
        ),
        (
            {"bart": {"response": "b", "reviews": [review("3", 1)] * 2}},
            'questions.0.bart.reviews[1].worker_id: "3" reviews this answer twice',
        ),
        (
            {"bart": {"response": "b", "reviews": [review(3, 1)]}},
            "questions.0.bart.reviews[0].worker_id: is a number; a string is expected",
        ),
    ],
)
def test_a_fault_is_named_with_its_line_and_path(write, refusal, systems, message):
    path = write("s.jsonl", [story("76"), story(**systems)])
    assert str(refusal(squality, path)).startswith(f"{path}:2: {message}")


def test_a_story_that_comes_twice_is_an_error(write, refusal):
    error = refusal(squality, write("s.jsonl", [story(), story()]))
    assert 'questions.0.bart: the id "77/0/bart" is already used in' in str(error)


@pytest.mark.parametrize("criterion", ["correctness", "selection", "overall"])
def test_the_real_file(real, criterion):
    file = squality(real("squality/human-eval-1.jsonl"), criterion=criterion)
    report = file.report
    assert (report.read, report.kept, report.instances) == (150, 100, 50)
    assert {len(candidate.ratings) for candidate in file.candidates} == {3}
    workers = {r.worker for candidate in file.candidates for r in candidate.ratings}
    assert workers == {"2", "3", "6", "8"}
    assert {candidate.system for candidate in file.candidates} == {"bart", "bart-dpr"}
