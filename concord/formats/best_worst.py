"""Best-worst choices of sets as the pairs that they imply, and back.

The best of a set of k candidates is preferred to all others, and all others to the worst: 2k - 3
pairs. Nothing is known about two of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from concord.formats.records import Choice

# How many candidates a set has.
MIN_SET_SIZE, MAX_SET_SIZE = 3, 5
NOT_IMPLIED = (
    "the choices on the pairs of a set must be those of a best and a worst of "
    f"{MIN_SET_SIZE} to {MAX_SET_SIZE} candidates: the best is preferred to all others, and all "
    "others to the worst"
)


def implied_choices(size: int, best: int, worst: int) -> list[tuple[int, int, Choice]]:
    """Pairs (i, j, choice), i < j, of candidates with the numbers 1 to `size`, in ascending order.

    choice: 1 where i is preferred, 2 where j is.
    """
    result: list[tuple[int, int, Choice]] = []
    for first, second in combinations(range(1, size + 1), 2):
        if best == first or worst == second:
            result.append((first, second, 1))
        elif best == second or worst == first:
            result.append((first, second, 2))
    return result


def order_of(preferences: Iterable[tuple[str, str]]) -> tuple[str, ...] | None:
    """A set's candidates, the best first, the worst last, the others between them in sorted order.

    preferences: one worker's, each the preferred candidate and the other. None where they are not
    those that a best and a worst imply.
    """
    rows = sorted(preferences)
    names = sorted({name for row in rows for name in row})
    if not MIN_SET_SIZE <= len(names) <= MAX_SET_SIZE:
        return None
    wins, losses = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
    best, worst = max(names, key=wins.__getitem__), max(names, key=losses.__getitem__)
    if best == worst:
        return None
    others = [name for name in names if name not in (best, worst)]
    implied = [(best, name) for name in (*others, worst)] + [(name, worst) for name in others]
    return (best, *others, worst) if rows == sorted(implied) else None
