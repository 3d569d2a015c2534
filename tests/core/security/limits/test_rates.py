"""Parsing of rates in settings."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.security.limits.rates import Rate, parse


@pytest.mark.parametrize(
    ("text", "count", "seconds", "description"),
    [
        ("10/15m", 10, 900, "10 in 15 minutes"),
        ("300/m", 300, 60, "300 in a minute"),
        ("5/h", 5, 3600, "5 in an hour"),
        ("1000/2d", 1000, 172800, "1,000 in 2 days"),
        ("1/90s", 1, 90, "1 in 90 seconds"),
    ],
)
def test_a_rate_has_a_count_and_a_period(text, count, seconds, description):
    rate = parse(text)
    assert rate == Rate(count, timedelta(seconds=seconds)) and str(rate) == description


def test_a_rate_may_be_unlimited():
    assert parse("unlimited") is None


@pytest.mark.parametrize(
    "text", ["", "10", "10/", "/m", "0/m", "5/0m", "-1/m", "1/w", "1/m ", "x/m"]
)
def test_an_invalid_rate_is_refused(text):
    with pytest.raises(ValueError, match=r"rate|allows no requests"):
        parse(text)
