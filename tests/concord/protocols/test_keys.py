"""Keys: which fit a protocol, what a table's texts stand for, and which answers are right."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from concord.protocols import Condition, Criterion, ScalePoint, preset
from concord.protocols.keys import Key, graded_answers, key_problems, read_key, stored_key

TEXT = "A boat sank. Then it rained."
OPTIONS = ("red", "green", "blue")
CRITERIA = (
    Criterion("fluency", "How fluent?", points=(ScalePoint(1, "bad"), ScalePoint(2, "good"))),
    Criterion(
        "share",
        "How much?",
        "slider",
        (ScalePoint(0, "nothing"), ScalePoint(100, "all")),
        key_tolerance=10,
    ),
    Criterion("colour", "Which colour?", "choice", options=OPTIONS),
    Criterion("colours", "Which colours?", "choices", options=OPTIONS),
    Criterion("clear", "Is it clear?", "yes-no"),
    Criterion("errors", "What is wrong?", "spans", severities=("minor", "major")),
    Criterion("remark", "What else?", "text", required=False),
    Criterion("why", "Why?", "choice", options=OPTIONS, condition=Condition("no", "clear")),
)
PROTOCOL = dataclasses.replace(preset("blank"), criteria=CRITERIA).validated()


def span(start: int | None, end: int | None, severity: str = "minor") -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, "categories": []}


def problems_of(value: float | None = None, **answers: Any) -> list[str]:
    return list(key_problems(PROTOCOL, Key(value, answers), TEXT))


def is_right(name: str, key: Any, answer: Any, **changes: Any) -> bool:
    criteria = tuple(
        dataclasses.replace(one, **changes) if one.name == name else one for one in CRITERIA
    )
    protocol = dataclasses.replace(PROTOCOL, criteria=criteria).validated()
    answers = {} if answer is None else {name: answer}
    (graded,) = graded_answers(protocol, Key(None, {name: key}), 3, answers, 0)
    assert (graded.name, graded.key, graded.answer) == (name, key, answer)
    return graded.is_right


@pytest.mark.parametrize("text", ["red", " RED", "Red\n"])
def test_a_text_names_an_option_without_regard_to_case_and_spaces(text: str) -> None:
    key = read_key(
        PROTOCOL, Key(None, {"colour": text, "colours": f"{text}|blue", "clear": "Yes "})
    )
    assert key.answers == {"colour": "red", "colours": ["red", "blue"], "clear": True}
    assert read_key(PROTOCOL, Key(None, {"share": "\N{MINUS SIGN}5"})).answers == {"share": -5}


def test_options_that_differ_in_case_are_kept_apart() -> None:
    criterion = Criterion("mark", "Which?", "choice", options=("A", "a"))
    protocol = dataclasses.replace(PROTOCOL, criteria=(criterion,)).validated()
    for option in criterion.options:
        assert read_key(protocol, Key(None, {"mark": f" {option} "})).answers == {"mark": option}


def test_keys_that_fit_have_no_problems() -> None:
    assert problems_of(3) == []
    assert problems_of(clear=False, why="red") == []
    assert problems_of(colours=[]) == ["colours: It is not answered yet."]
    assert problems_of(errors=[], share=100, colour="blue", fluency=1) == []


@pytest.mark.parametrize(
    ("value", "answers", "message"),
    [
        (None, {}, "it needs a correct rating, or a correct answer to a criterion"),
        (3.5, {}, "is 3.5; a whole number is expected"),
        (6, {}, "must be from 1 to 5"),
        (3, {"share": 101}, "share: The answer must be a whole number from 0 to 100"),
        (3, {"colour": "pink"}, "colour: The answer must be one of the options"),
        (3, {"clear": "perhaps"}, "clear: The answer must be one of the options"),
        (3, {"remark": "good"}, "remark: Free text has no correct answer"),
        (3, {"size": 1}, "size: The protocol has no such criterion"),
        (3, {"why": "red"}, "why: It is not asked after these answers"),
        (3, {"errors": [span(0, 99)]}, "errors: Each span needs a start and an end in the text"),
    ],
)
def test_a_key_that_does_not_fit_is_named(
    value: float | None, answers: dict[str, Any], message: str
) -> None:
    (problem,) = problems_of(value, **answers)
    assert message in problem


def test_texts_of_a_table_stand_for_answers() -> None:
    texts = {
        "share": " 40 ",
        "colour": " red ",
        "colours": "blue | red",
        "clear": "Yes",
        "errors": '[{"start": 0, "end": 6, "severity": "minor", "categories": []}]',
        "fluency": "high",
        "unknown": "x",
    }
    answers = read_key(PROTOCOL, Key(4, texts)).answers
    assert answers == {
        "share": 40,
        "colour": "red",
        "colours": ["blue", "red"],
        "clear": True,
        "errors": [span(0, 6)],
        "fluency": "high",
        "unknown": "x",
    }
    valid = Key(4.0, {"colours": ["blue", "red"], "clear": True})
    assert stored_key(PROTOCOL, valid) == (4, {"colours": ["red", "blue"], "clear": True})


@pytest.mark.parametrize(
    ("name", "key", "right", "wrong"),
    [
        ("fluency", 1, 1, 2),
        ("share", 50, 60, 61),
        ("share", 50, 40, 39),
        ("colour", "red", "red", "blue"),
        ("colours", ["red", "blue"], ["blue", "red"], ["red"]),
        ("clear", False, False, True),
        ("errors", [span(0, 12)], [span(0, 4)], [span(0, 3)]),
        ("errors", [span(0, 12)], [span(0, 12, "major")], [span(13, 20)]),
        ("errors", [], [], [span(0, 1)]),
        ("errors", [span(0, 1)], [span(0, 1)], []),
        ("errors", [span(None, None)], [span(None, None, "major")], []),
    ],
)
def test_each_kind_is_compared_by_its_own_rule(name: str, key: Any, right: Any, wrong: Any) -> None:
    assert is_right(name, key, right)
    assert not is_right(name, key, wrong)
    assert not is_right(name, key, None)


def test_the_least_character_f1_is_that_of_the_criterion() -> None:
    # 6 of 12 characters: F1 = 2 * 6 / (6 + 12) = 2/3.
    assert is_right("errors", [span(0, 12)], [span(0, 6)], key_f1=0.66)
    assert not is_right("errors", [span(0, 12)], [span(0, 6)], key_f1=0.67)


def test_the_main_answer_has_the_tolerance_given() -> None:
    for value, tolerance, expected in ((4, 0, False), (4, 1, True), (None, 5, False), (3, 0, True)):
        (graded,) = graded_answers(PROTOCOL, Key(3), value, {}, tolerance)
        assert graded.is_right is expected and graded.name == ""


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"kind": "choice", "options": OPTIONS, "points": (), "key_tolerance": 1}, "key_tolerance"),
        ({"key_f1": 0.5}, "key_f1"),
        ({"key_tolerance": 1001}, "key_tolerance"),
    ],
)
def test_rules_for_keys_belong_to_their_kinds(changes: dict[str, Any], path: str) -> None:
    criterion = dataclasses.replace(CRITERIA[0], **changes)
    with pytest.raises(ValueError, match=f"criteria.0.{path}"):
        dataclasses.replace(PROTOCOL, criteria=(criterion,)).validated()


SETS = preset("best-worst-2017").validated()


def test_the_best_and_the_worst_of_a_set_are_right_by_themselves() -> None:
    key = Key(1, {"worst": 3})
    assert list(key_problems(SETS, key, "", compared=4)) == []
    for value, worst, right in [(1, 3, [True, True]), (1, 2, [True, False]), (3, 1, [False] * 2)]:
        graded = graded_answers(SETS, key, value, {"worst": worst}, 0)
        assert [(one.name, one.key) for one in graded] == [("", 1), ("worst", 3)]
        assert [one.is_right for one in graded] == right
    unjudged = graded_answers(SETS, key, None, {}, 0)
    assert [one.is_right for one in unjudged] == [False, False]


@pytest.mark.parametrize(
    ("best", "worst", "compared", "message"),
    [
        (1, 1, 3, "worst: The best and the worst candidate must be different"),
        (1, 4, 3, "worst: The answer must be the number of one of the compared candidates"),
        (1, 5, 5, "it has 5 candidates; the protocol's sets have 3 to 4"),
        (1, 2, 0, "it has 0 candidates"),
    ],
)
def test_a_key_of_a_set_is_two_of_its_candidates(
    best: int, worst: int, compared: int, message: str
) -> None:
    (problem,) = key_problems(SETS, Key(best, {"worst": worst}), "", compared=compared)
    assert message in problem


@pytest.mark.parametrize(
    ("name", "key"), [("remark", "red"), ("fluency", "red"), ("errors", 2), ("colours", [{}])]
)
def test_a_key_of_another_kind_is_not_graded(name: str, key: Any) -> None:
    assert graded_answers(PROTOCOL, Key(None, {name: key}), 3, {name: key}, 0) == []


def test_an_answer_of_another_kind_is_not_right() -> None:
    assert not is_right("fluency", 2, "good")
    assert not is_right("errors", [span(0, 3)], True)


def test_a_deeply_nested_text_stands_for_no_spans() -> None:
    text = "[" * 100_000
    assert read_key(PROTOCOL, Key(None, {"errors": text})).answers == {"errors": text}
