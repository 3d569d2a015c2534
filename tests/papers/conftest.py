"""Fixtures of the papers' tests: one session per process, and shipped checkpoints only."""

from collections.abc import Iterator

import pytest

from tests import real_data
from tests.papers.computing import Computer


@pytest.fixture(scope="session")
def computer() -> Iterator[Computer]:
    """The computer of the values; METEOR's Java and the encoders start once for all tests."""
    opened = Computer()
    yield opened
    opened.session.close()


@pytest.fixture(scope="session")
def kpqa_data() -> None:
    """Skips where KPQA's files are absent."""
    real_data.path("kpqa")


@pytest.fixture(autouse=True)
def no_other_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints in a database are not looked up."""
    monkeypatch.setattr("scorers.learned.checkpoint._FINDERS", [])
