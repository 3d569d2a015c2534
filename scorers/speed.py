"""The speed of a metric, measured so that metrics can be compared.

A metric that is scored after others finds models started and texts tokenised or encoded, for which
the first one waited. So its speed is measured apart, after scoring.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from concord.metrics.items import Item

# The measurement takes about half a second, or MIN_ITEMS items.
MEASURED_SECONDS = 0.5
MIN_ITEMS, MAX_ITEMS = 8, 256


def items_per_second(score: Callable[[Sequence[Item]], object], items: Sequence[Item]) -> float:
    """How many items a second `score` scores when it runs alone.

    Start-up does not count: an item is scored before, which loads a model or starts a helper.
    Shared work counts: all texts get a word that no cache knows, so each is tokenised and encoded
    again. `items` has one item or more; few items are repeated, with another word each time.
    """
    score(_unseen(items, 1))
    rate = _rate(score, items, MIN_ITEMS)
    number = min(MAX_ITEMS, int(rate * MEASURED_SECONDS))
    return rate if number <= MIN_ITEMS else _rate(score, items, number)


def _rate(score: Callable[[Sequence[Item]], object], items: Sequence[Item], number: int) -> float:
    sample = _unseen(items, number)
    started = time.perf_counter()
    score(sample)
    return number / (time.perf_counter() - started)


def _unseen(items: Sequence[Item], number: int) -> list[Item]:
    """The first `number` items, again and again where there are fewer, with a new word in each
    text. Equal texts of one repetition stay equal."""
    sample = []
    for start in range(0, number, len(items)):
        word = secrets.token_hex(4)
        for item in items[: number - start]:
            texts = (f"{reference} {word}" for reference in item.references)
            sample.append(
                replace(item, candidate=f"{item.candidate} {word}", references=tuple(texts))
            )
    return sample
