"""The judgment data of others in tests: found in one place, and counted where it is absent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bench import judgment_data

ABSENT = "real data is absent"


def path(name: str = "") -> Path:
    """The path of one file or folder of the real data.

    Skips the test where it is absent; with CONCORD_REQUIRE_DATA=1 the test fails.
    """
    try:
        return judgment_data.path(name)
    except FileNotFoundError as error:
        if os.environ.get("CONCORD_REQUIRE_DATA", "0") != "0":
            pytest.fail(f"{ABSENT}, and CONCORD_REQUIRE_DATA asks for it: {error}", pytrace=False)
        pytest.skip(f"{ABSENT}: {error}")


def count_skipped(reports: list[Any]) -> int:
    """How many of these reports of skipped tests say that real data is absent."""
    return sum(ABSENT in str(report.longrepr) for report in reports)
