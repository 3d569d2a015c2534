"""Generated systems that answer generated questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorers import Item

_TEXT = """river mill stone bridge winter flood keeper wheel grain barrel market road village tower
    window candle ladder garden orchard cellar kitchen harvest morning letter"""
WORDS = _TEXT.split()


@dataclass(frozen=True, eq=False)
class MadeUp:
    """Candidates with gold scores and systems."""

    items: list[Item]
    gold: NDArray[np.float64]
    systems: list[str]
    passages: list[str]


def made_up(systems: int = 7, passages: int = 12, seed: int = 5) -> MadeUp:
    """Each system keeps a share of the reference's words; gold is that share, of 1 to 5.

    System k keeps about (k + 1) / systems of them in order, and adds its own filler, more or less
    at random: recall tells the systems apart, precision hardly.
    """
    rng = np.random.default_rng(seed)
    filler = rng.integers(0, 12, size=systems)
    items, gold, names, of = [], [], [], []
    for p in range(passages):
        reference = rng.choice(WORDS, size=12).tolist()
        for k in range(systems):
            words = [w for w in reference if rng.random() < (k + 1) / systems]
            added = rng.choice(WORDS, size=filler[k]).tolist()
            text = " ".join([*words, *(f"x{word}" for word in added)])
            items.append(Item(f"{text}.", (" ".join(reference) + ".",), passage=f"p{p}"))
            gold.append(1 + 4 * len(words) / 12)
            names.append(f"system {k}")
            of.append(f"p{p}")
    return MadeUp(items, np.array(gold), names, of)
