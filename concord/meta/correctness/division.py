"""Division of answers into a tuning part and a reported part without common passages."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Booleans, Integers
from concord.meta.correctness.retrieval import in_mixed_items

# AVA's own SD data set: a fifth to tune, four fifths to report.
TUNING_SHARE = 0.2
# The default tuning split is the first of these.
TUNING_SPLITS = ("dev", "development", "val", "valid", "validation", "tune", "train")


@dataclass(frozen=True, eq=False)
class Division:
    """tuning, reported: masks of shape (n,), without common answers or passages.

    left_out: number of answers in neither part, because their passage is in both splits.
    one_sided: number of answers in neither part, because their question is not mixed
    (`tuned_on_mixed`).
    """

    tuning: Booleans
    reported: Booleans
    left_out: int = 0
    one_sided: int = 0

    def tuned_on_mixed(self, items: Integers, correct: Booleans) -> Division:
        """The division without the tuning answers to questions that have no correct or no wrong
        answer in the tuning part (AVA, section 6.4). items, correct: (n,), as in `in_mixed_items`.

        What is reported stays as it is; the tuning part may become empty.
        """
        tuning = self.tuning.copy()
        tuning[self.tuning] = in_mixed_items(items[self.tuning], correct[self.tuning])
        n_left_out = int(np.count_nonzero(self.tuning) - np.count_nonzero(tuning))
        return replace(self, tuning=tuning, one_sided=n_left_out)


def default_tuning_split(names: list[str]) -> str | None:
    """The default tuning split; None where there are fewer than two splits, or none has a name of
    TUNING_SPLITS."""
    by_folded_name = {name.casefold(): name for name in reversed(names)}
    candidates = [by_folded_name[name] for name in TUNING_SPLITS if name in by_folded_name]
    return candidates[0] if candidates and len(names) > 1 else None


def divide_by_split(
    splits: NDArray[np.str_], clusters: Integers, tuning: str, reported: str | None = None
) -> Division:
    """Tune on the answers of one split; report those of another one, or of all others.

    splits, clusters: (n,). Answers of the tuning split whose passage is also reported are left out.
    Raises ValueError where either part is empty or the two are the same.
    """
    if tuning == reported:
        raise ValueError(f"the split {tuning!r} cannot both tune and be reported")
    tune = splits == tuning
    report = ~tune if reported is None else splits == reported
    if not tune.any() or not report.any():
        raise ValueError(f"the split {tuning if not tune.any() else reported!r} has no answers")
    shared = tune & np.isin(clusters, clusters[report])
    tune = tune & ~shared
    if not tune.any():
        raise ValueError(f"every passage of the split {tuning!r} is also reported")
    return Division(tune, report, int(np.count_nonzero(shared)))


def divide_by_passage(
    clusters: Integers, rng: np.random.Generator, share: float = TUNING_SHARE
) -> Division:
    """A share of the passages, drawn at random, tunes; the others are reported.

    clusters: (n,), of any labels. At least one passage lies on each side; ValueError for fewer than
    two.
    """
    names, codes = np.unique(clusters, return_inverse=True)
    if len(names) < 2:
        raise ValueError("one passage cannot be divided")
    count = min(max(1, round(share * len(names))), len(names) - 1)
    is_chosen = np.zeros(len(names), dtype=bool)
    is_chosen[rng.permutation(len(names))[:count]] = True
    tune = is_chosen[codes.reshape(-1)]
    return Division(tune, ~tune)
