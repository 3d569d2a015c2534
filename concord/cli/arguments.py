"""Argument types and options of several commands."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

from concord.arguments import amount, natural, number, positive, share, whole
from concord.filtering import LedgerError, Step, WorkerFilter, ZScoreFilter
from concord.reliability import LEVELS

__all__ = [
    "FILTERS",
    "add_level",
    "amount",
    "filter_step",
    "natural",
    "number",
    "positive",
    "share",
    "whole",
]

FILTERS = "zscore:THRESHOLD[:AT_MOST][:one-sided] or worker:THRESHOLD"


def add_level(parser: ArgumentParser) -> None:
    """Add the option `--level`, the level of measurement of an agreement."""
    parser.add_argument(
        "--level",
        choices=LEVELS,
        help="of measurement: ordinal by default; nominal where ratings are words without an order",
    )


def filter_step(text: str) -> Step:
    """Parse a filter such as `zscore:1:5`, `zscore:1:5:one-sided` or `worker:2`."""
    name, *parts = text.split(":")
    one_sided = name == "zscore" and parts[-1:] == ["one-sided"]
    numbers = parts[:-1] if one_sided else parts
    try:
        if name == "zscore" and 1 <= len(numbers) <= 2:
            at_most = whole(numbers[1]) if len(numbers) == 2 else ZScoreFilter.at_most
            return ZScoreFilter(number(numbers[0]), at_most, one_sided=one_sided)
        if name == "worker" and len(numbers) == 1:
            return WorkerFilter(number(numbers[0]))
    except LedgerError as error:
        raise ArgumentTypeError(f"'{text}': {error}") from error
    except ArgumentTypeError as error:
        message = f"'{text}' is no filter: a part {error}. Write {FILTERS}"
        raise ArgumentTypeError(message) from error
    raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}")
