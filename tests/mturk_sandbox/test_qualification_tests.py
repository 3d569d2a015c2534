"""Tests taken in a browser and scored by their answer keys."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from mturk_sandbox.answer_keys import read_answer_key
from tests.mturk_sandbox.people import (
    Person,
    answer_key,
    choice,
    free_text,
    key_line,
    question_form,
    value_of,
)

MANY = "<MaxSelectionCount>3</MaxSelectionCount>"
TEST = question_form(choice("nextmove", "C", "D"), choice("favoritefruit", "apples", "pears"))
# The complete example of the API reference's page "AnswerKey".
KEY = answer_key(
    key_line("nextmove", ("D", 5)),
    key_line("favoritefruit", ("apples", 10)),
    mapping="<PercentageMapping><MaximumSummedScore>15</MaximumSummedScore></PercentageMapping>",
)
# The example of a RangeMapping on the same page.
RANGES = (
    "<RangeMapping><SummedScoreRange><InclusiveLowerBound>5</InclusiveLowerBound>"
    "<InclusiveUpperBound>7</InclusiveUpperBound><QualificationValue>5</QualificationValue>"
    "</SummedScoreRange><SummedScoreRange><InclusiveLowerBound>8</InclusiveLowerBound>"
    "<InclusiveUpperBound>10</InclusiveUpperBound><QualificationValue>10</QualificationValue>"
    "</SummedScoreRange><OutOfRangeQualificationValue>0</OutOfRangeQualificationValue>"
    "</RangeMapping>"
)


def scored(key: str, **answers: str) -> int:
    options = {"q": {"a", "b", "c"}, "nextmove": {"C", "D"}, "favoritefruit": {"apples", "pears"}}
    fields = {name: frozenset(selection.split(",")) for name, selection in answers.items()}
    return read_answer_key(key, options).score(fields)


def test_the_example_of_the_api_reference() -> None:
    assert scored(KEY, nextmove="D", favoritefruit="apples") == 100
    assert scored(KEY, nextmove="C", favoritefruit="apples") == 67  # 10 of 15, rounded
    assert scored(KEY, nextmove="D", favoritefruit="pears") == 33
    assert scored(KEY) == 0


@pytest.mark.parametrize(("score", "value"), [(4, 0), (5, 5), (7, 5), (8, 10), (10, 10), (11, 0)])
def test_ranges(score: int, value: int) -> None:
    assert scored(answer_key(key_line("q", ("a", score)), mapping=RANGES), q="a") == value


def test_an_answer_needs_exactly_the_selections_of_the_key() -> None:
    key = answer_key(key_line("q", ("a,b", 10), ("a", 3), ("c", -4), default="1"))
    assert scored(key, q="a,b") == scored(key, q="b,a") == 10
    assert [scored(key, q=selection) for selection in ("a", "c", "b", "a,b,c")] == [3, -4, 1, 1]
    assert scored(key) == 1


def test_scaling() -> None:
    scale = "<ScaleMapping><SummedScoreMultiplier>{}</SummedScoreMultiplier></ScaleMapping>"
    assert scored(answer_key(key_line("q", ("a", 4)), mapping=scale.format(3)), q="a") == 12
    assert scored(answer_key(key_line("q", ("a", 5)), mapping=scale.format("0.5")), q="a") == 3


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (answer_key(), "no Question"),
        (answer_key(key_line("other", ("a", 1))), "no question 'other'"),
        (answer_key(key_line("nextmove", ("E", 1))), "no selection E"),
        (answer_key(key_line("nextmove", ("D", 1)), mapping="<Odd/>"), "PercentageMapping"),
        (KEY.replace(">15<", ">0<"), "MaximumSummedScore"),
        (KEY.replace(">15<", ">NaN<"), "not a number"),
        (KEY.replace("2005-10-01", "1999-01-01"), "not an AnswerKey"),
        ("<!DOCTYPE a><a/>", "document type"),
    ],
)
def test_keys_that_do_not_fit(alice: Any, key: str, message: str) -> None:
    with pytest.raises(ClientError, match=message) as caught:
        made(alice, AnswerKey=key)
    assert caught.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.XMLParseError"


def made(alice: Any, **changes: Any) -> str:
    fields = {
        "Name": "Chess and fruit",
        "Description": "d",
        "QualificationTypeStatus": "Active",
        "Test": TEST,
        "AnswerKey": KEY,
        "TestDurationInSeconds": 600,
    }
    fields = {name: value for name, value in {**fields, **changes}.items() if value is not None}
    return str(
        alice.create_qualification_type(**fields)["QualificationType"]["QualificationTypeId"]
    )


def test_a_test_is_taken_once(alice: Any, bob: Person) -> None:
    kind = made(alice)
    page = bob.get(f"/worker/qualifications/{kind}/")
    assert "10 minutes" in page and "once only" in page
    address = f"/worker/qualifications/{kind}"
    _, page, _ = bob.post(f"{address}/request/")
    assert page.count('type="radio"') == 4 and "<legend>" in page
    status, page, _ = bob.post(f"{address}/answers/", nextmove="D")
    assert status == 400 and "favoritefruit: an answer is required" in page
    status, page, _ = bob.post(f"{address}/answers/", nextmove="D", favoritefruit="grapes")
    assert status == 400 and "not one of the answers" in page
    _, page, _ = bob.post(f"{address}/answers/", nextmove="D", favoritefruit="pears")
    assert "with the value 33" in page
    assert value_of(bob, kind) == 33
    assert bob.post(f"{address}/answers/", nextmove="D", favoritefruit="apples")[0] == 409
    assert "only once" in bob.post(f"{address}/request/")[1]
    assert value_of(bob, kind) == 33


def test_a_test_can_be_taken_again_after_its_delay(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    kind = made(alice, RetryDelayInSeconds=1000)
    address = f"/worker/qualifications/{kind}"
    bob.post(f"{address}/request/")
    bob.post(f"{address}/answers/", nextmove="C", favoritefruit="pears")
    assert value_of(bob, kind) == 0
    sandbox.advance(999)
    assert bob.post(f"{address}/request/")[0] == 409
    sandbox.advance(1)
    bob.post(f"{address}/request/")
    bob.post(f"{address}/answers/", nextmove="D", favoritefruit="apples")
    assert value_of(bob, kind) == 100


def test_an_expired_test_uses_up_an_attempt(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    kind = made(alice)
    address = f"/worker/qualifications/{kind}"
    bob.post(f"{address}/request/")
    sandbox.advance(300)
    assert "Submit the test" in bob.post(f"{address}/request/")[1]  # the same sitting goes on
    sandbox.advance(300)
    status, page, _ = bob.post(f"{address}/answers/", nextmove="D", favoritefruit="apples")
    assert status == 409 and "run out" in page
    assert "only once" in bob.get(f"{address}/")
    assert value_of(bob, kind) is None


def test_without_an_answer_key_the_requester_decides(alice: Any, bob: Person) -> None:
    form = question_form(
        choice("q", "a", "b", "c", extra=MANY),
        free_text("why", '<Constraints><Length minLength="2" maxLength="5"/></Constraints>'),
    )
    kind = made(alice, AnswerKey=None, Test=form)
    address = f"/worker/qualifications/{kind}"
    _, page, _ = bob.post(f"{address}/request/")
    assert page.count('type="checkbox"') == 3
    status, page, _ = bob.post(f"{address}/answers/", q=["a", "c"], why="x")
    assert status == 400 and "2 characters or more" in page
    bob.post(f"{address}/answers/", q=["a", "c"], why="so")
    assert "has not decided yet" in bob.get(f"{address}/")
    alice.associate_qualification_with_worker(
        QualificationTypeId=kind, WorkerId=bob.id, IntegerValue=5
    )
    assert value_of(bob, kind) == 5


def test_a_qualification_is_granted_automatically(alice: Any, bob: Person) -> None:
    nothing = {"Test": None, "AnswerKey": None, "TestDurationInSeconds": None}
    kind = made(alice, AutoGranted=True, AutoGrantedValue=3, **nothing)
    bob.post(f"/worker/qualifications/{kind}/request/")
    assert value_of(bob, kind) == 3


def test_a_form_shows_nothing_harmful(alice: Any, bob: Person) -> None:
    form = question_form(
        "<Overview><Title>A &lt;b&gt; title</Title><FormattedContent><![CDATA[<p>Fine</p>"
        "<script>alert(1)</script>]]></FormattedContent><List><ListItem>One</ListItem></List>"
        "</Overview>",
        choice("q", "a", "b"),
    )
    kind = made(alice, Test=form, AnswerKey=None)
    _, page, _ = bob.post(f"/worker/qualifications/{kind}/request/")
    assert "A &lt;b&gt; title" in page and "<p>Fine</p>" in page and "<li>One</li>" in page
    assert "<script" not in page
