"""Options of several commands, and the argument type of a filter."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from concord.arguments import natural, number, positive, whole
from concord.cli.command import option
from concord.filtering import LedgerError, Step, WorkerFilter, ZScoreFilter
from concord.formats.choices import AS_TIE, LEAVE_OUT

FILTERS = "zscore:THRESHOLD[:AT_MOST][:one-sided] or worker:THRESHOLD"
LEVEL_HELP = "of measurement: ordinal by default; nominal where ratings are words without an order"


def seed_option(help: str = "random seed") -> Any:
    """The seed of random numbers."""
    return option(help, 0, natural)


def draws_option(default: int = 1000, help: str = "number of bootstrap resamples") -> Any:
    """How often a figure is computed again."""
    return option(help, default, positive)


def judges_option() -> Any:
    """The raters of a file that are judges."""
    help = "a rater of the file who is a judge, and not one of the people; can be repeated"
    return option(help, (), flag="--judge", metavar="NAME", repeated=True)


def both_bad_option() -> Any:
    """What an answer "both bad" counts."""
    help = "what an answer that both are bad counts: a tie, or it is left out (default: tie)"
    return option(help, AS_TIE, choices=(AS_TIE, LEAVE_OUT))


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
