"""Qualification types, who has them, and what they let one do."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.mturk_sandbox.people import Person, external, question_form, terms, value_of

RATE, APPROVED = "000000000000000000L0", "00000000000000000040"
LOCALE = "00000000000000000071"
MASTERS = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
TEST = {"AnswerKey": "<a/>", "TestDurationInSeconds": 60}


def kind_of(alice: Any, **changes: Any) -> str:
    fields = {"Name": "Raters", "Description": "May rate.", "QualificationTypeStatus": "Active"}
    made = alice.create_qualification_type(**{**fields, **changes})
    return str(made["QualificationType"]["QualificationTypeId"])


def test_a_type_has_a_name_of_its_own(alice: Any) -> None:
    kind_of(alice, QualificationTypeStatus="Inactive")
    listed = alice.list_qualification_types(MustBeRequestable=False, MustBeOwnedByCaller=True)
    (document,) = listed["QualificationTypes"]
    assert document["IsRequestable"] is False and document["AutoGranted"] is False
    with pytest.raises(ClientError, match="with this name") as caught:
        kind_of(alice)
    code = caught.value.response["TurkErrorCode"]
    assert code == "AWS.MechanicalTurk.QualificationTypeAlreadyExists"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({**TEST, "Test": external()}, "not QuestionForm"),
        ({**TEST, "Test": question_form()}, "no Question"),
        ({"AnswerKey": "<a/>"}, "needs an AnswerKey"),
        ({"AutoGrantedValue": 3}, "AutoGranted"),
        ({"Name": " "}, "empty"),
    ],
)
def test_a_type_is_refused(alice: Any, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ClientError, match=message):
        kind_of(alice, **changes)


def test_a_qualification_is_granted_and_changed(alice: Any, bob: Person) -> None:
    kind = kind_of(alice)
    who = {"QualificationTypeId": kind, "WorkerId": bob.id}
    alice.associate_qualification_with_worker(**who)
    assert value_of(bob, kind) == 1
    alice.associate_qualification_with_worker(**who, IntegerValue=88, SendNotification=False)
    assert value_of(bob, kind) == 88
    with pytest.raises(ClientError, match="Worker A9NOBODY does not exist"):
        alice.associate_qualification_with_worker(QualificationTypeId=kind, WorkerId="A9NOBODY")


def hit_asking(alice: Any, *requirements: dict[str, Any]) -> str:
    made = alice.create_hit(**terms(QualificationRequirements=list(requirements)))
    return str(made["HIT"]["HITId"])


def can_accept(person: Person, hit: str) -> bool:
    return person.post(f"/worker/hits/{hit}/accept/")[0] == 200


@pytest.mark.parametrize(
    ("comparator", "values", "accepted"),
    [
        ("EqualTo", [80], True),
        ("EqualTo", [81], False),
        ("NotEqualTo", [80], False),
        ("NotEqualTo", [81], True),
        ("GreaterThan", [79], True),
        ("GreaterThan", [80], False),
        ("GreaterThanOrEqualTo", [80], True),
        ("GreaterThanOrEqualTo", [81], False),
        ("LessThan", [81], True),
        ("LessThan", [80], False),
        ("LessThanOrEqualTo", [80], True),
        ("LessThanOrEqualTo", [79], False),
        ("In", [1, 80], True),
        ("In", [1, 2], False),
        ("NotIn", [1, 2], True),
        ("NotIn", [1, 80], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_comparators(
    alice: Any, bob: Person, comparator: str, values: list[int], accepted: bool
) -> None:
    kind = kind_of(alice)
    requirement: dict[str, Any] = {"QualificationTypeId": kind, "Comparator": comparator}
    if values:
        requirement["IntegerValues"] = values
    hit = hit_asking(alice, requirement)
    # Without the qualification nothing compares, and only DoesNotExist holds.
    if comparator != "DoesNotExist":
        assert not can_accept(bob, hit)
    alice.associate_qualification_with_worker(
        QualificationTypeId=kind, WorkerId=bob.id, IntegerValue=80
    )
    assert can_accept(bob, hit) is accepted


@pytest.mark.parametrize(
    ("comparator", "places", "accepted"),
    [
        ("EqualTo", ["US"], True),
        ("EqualTo", ["US-PA"], True),
        ("EqualTo", ["US-NY"], False),
        ("EqualTo", ["IN"], False),
        ("NotEqualTo", ["US-CA"], True),
        ("NotEqualTo", ["US"], False),
        ("In", ["DE", "US-PA"], True),
        ("In", ["DE", "US-NY"], False),
        ("NotIn", ["DE", "GB"], True),
        ("NotIn", ["DE", "US"], False),
    ],
)
def test_locales(
    alice: Any, bob: Person, comparator: str, places: list[str], accepted: bool
) -> None:
    """The examples of the API reference's page on QualificationRequirement, and more."""
    bob.post("/worker/profile/", country="us", subdivision="pa")
    values = []
    for place in places:
        country, _, subdivision = place.partition("-")
        values.append({"Country": country, **({"Subdivision": subdivision} if subdivision else {})})
    hit = hit_asking(
        alice, {"QualificationTypeId": LOCALE, "Comparator": comparator, "LocaleValues": values}
    )
    assert can_accept(bob, hit) is accepted


def test_approval_rate_and_count_come_from_the_history(alice: Any, bob: Person) -> None:
    rate = {"QualificationTypeId": RATE, "Comparator": "GreaterThanOrEqualTo"}
    count = {"QualificationTypeId": APPROVED, "Comparator": "GreaterThanOrEqualTo"}
    # Under a hundred assignments the rate is 100, whatever was rejected.
    bob.post("/worker/profile/", country="US", approved_before=50, rejected_before=49)
    assert can_accept(bob, hit_asking(alice, {**rate, "IntegerValues": [100]}))
    assert not can_accept(bob, hit_asking(alice, {**count, "IntegerValues": [51]}))
    assignment_id = bob.do(hit_asking(alice))
    alice.approve_assignment(AssignmentId=assignment_id)
    assert can_accept(bob, hit_asking(alice, {**count, "IntegerValues": [51]}))
    # 51 of 100 now.
    assert can_accept(bob, hit_asking(alice, {**rate, "IntegerValues": [51]}))
    assert not can_accept(bob, hit_asking(alice, {**rate, "IntegerValues": [52]}))


def test_masters_are_a_system_requirement(alice: Any, bob: Person) -> None:
    hit = hit_asking(alice, {"QualificationTypeId": MASTERS, "Comparator": "Exists"})
    assert not can_accept(bob, hit)
    bob.post("/worker/profile/", country="US", masters=1)
    assert can_accept(bob, hit)


def test_each_guard_refuses_its_workers(alice: Any, bob: Person) -> None:
    kind = kind_of(alice)
    seen = []
    for guard in ("Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"):
        hit = alice.create_hit(
            **terms(
                Title=guard,
                QualificationRequirements=[
                    {"QualificationTypeId": kind, "Comparator": "Exists", "ActionsGuarded": guard}
                ],
            )
        )["HIT"]
        shown = hit["QualificationRequirements"][0]
        assert shown["ActionsGuarded"] == guard
        assert shown["RequiredToPreview"] is (guard != "Accept")
        listed = f"<h2>{guard}</h2>" in bob.get("/worker/")
        preview = bob.status_of(f"/worker/hits/{hit['HITId']}/") == 200
        seen.append((listed, preview, can_accept(bob, hit["HITId"])))
    assert seen == [(True, True, False), (True, False, False), (False, False, False)]


@pytest.mark.parametrize(
    "requirement",
    [
        {"QualificationTypeId": RATE, "Comparator": "Exists", "IntegerValues": [1]},
        {"QualificationTypeId": RATE, "Comparator": "EqualTo"},
        {"QualificationTypeId": RATE, "Comparator": "EqualTo", "IntegerValues": [1, 2]},
        {"QualificationTypeId": RATE, "Comparator": "In", "IntegerValues": list(range(16))},
        {"QualificationTypeId": RATE, "Comparator": "EqualTo", "LocaleValues": [{"Country": "US"}]},
        {"QualificationTypeId": LOCALE, "Comparator": "EqualTo", "IntegerValues": [1]},
        {
            "QualificationTypeId": LOCALE,
            "Comparator": "LessThan",
            "LocaleValues": [{"Country": "US"}],
        },
        {
            "QualificationTypeId": LOCALE,
            "Comparator": "In",
            "LocaleValues": [{"Country": "US"}] * 31,
        },
        {"QualificationTypeId": "3NONE", "Comparator": "Exists"},
    ],
)
def test_invalid_requirements_are_refused(alice: Any, requirement: dict[str, Any]) -> None:
    with pytest.raises(alice.exceptions.RequestError):
        hit_asking(alice, requirement)


def test_ten_requirements_at_most(alice: Any) -> None:
    one = {"QualificationTypeId": RATE, "Comparator": "Exists"}
    assert hit_asking(alice, *[one] * 10)
    with pytest.raises(ClientError, match="10 QualificationRequirements at most"):
        hit_asking(alice, *[one] * 11)
