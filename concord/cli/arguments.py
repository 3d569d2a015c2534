"""Argument types of several commands."""

from __future__ import annotations

import math
import sys
from argparse import ArgumentTypeError

from concord.filtering import LedgerError, Step, WorkerFilter, ZScoreFilter

FILTERS = "zscore:THRESHOLD[:AT_MOST][:one-sided] or worker:THRESHOLD"


def filter_step(text: str) -> Step:
    """Parse a filter such as `zscore:1:5`, `zscore:1:5:one-sided` or `worker:2`."""
    name, *parts = text.split(":")
    one_sided = name == "zscore" and parts[-1:] == ["one-sided"]
    numbers = parts[:-1] if one_sided else parts
    try:
        if name == "zscore" and 1 <= len(numbers) <= 2:
            at_most = int(numbers[1]) if len(numbers) == 2 else ZScoreFilter.at_most
            return ZScoreFilter(float(numbers[0]), at_most, one_sided=one_sided)
        if name == "worker" and len(numbers) == 1:
            return WorkerFilter(float(numbers[0]))
    except LedgerError as error:
        raise ArgumentTypeError(f"'{text}': {error}") from error
    except ValueError as error:
        raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}") from error
    raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}")


def natural(text: str) -> int:
    """Parse a whole number of 0 or more, for argparse."""
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"must be a whole number of 0 or more, not '{text}'")
    return int(text)


def positive(text: str) -> int:
    """Parse a whole number of 1 or more, for argparse."""
    if natural(text) < 1:
        raise ArgumentTypeError(f"must be a whole number of 1 or more, not '{text}'")
    return int(text)


def share(text: str) -> float:
    """Parse a number from 0 to 1, for argparse."""
    return _number(text, 1.0, "from 0 to 1")


def amount(text: str) -> float:
    """Parse a finite number of 0 or more, for argparse."""
    return _number(text, sys.float_info.max, "of 0 or more")


def _number(text: str, high: float, bounds: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= high:
        raise ArgumentTypeError(f"must be a number {bounds}, not '{text}'")
    return value
