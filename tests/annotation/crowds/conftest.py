"""A sandbox that speaks MTurk's API, with credentials that boto3 finds in its own way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mturk_sandbox import Sandbox


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as server:
        yield server
