"""Values that are easy to misread: words for none, words in an order, numbers as texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.cli import main
from concord.formats import FormatError
from concord.formats.inspection import inspect_file, read_any
from concord.formats.labels import read_labels
from concord.formats.recipes import parse_recipe
from concord.formats.usual_scales import usual_scale
from concord.frames import FrameError

Write = Callable[[str, str], Path]
HEADER = "id,instance,system,candidate,rater,rating\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[Any, str]]:
    """The JSON that a command prints, and what it says on standard error."""

    def run(*arguments: object) -> tuple[Any, str]:
        assert main([*map(str, arguments), "--format", "json"]) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out), printed.err

    return run


def long_table(*rows: str) -> str:
    return HEADER + "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    "word", ["NA", "N/A", "n.a.", "nan", "None", "null", "-", "\N{EN DASH}", ".", "#N/A", " na "]
)
def test_a_word_for_none_is_no_rating(write: Write, run: Any, word: str) -> None:
    rows = ["a,,,x,ann,1", "a,,,x,bob,2", "b,,,y,ann,3", "b,,,y,bob,3", "c,,,z,ann,5",
            "c,,,z,bob,4", "d,,,w,ann,4", f"d,,,w,bob,{word}"]  # fmt: skip
    path = write("f.csv", long_table(*rows))
    report, said = run("agreement", path, "--draws", 5)
    assert report["level"] == "ordinal" and report["alpha"] == pytest.approx(0.902, abs=5e-4)
    assert f"1 value is missing: {word.strip()} 1." in said


def test_missing_values_are_counted_by_their_words(write: Write) -> None:
    text = "id,candidate,rater_1,rater_2\na,x,1,NA\nb,y,-,NA\nc,z,NA,\nd,w,2,2\n"
    found = inspect_file(write("f.csv", text))
    assert found["counts"]["missing"] == 5 and found["counts"]["ratings"] == 3
    assert found["missing_words"] == {"NA": 3, "-": 1}


def test_missing_values_of_json_and_of_other_readers(write: Write) -> None:
    rows = [{"id": "a", "candidate": "x", "rater": who, "rating": value}
            for who, value in (("ann", 4), ("bob", "N/A"), ("eve", None))]  # fmt: skip
    toml = {"name": "own", "rows": "ratings", "fields": {"id": "id", "candidate": "candidate"},
            "ratings": {"worker": "rater", "value": "rating"}}  # fmt: skip
    path = write("f.json", json.dumps(rows))
    (candidate,) = read_any([path], parse_recipe(toml)).candidates
    assert [one.value for one in candidate.ratings] == [4.0]
    table = write("t.csv", "id,reference,answer,score\na,r,x,3\nb,r,y,n/a\n")
    assert [one.score for one in read_any([table], "table").candidates] == [3.0, None]
    labels = write("l.json", json.dumps({"ann": {"a": "yes", "b": "NA"}, "bob": {"a": "no"}}))
    assert read_labels(labels)["ann"] == {"a": "yes"}


def test_a_declared_word_is_a_value(write: Write) -> None:
    path = write("f.csv", long_table("a,,,x,ann,none", "a,,,x,bob,mild", "b,,,y,ann,severe"))
    file = read_any([path], options=concord.formats.ReadOptions(order=("none", "mild", "severe")))
    assert [one.score for one in file.candidates] == [0.5, 2.0] and file.report.missing == 0
    recipe: dict[str, Any] = {
        "name": "own", "rows": "ratings", "fields": {"id": "id", "candidate": "candidate"},
        "ratings": {"worker": "rater", "value": "rating"},
        "values": {"others": "number", "missing": ["mild"]},
    }  # fmt: skip
    file = read_any([path], parse_recipe(recipe))
    assert file.report.missing_words == {"mild": 1}
    assert file.scale is not None and file.scale.words == ("none", "severe")  # type: ignore[attr-defined]


def test_one_number_is_one_value_however_it_is_written(write: Write) -> None:
    recipe: dict[str, Any] = {
        "name": "own", "rows": "ratings", "fields": {"id": "id", "candidate": "candidate"},
        "ratings": {"worker": "rater", "value": "rating"},
        "values": {"map": {"9": 1, "2": 2}, "missing": ["-1"]},
    }  # fmt: skip
    rows = [{"id": "a", "candidate": "x", "rater": f"r{at}", "rating": value}
            for at, value in enumerate((9.0, 9, "9.0", "9", 2.0, -1.0, "-1"))]  # fmt: skip
    (candidate,) = read_any([write("f.json", json.dumps(rows))], parse_recipe(recipe)).candidates
    assert [one.value for one in candidate.ratings] == [1, 1, 1, 1, 2]


def test_words_that_differ_in_case_are_one(write: Write, run: Any) -> None:
    rows = ["a,,,x,ann,b", "a,,,x,bob,B", "c,,,y,ann,w", "c,,,y,bob,W"]
    report, _ = run("agreement", write("f.csv", long_table(*rows)), "--draws", 5)
    assert report["level"] == "nominal" and report["alpha"] == 1.0


def test_numbers_are_compared_as_numbers(write: Write, run: Any) -> None:
    rows = ["1a,q1,A,x1,ann,10", "1b,q1,B,y1,ann,9", "2a,q2,A,x2,ann,10", "2b,q2,B,y2,ann,2",
            "3a,q3,A,x3,ann,4", "3b,q3,B,y3,ann,5", "3c,q3,B,z3,ann,NA"]  # fmt: skip
    ranking, _ = run("ranking", write("f.csv", long_table(*rows)))
    assert {name: one["wins"] for name, one in ranking["systems"].items()} == {"A": 2, "B": 1}


QUALITY = ["1a,q1,A,x1,ann,{2}", "1b,q1,B,y1,ann,{0}", "2a,q2,A,x2,ann,{2}", "2b,q2,B,y2,ann,{1}",
           "3a,q3,A,x3,ann,{0}", "3b,q3,B,y3,ann,{1}"]  # fmt: skip


def of_words(*words: str) -> str:
    return long_table(*(row.format(*words) for row in QUALITY))


def test_a_usual_scale_is_recognised_and_named(write: Write, run: Any) -> None:
    ranking, said = run("ranking", write("f.csv", of_words("poor", "fair", "excellent")))
    assert {name: one["wins"] for name, one in ranking["systems"].items()} == {"A": 2, "B": 1}
    assert "a usual scale of quality in English" in said


@pytest.mark.parametrize("command", ["ranking", "plan --width 1", "agreement --level ordinal",
                                     "agreement --level interval",
                                     "agreement --filter zscore:1"])  # fmt: skip
def test_words_without_an_order_are_not_compared(
    write: Write, run: Any, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    path = write("f.csv", of_words("terse", "wordy", "apt"))
    assert main([*command.split(), str(path)]) != 0
    assert "--order" in capsys.readouterr().err
    if command == "ranking":
        ranking, _ = run(command, path, "--order", "terse,wordy,apt")
        assert {one: row["wins"] for one, row in ranking["systems"].items()} == {"A": 2, "B": 1}


def test_words_without_an_order_have_a_nominal_agreement_and_no_gold(write: Write) -> None:
    frame = concord.read_judgments(write("f.csv", of_words("a", "b", "c")), "ratings-long")
    assert concord.agreement(frame).report["level"] == "nominal"
    with pytest.raises(FrameError, match="order"):
        concord.aggregate(frame)


@pytest.mark.parametrize("order", [("a",), ("a", "A")])
def test_an_order_has_different_words(write: Write, order: tuple[str, ...]) -> None:
    with pytest.raises(FormatError, match="different words"):
        read_any([write("f.csv", of_words("a", "b", "c"))],
                 options=concord.formats.ReadOptions(order=order))  # fmt: skip


def test_words_that_an_order_lacks_are_named(write: Write) -> None:
    with pytest.raises(FormatError, match='"c"'):
        read_any([write("f.csv", of_words("a", "b", "c"))],
                 options=concord.formats.ReadOptions(order=("a", "b")))  # fmt: skip


@pytest.mark.parametrize(
    ("words", "name", "points"),
    [
        ("Strongly agree; Disagree; Neutral; Agree; Strongly disagree", "agreement in English", 5),
        ("Somewhat agree; Disagree; Strongly agree; Neutral", "agreement in English", 7),
        ("disagree; agree; strongly agree", "agreement in English", 4),
        ("trifft zu; Trifft eher zu; teils, teils; trifft nicht zu", "agreement in German", 7),
        ("Tout \N{LATIN SMALL LETTER A WITH GRAVE} fait d\N{RIGHT SINGLE QUOTATION MARK}accord; "
         "d'accord; pas d'accord", "agreement in French", 4),
        ("siempre; nunca; a veces", "frequency in Spanish", 3),
        ("ottimo; buono; pessimo", "quality in Italian", 5),
        ("soms; nooit; altijd; vaak", "frequency in Dutch", 4),
        ("2 - poor; 1 - bad; 5 - excellent", "quality in English", 5),
        ("likely; very unlikely; unlikely; very likely", "likelihood in English", 4),
    ],
)  # fmt: skip
def test_usual_scales_of_several_languages(words: str, name: str, points: int) -> None:
    found = usual_scale(words.split("; "))
    assert found is not None and found.name == name and len(found.scale.words) == points


@pytest.mark.parametrize("words", ["positive; neutral; negative", "good; good ", "warm; cold", ""])
def test_other_words_are_on_no_usual_scale(words: str) -> None:
    assert usual_scale(words.split("; ")) is None


HITS = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.question,Input.{0}1,Input.{0}2,Answer.q\n"
)


def test_one_of_two_systems_is_not_the_system(write: Write) -> None:
    rows = "h1,a1,w1,Approved,Q1,A,B,b\nh1,a2,w2,Approved,Q1,A,B,B\n"
    found = inspect_file(write("f.csv", HITS.format("system") + rows))
    assert found["recipe"] == "mturk" and found["counts"]["systems"] == 0
    assert {"Input.system1", "Input.system2"} <= set(found["ignored"])


def test_one_of_two_answers_is_not_the_answer(write: Write) -> None:
    rows = "h1,a1,w1,Approved,Q1,x,y,b\nh1,a2,w2,Approved,Q1,x,y,b\n"
    with pytest.raises(FormatError, match=r"Input.answer1, Input.answer2: are 2 answers"):
        inspect_file(write("f.csv", HITS.format("answer") + rows))
