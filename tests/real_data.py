"""Paths of the real judgment data, and the count of tests that are skipped without it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bench import judgment_data

ABSENT = "real data is absent"


def path(name: str = "") -> Path:
    """The path of a file or folder of the real data.

    Skips the test if it is absent; with CONCORD_REQUIRE_DATA=1, the test fails.
    """
    try:
        return judgment_data.path(name)
    except FileNotFoundError as error:
        if os.environ.get("CONCORD_REQUIRE_DATA", "0") != "0":
            pytest.fail(f"{ABSENT}, and CONCORD_REQUIRE_DATA asks for it: {error}", pytrace=False)
        pytest.skip(f"{ABSENT}: {error}")


def count_skipped(reports: list[Any]) -> int:
    """The number of skipped tests whose report says that real data are absent."""
    return sum(ABSENT in str(report.longrepr) for report in reports)
