"""Fixtures of the rate limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def rates(settings) -> Callable[..., None]:
    """Change some rates: `rates(write="3/m")`."""

    def change(**rates_by_name: str) -> None:
        more = {name.replace("_", "-"): text for name, text in rates_by_name.items()}
        settings.RATE_LIMITS = settings.RATE_LIMITS | more

    return change
