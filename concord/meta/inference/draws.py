"""Random draws in blocks, and long computations in steps.

Each block of draws has its own generator, spawned from the one passed in (numpy's
SeedSequence.spawn). Long computations are generators that yield `Progress` and return their result;
`run_steps` runs one to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.inference.resampling import BLOCK
from concord.meta.inference.sample import SampleError

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` equal steps."""

    done: int
    total: int


Steps = Generator[Progress, None, Result]


def run_steps(steps: Steps[Result], report: Callable[[Progress], None] | None = None) -> Result:
    """Run a stepwise computation to its end, reporting each step."""
    while True:
        try:
            progress = next(steps)
        except StopIteration as finished:
            return cast(Result, finished.value)
        if report is not None:
            report(progress)


@dataclass(frozen=True)
class Block:
    """`size` draws, the first of them draw number `start`, made by `rng`."""

    start: int
    size: int
    rng: np.random.Generator

    @property
    def rows(self) -> slice:
        """The rows of the block among all draws."""
        return slice(self.start, self.start + self.size)


def blocks(rng: np.random.Generator, draws: int) -> list[Block]:
    """Divide `draws` into blocks. Raises SampleError for fewer than one draw."""
    if draws < 1:
        raise SampleError(f"draws must be 1 or more, not {draws}")
    starts = range(0, draws, BLOCK)
    spawned = zip(starts, rng.spawn(len(starts)), strict=True)
    return [Block(start, min(BLOCK, draws - start), child) for start, child in spawned]


def toss_coins(rng: np.random.Generator, draws: int, units: int) -> Booleans:
    """Fair coins, (draws, units)."""
    packed = rng.integers(0, 256, size=(draws, -(-units // 8)), dtype=np.uint8)
    return np.unpackbits(packed, axis=1, count=units).astype(bool)


def permutation_p(count: int | Integers, draws: int) -> Floats:
    """(c + 1) / (k + 1), the p-value where c of k draws are as extreme as the observed value.

    Never 0, as the observed value is itself one of the permutations (Phipson and Smyth 2010,
    Permutation p-values should never be zero).
    """
    return (np.asarray(count, dtype=np.float64) + 1.0) / (draws + 1.0)


def run_in_turn(
    parts: Iterable[tuple[int, Generator[Progress, None, Any]]], total: int
) -> Generator[Progress, None, list[Any]]:
    """Run (weight, steps) one after the other with a common progress. Returns their results."""
    results: list[Any] = []
    before = 0
    for share, steps in parts:
        while True:
            try:
                progress = next(steps)
            except StopIteration as finished:
                results.append(finished.value)
                break
            yield Progress(before + share * progress.done // max(1, progress.total), total)
        before += share
        yield Progress(before, total)
    return results
