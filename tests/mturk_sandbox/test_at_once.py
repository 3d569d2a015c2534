"""Many at the same moment: one place, one token, one bonus."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import Person, balances, terms


def outcomes(call: Callable[[int], Any], count: int = 8) -> list[Any]:
    """What each of so many parallel calls returned, or its error."""

    def tried(number: int) -> Any:
        try:
            return call(number)
        except ClientError as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(tried, range(count)))


def test_parallel_requests_with_a_token_create_one_hit(sandbox: Sandbox, alice: Any) -> None:
    results = outcomes(
        lambda _: alice.create_hit(**terms(UniqueRequestToken="once"))["HIT"]["HITId"]
    )
    made = [one for one in results if isinstance(one, str)]
    assert len(made) == 1
    assert all(made[0] in str(one) for one in results)
    assert balances(sandbox.url) == (1_000_000 - 12, 12)


def test_one_of_several_workers_gets_the_last_place(
    alice: Any, worker: Callable[[str], Person]
) -> None:
    hit = alice.create_hit(**terms(MaxAssignments=2))["HIT"]["HITId"]
    people = [worker(f"A{number}X") for number in range(8)]
    results = outcomes(lambda number: people[number].post(f"/worker/hits/{hit}/accept/")[0])
    assert sorted(results) == [200] * 2 + [409] * 6


def test_parallel_requests_with_a_token_pay_one_bonus(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    assignment_id = bob.do(alice.create_hit(**terms())["HIT"]["HITId"])
    bonus = {"WorkerId": bob.id, "AssignmentId": assignment_id, "BonusAmount": "1", "Reason": "r"}
    outcomes(lambda _: alice.send_bonus(**bonus, UniqueRequestToken="once"))
    assert balances(sandbox.url) == (1_000_000 - 12 - 120, 12)
