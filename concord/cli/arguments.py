"""Argument types that several commands share."""

from __future__ import annotations

from argparse import ArgumentTypeError

from concord.filtering import LedgerError, Step, Worker, ZScore

FILTERS = "zscore:THRESHOLD[:AT_MOST][:one-sided] or worker:THRESHOLD"


def filter_step(text: str) -> Step:
    """The step written as `zscore:1:5`, `zscore:1:5:one-sided` or `worker:2`."""
    name, *given = text.split(":")
    one_sided = name == "zscore" and given[-1:] == ["one-sided"]
    numbers = given[:-1] if one_sided else given
    try:
        if name == "zscore" and 1 <= len(numbers) <= 2:
            at_most = int(numbers[1]) if len(numbers) == 2 else ZScore.at_most
            return ZScore(float(numbers[0]), at_most, one_sided=one_sided)
        if name == "worker" and len(numbers) == 1:
            return Worker(float(numbers[0]))
    except LedgerError as error:
        raise ArgumentTypeError(f"'{text}': {error}") from error
    except ValueError as error:
        raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}") from error
    raise ArgumentTypeError(f"'{text}' is no filter: write {FILTERS}")


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"a whole number of 0 or more is needed, not '{text}'")
    return int(text)


def positive(text: str) -> int:
    if natural(text) < 1:
        raise ArgumentTypeError("a whole number of 1 or more is needed")
    return int(text)
