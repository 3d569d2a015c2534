"""From judgments to what a judge is trained and measured on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concord.word_overlap import sim_text
from scorers.judges.features import FeatureMetrics
from scorers.judges.rows import Row, rows_of
from scorers.judgments import Judgment
from scorers.services import Services

Vector = NDArray[np.float64]
References = Literal["given", "all", "closest", "first"]
Combine = Literal["max", "mean"]

#: Ways of making more examples of those there are.
AUGMENTATIONS = ("identity", "flip")


@dataclass(frozen=True)
class Examples:
    """Rows to learn from or be measured on.

    `gold[k]` is the share of the scale that row k's item has; `owners[k]` numbers the item, from
    0: rows of one item differ in their reference. `features` has a column for each feature.
    """

    rows: tuple[Row, ...]
    gold: Vector
    owners: NDArray[np.int64]
    features: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def fingerprint(self) -> str:
        """Pins the rows, their gold scores and their features."""
        digest = hashlib.blake2b(digest_size=16)
        for row, gold, owner in zip(
            self.rows, self.gold.tolist(), self.owners.tolist(), strict=True
        ):
            digest.update(repr((row.texts, gold, owner)).encode("utf-8", "replace"))
        # Features are rounded: their last digits may differ between machines.
        digest.update(np.round(self.features, 4).tobytes())
        return digest.hexdigest()


def of_judgments(judgments: Sequence[Judgment], references: References = "given") -> Examples:
    """A row for each judgment and reference, or for the reference that is closest or first.

    "given" takes the references as a metric scores them, "all" each distinct one once. The closest
    one has the most words in common with the candidate (`sim_text`), the first of several. No
    features yet; see `with_features`.
    """
    rows: list[Row] = []
    gold: list[float] = []
    owners: list[int] = []
    for owner, judgment in enumerate(judgments):
        made = rows_of(judgment.item, _chosen(judgment, references))
        rows += made
        gold += [judgment.gold] * len(made)
        owners += [owner] * len(made)
    return of_rows(rows, np.array(gold, dtype=np.float64), np.array(owners, dtype=np.int64))


def of_rows(rows: Sequence[Row], gold: Vector, owners: NDArray[np.int64] | None = None) -> Examples:
    """Rows with gold scores, without features; each its own item unless `owners` says else."""
    if owners is None:
        owners = np.arange(len(rows), dtype=np.int64)
    return Examples(tuple(rows), gold, owners, np.zeros((len(rows), 0)))


def with_features(
    examples: Examples,
    metrics: FeatureMetrics,
    services: Services,
    cache: Path | None = None,
) -> Examples:
    """The same examples with their features. Raises ModelError as the metrics do.

    In the folder `cache` each metric's scores of some rows are kept for the next training on them.
    """
    if cache is None:
        return replace(examples, features=metrics.compute(services, examples.rows))
    cache.mkdir(parents=True, exist_ok=True)
    pinned = hashlib.blake2b(digest_size=16)
    for row in examples.rows:
        pinned.update(repr(row.texts).encode("utf-8", "replace"))
    columns = [np.zeros((len(examples), 0))]
    for name in metrics.names:
        one = FeatureMetrics((name,))
        path = cache / f"{name}-{one.signature()}-{pinned.hexdigest()}.npy"
        if not path.exists():
            partial = path.with_suffix(".partial.npy")
            np.save(partial, one.compute(services, examples.rows))
            partial.replace(path)
        columns.append(np.load(path, allow_pickle=False))
    return replace(examples, features=np.concatenate(columns, axis=1))


def augmented(examples: Examples, ways: Sequence[str]) -> Examples:
    """Examples and, after them, those made of them; exact duplicates are made once.

    "identity" adds each reference as its own candidate, with the best score; "flip" adds each row
    with reference and candidate exchanged and the same score. Raises ValueError for another way.
    """
    if strange := [way for way in ways if way not in AUGMENTATIONS]:
        raise ValueError(f"augmentations are {', '.join(AUGMENTATIONS)}, not {', '.join(strange)}")
    made: dict[Row, float] = {}
    if "identity" in ways:
        made.update((row._replace(candidate=row.reference), 1.0) for row in examples.rows)
    if "flip" in ways:
        for row, gold in zip(examples.rows, examples.gold.tolist(), strict=True):
            made.setdefault(row._replace(reference=row.candidate, candidate=row.reference), gold)
    for row in examples.rows:
        made.pop(row, None)
    return of_rows(
        [*examples.rows, *made],
        np.concatenate((examples.gold, np.array(list(made.values()), dtype=np.float64))),
        np.concatenate(
            (
                examples.owners,
                np.arange(len(made), dtype=np.int64) + examples.owners.max(initial=-1) + 1,
            )
        ),
    )


def softened(examples: Examples, share: float) -> Examples:
    """Graded targets: gold scores drawn towards the mean of the features, by a share of 0 to 1.

    People's verdicts of right and wrong say nothing of how right; an untrained similarity does.
    Features are held to 0 to 1 for it. Raises ValueError without features, or for no share.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"the share of graded targets is from 0 to 1, not {share}")
    if not share:
        return examples
    if not examples.features.shape[1]:
        raise ValueError("graded targets need features")
    similar = np.clip(examples.features, 0.0, 1.0).mean(axis=1)
    return replace(examples, gold=(1 - share) * examples.gold + share * similar)


def combined(scores: Vector, owners: NDArray[np.int64], way: Combine) -> Vector:
    """One score for each item, of those of its rows; an item's rows stand together."""
    if len(scores) == 0:
        return scores
    starts = np.flatnonzero(np.diff(owners, prepend=owners[0] - 1))
    if way == "max":
        best: Vector = np.maximum.reduceat(scores, starts)
        return best
    counts = np.diff(np.append(starts, len(scores)))
    mean: Vector = np.add.reduceat(scores, starts) / counts
    return mean


def _chosen(judgment: Judgment, references: References) -> tuple[str, ...]:
    if references == "given":
        return judgment.references
    distinct = tuple(dict.fromkeys(judgment.references))
    if references == "all":
        return distinct
    if references == "first":
        return distinct[:1]
    return (max(distinct, key=lambda reference: sim_text(reference, judgment.candidate)),)
