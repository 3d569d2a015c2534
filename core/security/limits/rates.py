"""How often: so many times in a period. Pure: no Django."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
UNLIMITED = "unlimited"
_FORM = re.compile(r"(\d{1,9})/(\d{0,5})([smhd])")


@dataclass(frozen=True)
class Rate:
    """At most `count` times at once, and afterwards one more each time `period / count` is over."""

    count: int
    period: timedelta

    @property
    def interval(self) -> timedelta:
        return self.period / self.count

    def __str__(self) -> str:
        return f"{self.count:,} in {_words(self.period)}"


def parse(text: str) -> Rate | None:
    """A rate as settings write it: "10/15m", "300/m", with s, m, h or d; "unlimited" is None.

    Raises ValueError for anything else, and for none at all.
    """
    if text == UNLIMITED:
        return None
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no rate; write 10/15m (with s, m, h or d) or {UNLIMITED}")
    count, period = int(found[1]), int(found[2] or 1) * SECONDS[found[3]]
    if not count or not period:
        raise ValueError(f"'{text}' lets nothing through; the least is 1/{period or 1}s")
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
