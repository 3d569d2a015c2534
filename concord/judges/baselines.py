"""Judges that do not look at the item. A judge that does not beat them shows nothing."""

from __future__ import annotations

import numpy as np

from concord.arrays import Floats
from concord.judges.alternative_annotator import compare_with_raters
from concord.judges.labels import HumanLabels

MAX_CONSTANTS = 20


def baseline_judges(people: HumanLabels, rng: np.random.Generator) -> dict[str, Floats]:
    """Labels (items,) of judges without sight of the items, by name.

    "constant LABEL", of the MAX_CONSTANTS labels that people used most the one with the highest
    rho; "random" (uniform over people's labels) and "marginal" (drawn from the distribution of
    people's labels).
    """
    labels, counts = np.unique(people.values[~np.isnan(people.values)], return_counts=True)
    n = len(people.items)
    frequent = labels[np.argsort(-counts, kind="stable")[:MAX_CONSTANTS]]

    def rho(label: float) -> float:
        return compare_with_raters(people, np.full(n, label)).advantage() or 0.0

    best = max(frequent, key=rho)
    name = f"{best:g}" if people.graded else people.categories[int(best)]
    return {
        f"constant {name}": np.full(n, best),
        "random": rng.choice(labels, size=n),
        "marginal": rng.choice(labels, size=n, p=counts / counts.sum()),
    }
