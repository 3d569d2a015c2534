"""What the tests of the papers share: one session a process, and no checkpoints but the box's."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.papers.computing import Computer


@pytest.fixture(scope="session")
def computer() -> Iterator[Computer]:
    """What computes the values: METEOR's Java and the encoders start once for all tests."""
    opened = Computer()
    yield opened
    opened.session.close()


@pytest.fixture(scope="session")
def kpqa_data() -> None:
    """Skips where CONCORD_DATA has no KPQA files."""
    folder = os.environ.get("CONCORD_DATA", "")
    if not (Path(folder) / "kpqa").is_dir() or not folder:
        pytest.skip("CONCORD_DATA names no folder with KPQA's files")


@pytest.fixture(autouse=True)
def no_other_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints in a database are not looked up."""
    monkeypatch.setattr("scorers.learned.checkpoint._FINDERS", [])
