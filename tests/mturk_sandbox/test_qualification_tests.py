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
    key_line,
    question_form,
    value_of,
)

TEST = question_form(choice("nextmove", "C", "D"), choice("favoritefruit", "apples", "pears"))
# The complete example of the API reference's page "AnswerKey".
KEY = answer_key(
    key_line("nextmove", ("D", 5)),
    key_line("favoritefruit", ("apples", 10)),
    mapping="<PercentageMapping><MaximumSummedScore>15</MaximumSummedScore></PercentageMapping>",
)


def scored(key: str, **answers: str) -> int:
    options = {"q": {"a", "b", "c"}, "nextmove": {"C", "D"}, "favoritefruit": {"apples", "pears"}}
    return read_answer_key(key, options).score(answers)


def test_the_example_of_the_api_reference() -> None:
    assert scored(KEY, nextmove="D", favoritefruit="apples") == 100
    assert scored(KEY, nextmove="C", favoritefruit="apples") == 67  # 10 of 15, rounded
    assert scored(KEY, nextmove="D", favoritefruit="pears") == 33
    assert scored(KEY) == 0


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (answer_key(), "no Question"),
        (answer_key(key_line("other", ("a", 1))), "no question 'other'"),
        (answer_key(key_line("nextmove", ("E", 1))), "no selection E"),
        (answer_key(key_line("nextmove", ("D", 1)), mapping="<Odd/>"), "PercentageMapping"),
        (KEY.replace(">15<", ">0<"), "MaximumSummedScore"),
        (KEY.replace(">15<", ">NaN<"), "not a number"),
        (KEY.replace("2005-10-01", "1999-01-01"), "not in its namespace"),
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
    assert status == 400 and "favoritefruit: an answer is required" in page
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


def test_texts_of_a_test_are_escaped(alice: Any, bob: Person) -> None:
    overview = "<Overview><Title>A &lt;b&gt; title</Title><Text>One</Text></Overview>"
    form = TEST.replace("<Question>", f"{overview}<Question>", 1)
    _, page, _ = bob.post(f"/worker/qualifications/{made(alice, Test=form)}/request/")
    assert "<h2>A &lt;b&gt; title</h2><p>One</p>" in page
