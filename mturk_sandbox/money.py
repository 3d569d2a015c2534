"""Rewards and fees in whole cents.

Amazon Mechanical Turk's pricing page: a fee of 20% on rewards and bonuses; 20% of the reward more
for HITs of ten assignments or more; 5% more for HITs that ask for Masters; one cent an assignment
or bonus at least. How fractions of a cent are rounded it did not say: here up, per payment.

This arithmetic is the sandbox's own on purpose: the engine of a client are checked against it.
"""

from __future__ import annotations

import re
from decimal import Decimal

MANY_ASSIGNMENTS = 10
FEE_PERCENT, MANY_ASSIGNMENTS_PERCENT, MASTERS_PERCENT = 20, 20, 5
MIN_FEE_CENTS = 1
AMOUNT = re.compile(r"[0-9]+(\.[0-9]{0,2})?")


def cents(amount: str) -> int:
    """`"0.05"` as 5. Raises ValueError for anything but a plain amount of whole cents."""
    if not AMOUNT.fullmatch(amount):
        raise ValueError(f"{amount!r} is not an amount in dollars with two decimals at most")
    return int(Decimal(amount) * 100)


def dollars(amount: int) -> str:
    """5 as `"0.05"`, as the API writes amounts."""
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"


def _percentage(amount: int, percent: int) -> int:
    return -(-amount * percent // 100)


def assignment_fee(reward: int, max_assignments: int, *, masters: bool) -> int:
    """The fee for one approved assignment; nothing for a reward of nothing."""
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
