"""A sandbox in memory whose clock stands still, Alice who asks for work, Bob who does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import START, Person, client


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(start=START) as running:
        yield running


@pytest.fixture
def alice(sandbox: Sandbox) -> Any:
    return client(sandbox.url)


@pytest.fixture
def worker(sandbox: Sandbox) -> Callable[[str], Person]:
    return lambda name: Person(sandbox.url, name)


@pytest.fixture
def bob(worker: Callable[[str], Person]) -> Person:
    return worker("A1BOB")
