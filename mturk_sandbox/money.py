"""Rewards and fees in whole cents.

Amazon Mechanical Turk's pricing page: a fee of 20% on rewards and bonuses; 20% of the reward more
for HITs of ten assignments or more; 5% more for HITs that require Masters; at least one cent for
each assignment or bonus. It does not state the rounding of fractions of a cent; here each payment
is rounded up.

This arithmetic deliberately shares no code with Concord, because tests compare both.
"""

from __future__ import annotations

import re
from decimal import Decimal

MANY_ASSIGNMENTS = 10
FEE_PERCENT, MANY_ASSIGNMENTS_PERCENT, MASTERS_PERCENT = 20, 20, 5
MIN_FEE_CENTS = 1
AMOUNT = re.compile(r"[0-9]+(\.[0-9]{0,2})?")


def cents(amount: str) -> int:
    """Convert `"0.05"` to 5. Raises ValueError for any other format or fractions of a cent."""
    if not AMOUNT.fullmatch(amount):
        raise ValueError(f"{amount!r} is not an amount in dollars with two decimals at most")
    return int(Decimal(amount) * 100)


def dollars(amount: int) -> str:
    """Convert 5 to `"0.05"`, the API's format of amounts."""
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"


def _percentage(amount: int, percent: int) -> int:
    return -(-amount * percent // 100)


def assignment_fee(reward: int, max_assignments: int, *, masters: bool) -> int:
    """The fee for one approved assignment; 0 for a reward of 0."""
    if reward == 0:
        return 0
    percent = FEE_PERCENT
    if max_assignments >= MANY_ASSIGNMENTS:
        percent += MANY_ASSIGNMENTS_PERCENT
    if masters:
        percent += MASTERS_PERCENT
    return max(MIN_FEE_CENTS, _percentage(reward, percent))


def bonus_fee(amount: int) -> int:
    """The fee for one bonus."""
    return max(MIN_FEE_CENTS, _percentage(amount, FEE_PERCENT))
