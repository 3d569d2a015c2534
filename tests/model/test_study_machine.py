"""Random histories of a study, against a model in plain Python: one service after the other, and
two at once, which must come to the same as one after the other in some order."""

from __future__ import annotations

import copy
import itertools
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import hypothesis.strategies as st
import pytest
from django.db import connection, transaction
from django.utils.timezone import now
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.annotation.factories import in_parallel
from tests.annotation.rating.invariants import assert_invariants
from tests.model.machines import LONG, of_size
from tests.model.study_model import StudyModel
from tests.model.study_site import WORKERS, Call, StudySite, state_of

Operation = tuple[Any, ...]

WHO = st.integers(0, WORKERS - 1)
LATEST = st.sampled_from([0, 0, 0, 1, 2])
PLACE = st.integers(0, 1)
VALUE = st.sampled_from([1, 3, 5, None])
AGO = st.sampled_from([0, 0, 5, 90])


def operation(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Operation]:
    return st.tuples(st.just(name), *arguments)


# What is one transaction; the worker's own operations twice, or little would be rated.
WORK = (
    operation("hand_out", WHO),
    operation("save", WHO, LATEST, PLACE, VALUE, AGO),
    operation("submit", WHO, LATEST),
    operation("return_hit", WHO, LATEST),
)
OVERSIGHT = (
    operation("release_expired"),
    operation("exclude", WHO),
    operation("readmit", WHO),
    operation("switch", st.integers(0, 3), st.booleans()),
    operation("drop", WHO, st.integers(0, 5)),
    operation("withdraw", WHO),
    operation("erase", WHO, st.booleans()),
    operation("top_up"),
    operation("open_or_close", st.booleans()),
)
ONE = st.one_of(*WORK, *OVERSIGHT)
FREEZE = operation("freeze")
FINISH = operation("finish", WHO, LATEST, VALUE)


class StudyMachine(RuleBasedStateMachine):
    """One service after the other. What an example did is undone by a savepoint."""

    def __init__(self, site: StudySite) -> None:
        super().__init__()
        self.site, self.model, self.at = site, site.model(), now()
        self.block = transaction.atomic()
        self.block.__enter__()

    @rule(one=st.one_of(*WORK, *WORK, FINISH, FINISH, FREEZE, *OVERSIGHT))
    def do(self, one: Operation) -> None:
        self.at += timedelta(seconds=1)
        tell(self.model, perform(self.site, self.model, self.at, one))

    @rule(minutes=st.sampled_from([1, 20, 59, 61]))
    def wait(self, minutes: int) -> None:
        self.at += timedelta(minutes=minutes)

    @invariant()
    def database_agrees_with_the_model(self) -> None:
        assert self.site.state() == state_of(self.model)
        assert_invariants(self.site.study)

    def teardown(self) -> None:
        identities = self.model.erased and self.site.identities_found()
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)
        assert not identities


class RaceMachine(RuleBasedStateMachine):
    """Two services at once, in transactions of their own. Each example has its own study."""

    numbers: Iterator[int] = itertools.count()

    def __init__(self) -> None:
        super().__init__()
        self.site = StudySite(f"study-{next(self.numbers)}")
        self.model, self.at = self.site.model(), now()

    @rule(one=st.one_of(*WORK, FINISH, FINISH))
    def do(self, one: Operation) -> None:
        self.at += timedelta(seconds=1)
        tell(self.model, perform(self.site, self.model, self.at, one))

    @rule(minutes=st.sampled_from([1, 61]))
    def wait(self, minutes: int) -> None:
        self.at += timedelta(minutes=minutes)

    @rule(
        one=ONE,
        other=ONE,
        pauses=st.lists(st.sampled_from([0, 0, 2, 8]), min_size=8, max_size=8),
    )
    def do_at_once(self, one: Operation, other: Operation, pauses: list[int]) -> None:
        self.at += timedelta(seconds=1)
        gate = threading.Barrier(2)

        def act(number: int) -> list[Call]:
            own_pauses = itertools.cycle(pauses[number::2])

            def paused(execute: Any, *statement: Any) -> Any:
                time.sleep(next(own_pauses) / 1000)
                return execute(*statement)

            gate.wait()
            with connection.execute_wrapper(paused):
                return perform(self.site, self.model, self.at, (one, other)[number])

        first, second = in_parallel(act, (0, 1), 2)
        state = self.site.state()
        assert_invariants(self.site.study)
        for calls in (first + second, second + first):
            expected = copy.deepcopy(self.model)
            try:
                tell(expected, calls)
            except AssertionError:
                continue
            if state_of(expected) == state:
                self.model = expected
                return
        raise AssertionError(f"in no order do {first} and {second} come to {state}")


def perform(site: StudySite, model: StudyModel, at: datetime, one: Operation) -> list[Call]:
    name, *arguments = one
    calls: list[Call] = getattr(site, name)(model, at, *arguments)
    return calls


def tell(model: StudyModel, calls: list[Call]) -> None:
    for name, arguments in calls:
        getattr(model, name)(*arguments)


@pytest.mark.django_db
def test_a_study_does_what_the_model_says() -> None:
    site = StudySite()
    run_state_machine_as_test(lambda: StudyMachine(site), settings=of_size(8, 25))


@pytest.mark.django_db(transaction=True)
def test_two_services_at_once_do_what_one_after_the_other_does() -> None:
    run_state_machine_as_test(RaceMachine, settings=of_size(6, 12))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.django_db
def test_a_study_does_what_the_model_says_for_long() -> None:
    site = StudySite()
    run_state_machine_as_test(lambda: StudyMachine(site), settings=of_size(300, 50, **LONG))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.django_db(transaction=True)
def test_two_services_at_once_do_what_one_after_the_other_does_for_long() -> None:
    run_state_machine_as_test(RaceMachine, settings=of_size(200, 30, **LONG))
