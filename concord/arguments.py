"""Argument types of numbers on command lines."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError

from concord.formats.numbers import read_number, read_whole_number


def number(text: str) -> float:
    """Parse a number, for argparse."""
    value = read_number(text)
    if isinstance(value, str):
        raise ArgumentTypeError(value)
    return value


def whole(text: str) -> int:
    """Parse a whole number, for argparse."""
    value = read_whole_number(text)
    if isinstance(value, str):
        raise ArgumentTypeError(value)
    return value


def natural(text: str) -> int:
    """Parse a whole number of 0 or more, for argparse."""
    return _at_least(text, 0)


def positive(text: str) -> int:
    """Parse a whole number of 1 or more, for argparse."""
    return _at_least(text, 1)


def share(text: str) -> float:
    """Parse a number from 0 to 1, for argparse."""
    return _from_zero(text, 1.0, "from 0 to 1")


def amount(text: str) -> float:
    """Parse a finite number of 0 or more, for argparse."""
    return _from_zero(text, sys.float_info.max, "of 0 or more")


def _at_least(text: str, low: int) -> int:
    value = whole(text)
    if value < low:
        raise ArgumentTypeError(f"must be a whole number of {low} or more, not '{text}'")
    return value


def _from_zero(text: str, high: float, bounds: str) -> float:
    value = number(text)
    if not 0 <= value <= high:
        raise ArgumentTypeError(f"must be a number {bounds}, not '{text}'")
    return value
