"""Money, questions, tests and answers in Mechanical Turk's forms: no database, no network."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest
from botocore import exceptions
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from annotation.crowds.providers import money
from annotation.crowds.providers.mturk import client, questions
from annotation.crowds.providers.mturk.answers import read_answers
from annotation.crowds.providers.mturk.client import MTurkError, translate_error
from annotation.crowds.providers.mturk.requirements import requirements
from annotation.crowds.providers.offer import Offer, OfferError
from annotation.crowds.providers.provider import (
    AccountError,
    CrowdBusyError,
    CrowdError,
    PublicationSpec,
    Test,
    TestItem,
    TestQuestion,
)

Test.__test__ = TestItem.__test__ = TestQuestion.__test__ = False  # type: ignore[attr-defined]
OFFER = Offer("Rate", "Rate answers")


@pytest.mark.parametrize(
    ("pay", "places", "masters", "fee"),
    [
        (3, 9, False, 1),  # 0.6 cents: one cent at least, a third of the reward
        (3, 10, False, 2),  # 1.2 cents: two thirds of it
        (40, 9, False, 8),
        (40, 10, False, 16),
        (40, 10, True, 18),
        (100, 1, True, 25),
        (0, 10, False, 0),
    ],
)
def test_fees_by_assignment(pay: int, places: int, masters: bool, fee: int) -> None:
    assert money.mturk_fee(pay, places, masters=masters) == fee


@given(pay=st.integers(1, 10_000), places=st.integers(1, 500))
def test_fractions_are_rounded_up_and_parts_are_even(pay: int, places: int) -> None:
    exact = Decimal(pay) * (Decimal("0.4") if places >= 10 else Decimal("0.2"))
    assert 0 <= money.mturk_fee(pay, places) - exact < 1
    parts = money.split_places(places, 9)
    assert sum(parts) == places and max(parts) <= 9 and max(parts) - min(parts) <= 1
    assert len(parts) == -(-places // 9)


@given(cents=st.integers(0, 10**9))
def test_dollars_and_cents_are_each_others_inverse(cents: int) -> None:
    assert money.cents(money.dollars(cents)) == cents


def test_fractions_of_a_cent_are_refused() -> None:
    with pytest.raises(ValueError, match="whole number of cents"):
        money.cents("0.005")


def test_an_external_question_is_its_address() -> None:
    xml = questions.external_question("https://concord.example/rate/crowd/1:x/?a=1&b=<2>")
    root = ElementTree.fromstring(xml)
    assert root.findtext(f"{{{questions.EXTERNAL}}}ExternalURL", "").endswith("?a=1&b=<2>")
    assert root.findtext(f"{{{questions.EXTERNAL}}}FrameHeight") == "0"


def test_the_limit_is_in_bytes_of_the_whole_question() -> None:
    room = questions.MAX_BYTES - len(questions.external_question("").encode())
    assert questions.external_question("x" * room)
    with pytest.raises(questions.DocumentTooLongError, match="65,536 bytes"):
        questions.external_question("x" * (room + 1))
    with pytest.raises(questions.DocumentTooLongError):
        questions.external_question("\N{EURO SIGN}" * (room // 3 + 1))


def test_a_test_and_its_key() -> None:
    scale = tuple((str(value), f"point {value}") for value in range(1, 6))
    yes_no = (("yes", "Yes"), ("no", "No"))
    first, second = (
        TestQuestion(f"c{n}", "How right?", scale, (str(n), str(n + 1))) for n in (1, 2)
    )
    clear = TestQuestion("c2-0", "Is it clear?", yes_no, ("no",))
    items = tuple(
        TestItem("A <passage>", "Why & how?", ("so",), "because", asked)
        for asked in ((first,), (second, clear))
    )
    test = Test("Test", "How right?", "Read.", items, 80, 30, 2)
    form = ElementTree.fromstring(questions.question_form(test))
    q = {"q": questions.FORM}
    assert [one.text for one in form.findall("q:Question/q:QuestionIdentifier", q)] == [
        "c1",
        "c2",
        "c2-0",
    ]
    texts = [one.text for one in form.findall("q:Question/q:QuestionContent/q:Text", q)]
    assert texts.count("Passage: A <passage>") == 2 and "Question: Why & how?" in texts
    assert texts.count("How right?") == 2 and texts.count("Is it clear?") == 1
    key = ElementTree.fromstring(questions.answer_key(test))
    k = {"k": questions.KEY}
    scores = {
        question.findtext("k:QuestionIdentifier", "", k): [
            option.findtext("k:SelectionIdentifier", "", k)
            for option in question.findall("k:AnswerOption", k)
            if option.findtext("k:AnswerScore", "", k) == "1"
        ]
        for question in key.findall("k:Question", k)
    }
    assert scores == {"c1": ["1", "2"], "c2": ["2", "3"], "c2-0": ["no"]}
    most = "k:QualificationValueMapping/k:PercentageMapping/k:MaximumSummedScore"
    assert key.findtext(most, "", k) == "3"


def test_requirements_are_those_of_the_protocol_and_ten_at_most() -> None:
    order = PublicationSpec("u", OFFER, (3,), 30, 95, 100, ("US", "us-ca"))
    by_type = {
        one["QualificationTypeId"]: one for one in requirements(order, "", {"exclusion": "X"})
    }
    rate = by_type["000000000000000000L0"]
    assert (rate["Comparator"], rate["IntegerValues"]) == ("GreaterThanOrEqualTo", [95])
    above = requirements(replace(order, approval_above=True), "", {"exclusion": "X"})[0]
    assert above == rate | {"Comparator": "GreaterThan"}
    assert by_type["00000000000000000040"]["IntegerValues"] == [100]
    assert by_type["00000000000000000071"]["LocaleValues"] == [
        {"Country": "US"},
        {"Country": "US", "Subdivision": "CA"},
    ]
    assert by_type["X"]["Comparator"] == "DoesNotExist"


@pytest.mark.parametrize(
    "xml",
    [
        "<QuestionFormAnswers>",
        "not xml",
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "<a>" + "&b;" + "<!ENTITY b 'c'></a>",
    ],
)
def test_invalid_answers_are_refused(xml: str) -> None:
    with pytest.raises(CrowdError):
        read_answers(xml)


def test_answers_of_several_choices_are_joined() -> None:
    xml = (
        f'<QuestionFormAnswers xmlns="{questions.SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd">'
        "<Answer><QuestionIdentifier>q</QuestionIdentifier>"
        "<SelectionIdentifier>a</SelectionIdentifier><SelectionIdentifier>b</SelectionIdentifier>"
        "</Answer><Answer><QuestionIdentifier>empty</QuestionIdentifier><FreeText/></Answer>"
        "</QuestionFormAnswers>"
    )
    assert read_answers(xml) == {"q": "a|b", "empty": ""}
    assert read_answers("") == {}


def test_the_id_in_hit_already_exists() -> None:
    hit = "3TEST0HIT0ID000000000000000000"
    said = f"The HIT with ID {hit} already exists with the same UniqueRequestToken. (1763 s)"
    error = MTurkError("AWS.MechanicalTurk.HitAlreadyExists", said)
    assert (error.code, error.named_id) == ("hitalreadyexists", hit)
    assert MTurkError("x", "Nothing named.").named_id == ""


@pytest.mark.parametrize(
    "error",
    [
        exceptions.UnauthorizedSSOTokenError(),
        exceptions.TokenRetrievalError(provider="sso", error_msg="expired"),
        exceptions.ProfileNotFound(profile="lab"),
    ],
)
def test_expired_credentials_need_a_person_and_are_not_retried(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(credentials: object) -> Any:
        raise error

    monkeypatch.setattr(client, "session", fail)
    with pytest.raises(AccountError, match="Renew them"):
        client.MTurkClient("sandbox")("get_account_balance")


def test_an_invalid_offer_is_explained() -> None:
    bad = Offer("", "x" * 2001, lifetime_hours=0)
    with pytest.raises(OfferError) as error:
        bad.validated()
    assert set(error.value.problems) == {"title", "description", "lifetime_hours"}
    assert Offer.from_json(OFFER.to_json()) == OFFER


@pytest.mark.parametrize(
    ("code", "turk", "status", "kind", "message"),
    [
        ("ExpiredTokenException", "", 400, AccountError, "Renew them"),
        ("UnrecognizedClientException", "", 400, AccountError, "rejects these credentials"),
        ("ThrottlingException", "", 400, CrowdBusyError, "is busy"),
        ("ServiceFault", "AWS.ServiceUnavailable", 500, CrowdBusyError, "is busy"),
        ("RequestError", "AWS.MechanicalTurk.InsufficientFunds", 400, AccountError, "Add money"),
        ("RequestError", "AWS.MechanicalTurk.InvalidAssignmentState", 400, MTurkError, "no"),
    ],
)
def test_what_an_error_of_boto3_means(
    code: str, turk: str, status: int, kind: type[CrowdError], message: str
) -> None:
    answer = {
        "Error": {"Code": code, "Message": "no"},
        "TurkErrorCode": turk,
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    error = translate_error(ClientError(answer, "CreateHIT"))
    assert type(error) is kind and message in str(error)
