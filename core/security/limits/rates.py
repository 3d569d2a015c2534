"""Rates: a number of requests in a period. It does not depend on Django."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
UNLIMITED = "unlimited"
_FORM = re.compile(r"(\d{1,9})/(\d{0,5})([smhd])")


@dataclass(frozen=True)
class Rate:
    """At most `count` requests at once, then one more after each `period / count`."""

    count: int
    period: timedelta

    @property
    def interval(self) -> timedelta:
        return self.period / self.count

    def times(self, share: int) -> Rate:
        """The rate of `share` callers together."""
        return Rate(self.count * share, self.period)

    def __str__(self) -> str:
        return f"{self.count:,} in {_words(self.period)}"


def parse(text: str) -> Rate | None:
    """Parse a rate such as "10/15m" or "300/m" (s, m, h or d); "unlimited" is None.

    Raises ValueError.
    """
    if text == UNLIMITED:
        return None
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not a rate. Write 10/15m (s, m, h or d) or {UNLIMITED}")
    count, period = int(match[1]), int(match[2] or 1) * SECONDS[match[3]]
    if not count or not period:
        raise ValueError(f"'{text}' allows no requests. The minimum is 1/{period or 1}s")
    return Rate(count, timedelta(seconds=period))


def _words(period: timedelta) -> str:
    seconds = int(period.total_seconds())
    for name, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds % length == 0:
            number = seconds // length
            return f"a {name}" if number == 1 and name != "hour" else _plural(number, name)
    raise AssertionError("every number of seconds is a number of seconds")


def _plural(number: int, noun: str) -> str:
    return f"an {noun}" if number == 1 else f"{number} {noun}s"
