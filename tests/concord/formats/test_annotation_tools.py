"""Ratings of Label Studio and Potato, and what is written for both."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from concord.formats import FormatError, ReadOptions, read_judgments
from concord.formats.label_studio import labelling_configuration, task_rows
from concord.formats.potato import item_rows
from concord.formats.records import (
    CandidateRecord,
    CriterionRecord,
    InstanceRecord,
    RatingRecord,
)
from tests.concord.formats.format_examples import LABEL_STUDIO, POTATO, POTATO_TEXTS

TEXTS = ReadOptions(texts=str(POTATO_TEXTS))


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "candidate", "type": kind, "value": value}


def task(*annotations: dict[str, Any], **data: Any) -> dict[str, Any]:
    changed = copy.deepcopy(LABEL_STUDIO[0])
    changed["data"] |= data
    changed["annotations"] = list(annotations)
    return changed


NAMES = ["score", "score-criterion", "candidate-text", "passage-text-criterion", "tone-criterion"]


def test_criteria_with_names_of_the_file_are_read_as_they_were(tmp_path: Path) -> None:
    before = CandidateRecord(
        "c",
        InstanceRecord("i", ("so",), passage="p", question="Why?"),
        "so it is",
        score=3.0,
        ratings=(RatingRecord("ann", 3.0),),
        criteria=tuple(
            CriterionRecord(name, None, float(at), (RatingRecord("ann", float(at)),))
            for at, name in enumerate(NAMES)
        ),
    )
    (row,) = rows = list(task_rows([before], str))
    configuration = ElementTree.fromstring(
        labelling_configuration({"": None} | dict.fromkeys(NAMES), ["candidate", "passage"])
    )
    named = [one.get("name") for one in configuration.iter() if one.get("name")]
    assert len(set(named)) == len(named) == len(NAMES) + 3
    (annotation,) = row["annotations"]  # type: ignore[misc]
    assert {one["from_name"] for one in annotation["result"]} < set(named)  # type: ignore[index]
    file = read_judgments([write(tmp_path / "t.json", rows)], "label-studio")
    (after,) = file.candidates
    assert (after.score, after.ratings) == (before.score, before.ratings)
    assert after.criteria == before.criteria


def test_each_control_with_numbers_is_a_criterion(tmp_path: Path) -> None:
    tasks = [
        task(
            {
                "completed_by": {"id": 3, "email": "ann@example.org"},
                "result": [
                    result("fluency", "rating", {"rating": 4}),
                    result("truth", "choices", {"choices": ["2"]}),
                    result("remark", "textarea", {"text": ["?"]}),
                    result("kind", "choices", {"choices": ["off topic"]}),
                ],
            },
            {"completed_by": 4, "result": [result("fluency", "number", {"number": 1.5})]},
            {"completed_by": 5, "was_cancelled": True, "result": []},
            id="c-1",
        )
    ]
    file = read_judgments([write(tmp_path / "t.json", tasks)], "label-studio")
    (candidate,) = file.candidates
    assert (candidate.key, candidate.text, candidate.system) == ("c-1", "so it is", "a")
    assert candidate.instance.references == ("so",) and candidate.instance.question == "Why?"
    fluency, truth = candidate.criteria
    assert fluency.ratings == (RatingRecord("ann@example.org", 4), RatingRecord("4", 1.5))
    assert (fluency.name, fluency.score) == ("fluency", 2.75)
    assert truth.ratings == (RatingRecord("ann@example.org", 2),)
    notes = file.report.notes
    assert "Values that are no numbers: 2." in notes
    one = read_judgments(
        [tmp_path / "t.json"], "label-studio", ReadOptions(criterion="truth")
    ).candidates[0]
    assert (one.score, one.criteria) == (2, ())


def test_a_rater_in_the_meta_of_a_result_stands_before_the_account(tmp_path: Path) -> None:
    # Label Studio exports imported annotations as those of the account that imported them.
    rated = [result("score", "number", {"number": value}) for value in (2, 5, 3)]
    rated[0]["meta"], rated[1]["meta"] = {"rater": "x-1"}, {"rater": "x-2", "text": ["a note"]}
    annotations = [{"completed_by": 1, "result": [one]} for one in rated]
    path = write(tmp_path / "t.json", [task(*annotations)])
    (candidate,) = read_judgments([path], "label-studio").candidates
    assert candidate.ratings == (
        RatingRecord("x-1", 2),
        RatingRecord("x-2", 5),
        RatingRecord("1", 3),
    )


def test_tasks_are_read_again_with_the_same_ratings(tmp_path: Path) -> None:
    line = {
        "id": "a",
        "instance": "i",
        "passage": "P.",
        "question": "Q?",
        "references": ["r"],
        "candidate": "c",
        "system": "s",
        "score": 4,
        "ratings": [{"worker": "w1", "value": 3.5}, {"worker": "w2", "value": 4.5}],
        "criteria": {"fluency": {"ratings": [{"worker": "w2", "value": 2}]}},
    }
    (tmp_path / "c.jsonl").write_text(json.dumps(line) + "\n")
    (before,) = read_judgments([tmp_path / "c.jsonl"], "concord").candidates
    tasks = list(task_rows([before], lambda worker: f"x-{worker}"))
    (after,) = read_judgments([write(tmp_path / "t.json", tasks)], "label-studio").candidates
    assert (after.instance, after.text, after.system, after.score) == (
        before.instance,
        "c",
        "s",
        4,
    )
    assert after.ratings == (RatingRecord("x-w1", 3.5), RatingRecord("x-w2", 4.5))
    assert [(one.name, one.score) for one in after.criteria] == [("fluency", 2)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            task({"completed_by": None, "result": [result("a", "rating", {"rating": 1})]}),
            "has no name of a rater",
        ),
        (
            task({"completed_by": 1, "result": [result("a", "rating", {"rating": 1})] * 2}),
            '"1" rates this candidate on "a" twice',
        ),
        ({"annotations": []}, "is no file of the recipe label-studio"),
    ],
)
def test_a_faulty_task_is_named(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_judgments([write(tmp_path / "t.json", [change])], "label-studio")


def test_raters_of_potato_are_joined_on_the_items(tmp_path: Path) -> None:
    second = {
        "user_id": "r2",
        "instance_id_to_label_to_value": {
            "a": [
                [{"schema": "fluency", "name": "2"}, 2],
                [{"schema": "remark", "name": "text_box"}, "nice"],
            ],
            "b": [[{"schema": "truth", "name": "1"}, "1"]],
        },
    }
    paths = [write(tmp_path / "1.json", POTATO), write(tmp_path / "2.json", second)]
    file = read_judgments(paths, "potato", TEXTS)
    first, other = file.candidates
    assert (first.key, first.text, first.system) == ("a", "blue sky", "s")
    assert first.criteria[0].ratings == (RatingRecord("r1", 4), RatingRecord("r2", 2))
    assert [one.name for one in other.criteria if one.ratings] == ["truth"]
    assert 'Values that are no numbers: 1, in "a".' in file.report.notes


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "instance_id_to_label_to_value"),
        (POTATO | {"user_id": None}, "has no name of a rater"),
        (
            {"user_id": "r", "instance_id_to_label_to_value": {"z": []}},
            'the file of texts has no "z"',
        ),
        (
            {"user_id": "r", "instance_id_to_label_to_value": {"a": [["x", 1]]}},
            "criterion: is missing",
        ),
        (
            {
                "user_id": "r",
                "instance_id_to_label_to_value": {"a": [[{"schema": "s", "name": "1"}, 1]] * 2},
            },
            '"r" rates this candidate on "s" twice',
        ),
    ],
)
def test_a_faulty_state_is_named(tmp_path: Path, state: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_judgments([write(tmp_path / "s.json", state)], "potato", TEXTS)


def test_ratings_of_potato_need_no_texts(tmp_path: Path) -> None:
    (candidate,) = read_judgments([write(tmp_path / "s.json", POTATO)], "potato").candidates
    assert (candidate.key, candidate.text) == ("a", "")
    assert candidate.criteria[0].ratings == (RatingRecord("r1", 4),)


def test_items_of_potato_have_id_and_text() -> None:
    options = ReadOptions(without_references=True)
    candidates = read_judgments([POTATO_TEXTS], "concord", options).candidates
    assert next(item_rows(candidates)) == {"id": "a", "text": "blue sky"}
