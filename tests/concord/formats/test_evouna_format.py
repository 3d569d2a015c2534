"""EVOUNA's lists: systems, what is left out, and human accuracy on the real file."""

from collections import defaultdict

import pytest

from concord.formats import Limits, ReadOptions, read_judgments

ITEM = {
    "question": "who?",
    "golden_answer": "Ann / Bob//",
    "answer_fid": "Ann",
    "judge_fid": True,
    "answer_gpt4": None,
    "judge_gpt4": False,
    "improper": False,
}


def evouna(*paths, **options):
    return read_judgments(paths, "evouna", ReadOptions(**options), Limits())


def test_each_system_is_a_candidate_and_true_is_one(write):
    file = evouna(write("nq.json", [ITEM]), constituent="nq", split="test")
    assert [(c.key, c.system, c.text, c.score) for c in file.candidates] == [
        ("1/fid", "FiD", "Ann", 1.0),
        ("1/gpt4", "GPT-4", "", 0.0),
    ]
    first, second = file.candidates
    assert first.instance is second.instance
    assert first.instance.references == ("Ann", "Bob")
    assert (first.instance.constituent, first.instance.split) == ("nq", "test")
    assert file.scale == (0.0, 1.0)
    assert file.report.empty_candidates == 1


def test_improper_questions_and_null_judgments_are_left_out_and_counted(write):
    improper = {**ITEM, "improper": True, "golden_answer": None, "judge_fid": None}
    unjudged = {**ITEM, "judge_gpt4": None}
    report = evouna(write("nq.json", [improper, unjudged])).report
    assert report.left_out == {
        "answers to questions marked improper": 2,
        "answers whose judgment is null": 1,
    }
    assert (report.read, report.kept) == (4, 1)
    assert report.notes == ["Of the answers whose judgment is null, 1 had no text."]


def test_ids_of_several_files_carry_the_file_name(write):
    file = evouna(write("nq.json", [ITEM]), write("tq.json", [ITEM]))
    assert [c.key for c in file.candidates][::2] == ["nq/1/fid", "tq/1/fid"]


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"improper": None}, "improper", "is null; true or false is expected"),
        ({"judge_fid": 1}, "judge_fid", "is a number; true, false or null is expected"),
        ({"judge_fid": "true"}, "judge_fid", "is a string; true, false or null is expected"),
        ({"answer_fid": 5}, "answer_fid", "is a number; a string is expected"),
        ({"golden_answer": None}, "golden_answer", "is null; a string is expected"),
        ({"golden_answer": " / "}, "golden_answer", "is empty; an answer is expected"),
        ({"question": None}, "question", "is null; a string is expected"),
    ],
)
def test_a_fault_is_named_with_its_path(write, refusal, change, field, message):
    path = write("nq.json", [ITEM, {**ITEM, **change}])
    assert str(refusal(evouna, path)) == f"{path}: [1].{field}: {message}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("judge_gpt4", "is missing; true, false or null is expected"),
        ("answer_gpt4", "is missing; a string or null is expected"),
    ],
)
def test_every_question_needs_every_system(write, refusal, name, message):
    item = {key: value for key, value in ITEM.items() if key != name}
    path = write("nq.json", [ITEM, item])
    assert str(refusal(evouna, path)) == f"{path}: [1].{name}: {message}"


def test_lists_of_other_things_are_refused(write, refusal):
    assert "[1]: is null; an object" in str(refusal(evouna, write("nq.json", [ITEM, None])))
    bare = {key: value for key, value in ITEM.items() if "_" not in key}
    assert "no field answer_X of a known system" in str(refusal(evouna, write("x.json", [bare])))


def test_the_real_file_gives_the_published_human_accuracy(real):
    file = evouna(real("evouna/NQ.json"))
    report = file.report
    assert report.left_out == {
        "answers to questions marked improper": 590 * 5,
        "answers whose judgment is null": 1,
    }
    assert (report.kept, report.instances) == (3020 * 5 - 1, 3020)
    # Six of the proper questions' answers are empty, one of them the one never judged.
    assert report.empty_candidates == 5
    assert report.notes == ["Of the answers whose judgment is null, 1 had no text."]
    scores = defaultdict(list)
    for candidate in file.candidates:
        scores[candidate.system].append(candidate.score)
    accuracy = {system: round(sum(file) / len(file), 3) for system, file in scores.items()}
    assert accuracy == {
        "FiD": 0.689,
        "GPT-3.5": 0.655,
        "ChatGPT-3.5": 0.730,
        "GPT-4": 0.788,
        "New Bing": 0.799,
    }
