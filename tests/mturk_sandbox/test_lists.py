"""All nine of boto3's paginators, and tokens of pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import Person, terms

COUNT = 12


def names(alice: Any, operation: str, result: str, name: str, **parameters: Any) -> list[str]:
    """A member of all results, fetched five at a time."""
    pages = list(
        alice.get_paginator(operation).paginate(PaginationConfig={"PageSize": 5}, **parameters)
    )
    assert [page["NumResults"] for page in pages] == [5, 5, 2]
    assert "NextToken" not in pages[-1]
    return [one[name] for page in pages for one in page[result]]


@pytest.fixture
def crowd(worker: Callable[[str], Person]) -> list[Person]:
    return [worker(f"A{number:02d}W") for number in range(COUNT)]


def test_there_are_nine_paginators(alice: Any) -> None:
    can = [name for name in dir(alice) if name.startswith("list_") and alice.can_paginate(name)]
    assert len(can) == 9


def test_hits_are_listed_newest_first(alice: Any, sandbox: Sandbox) -> None:
    made = [alice.create_hit(**terms())["HIT"]["HITId"] for _ in range(COUNT)]
    listed = names(alice, "list_hits", "HITs", "HITId")
    assert listed == made[::-1]


def test_a_hit_added_meanwhile_shifts_nothing(alice: Any) -> None:
    made = [alice.create_hit(**terms())["HIT"]["HITId"] for _ in range(4)]
    first = alice.list_hits(MaxResults=2)
    alice.create_hit(**terms())
    rest = alice.list_hits(MaxResults=2, NextToken=first["NextToken"])
    assert [hit["HITId"] for hit in first["HITs"] + rest["HITs"]] == made[::-1]


@pytest.mark.parametrize("token", ["nonsense", "bm9uc2Vuc2U=", "bGlzdDox"])
def test_a_token_of_another_list_is_refused(alice: Any, token: str) -> None:
    with pytest.raises(ClientError, match="NextToken"):
        alice.list_hits(NextToken=token)


def test_assignments_and_bonuses_of_a_hit_are_listed(alice: Any, crowd: list[Person]) -> None:
    hit = alice.create_hit(**terms(MaxAssignments=COUNT))["HIT"]["HITId"]
    done = [person.do(hit) for person in crowd]
    listed = names(alice, "list_assignments_for_hit", "Assignments", "AssignmentId", HITId=hit)
    assert listed == done
    alice.approve_assignment(AssignmentId=done[0])
    approved = alice.list_assignments_for_hit(HITId=hit, AssignmentStatuses=["Approved"])
    assert [one["AssignmentId"] for one in approved["Assignments"]] == done[:1]
    for person, assignment in zip(crowd, done, strict=True):
        alice.send_bonus(
            WorkerId=person.id, AssignmentId=assignment, BonusAmount="0.01", Reason="r"
        )
    assert names(alice, "list_bonus_payments", "BonusPayments", "WorkerId", HITId=hit) == [
        person.id for person in crowd
    ]


def test_qualification_types_are_listed(alice: Any) -> None:
    kinds = [
        alice.create_qualification_type(
            Name=f"Type {number}", Description="d", QualificationTypeStatus="Active"
        )["QualificationType"]["QualificationTypeId"]
        for number in range(COUNT)
    ]
    listed = names(
        alice,
        "list_qualification_types",
        "QualificationTypes",
        "QualificationTypeId",
        MustBeRequestable=True,
        MustBeOwnedByCaller=True,
        Query="type",
    )
    assert listed == kinds
