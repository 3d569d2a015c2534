"""Training and evaluation examples of a learned metric, made from judgments."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concord.word_overlap import sim_text
from scorers.batch import Services
from scorers.datasets.judgments import Judgment
from scorers.learned.features import FeatureMetrics
from scorers.learned.rows import Row, Vector, make_rows

References = Literal["given", "all", "closest", "first"]

#: Methods of data augmentation.
AUGMENTATIONS = ("identity", "flip")


@dataclass(frozen=True)
class Examples:
    """Rows for training or evaluation.

    `gold[k]` is the gold score of row k's item as a share of the scale. `owners[k]` is the index of
    that item; the rows of one item differ in their reference. `features` has a column for each
    feature.
    """

    rows: tuple[Row, ...]
    gold: Vector
    owners: NDArray[np.int64]
    features: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def fingerprint(self) -> str:
        """A hash of the rows, their gold scores and their features."""
        digest = hashlib.blake2b(digest_size=16)
        for row, gold, owner in zip(
            self.rows, self.gold.tolist(), self.owners.tolist(), strict=True
        ):
            digest.update(repr((row.texts, gold, owner)).encode("utf-8", "replace"))
        # Rounded, because the last digits of features may differ between machines.
        digest.update(np.round(self.features, 4).tobytes())
        return digest.hexdigest()


def examples_from_judgments(
    judgments: Sequence[Judgment], references: References = "given"
) -> Examples:
    """Rows of judgments, without features (see `add_features`).

    `references` selects the references that make a row: "given" all of them, as a metric scores
    them; "all" each distinct one once; "first" the first one; "closest" the one with the most words
    in common with the candidate (`sim_text`), the first of several.
    """
    rows: list[Row] = []
    gold: list[float] = []
    owners: list[int] = []
    for owner, judgment in enumerate(judgments):
        item_rows = make_rows(judgment.item, _select_references(judgment, references))
        rows += item_rows
        gold += [judgment.gold] * len(item_rows)
        owners += [owner] * len(item_rows)
    return examples_from_rows(
        rows, np.array(gold, dtype=np.float64), np.array(owners, dtype=np.int64)
    )


def examples_from_rows(
    rows: Sequence[Row], gold: Vector, owners: NDArray[np.int64] | None = None
) -> Examples:
    """Rows with gold scores and without features; without `owners` each row is an item."""
    if owners is None:
        owners = np.arange(len(rows), dtype=np.int64)
    return Examples(tuple(rows), gold, owners, np.zeros((len(rows), 0)))


def add_features(
    examples: Examples,
    metrics: FeatureMetrics,
    services: Services,
    cache: Path | None = None,
) -> Examples:
    """The same examples with their features. Raises ModelError as the metrics do.

    The folder `cache` stores each metric's scores of the rows for later trainings.
    """
    if cache is None:
        return replace(examples, features=metrics.compute(services, examples.rows))
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.blake2b(digest_size=16)
    for row in examples.rows:
        digest.update(repr(row.texts).encode("utf-8", "replace"))
    columns = [np.zeros((len(examples), 0))]
    for name in metrics.names:
        metric = FeatureMetrics((name,))
        path = cache / f"{name}-{metric.signature()}-{digest.hexdigest()}.npy"
        if not path.exists():
            partial = path.with_suffix(".partial.npy")
            np.save(partial, metric.compute(services, examples.rows))
            partial.replace(path)
        columns.append(np.load(path, allow_pickle=False))
    return replace(examples, features=np.concatenate(columns, axis=1))


def augment_examples(examples: Examples, methods: Sequence[str]) -> Examples:
    """The examples, followed by those that augmentation adds, without exact duplicates.

    "identity" adds each reference as its own candidate with the best score. "flip" adds each row
    with reference and candidate exchanged and the same score. Raises ValueError for another method.
    """
    check_augmentations(methods)
    added: dict[Row, float] = {}
    if "identity" in methods:
        added.update((row._replace(candidate=row.reference), 1.0) for row in examples.rows)
    if "flip" in methods:
        for row, gold in zip(examples.rows, examples.gold.tolist(), strict=True):
            added.setdefault(row._replace(reference=row.candidate, candidate=row.reference), gold)
    for row in examples.rows:
        added.pop(row, None)
    return examples_from_rows(
        [*examples.rows, *added],
        np.concatenate((examples.gold, np.array(list(added.values()), dtype=np.float64))),
        np.concatenate(
            (
                examples.owners,
                np.arange(len(added), dtype=np.int64) + examples.owners.max(initial=-1) + 1,
            )
        ),
    )


def check_augmentations(methods: Sequence[str]) -> None:
    """Raises ValueError for a method of augmentation that does not exist."""
    if unknown := [method for method in methods if method not in AUGMENTATIONS]:
        raise ValueError(
            f"augmentation must be some of {', '.join(AUGMENTATIONS)}, not {', '.join(unknown)}"
        )


def check_graded(share: float) -> None:
    """Raises ValueError for a share outside [0, 1]."""
    if not 0 <= share <= 1:
        raise ValueError(f"graded must be a share from 0 to 1, not {share}")


def soften_gold(examples: Examples, share: float) -> Examples:
    """Move gold scores towards the mean of the features, clipped to [0, 1], by a share of 0 to 1.

    Binary gold does not say how good an answer is; an untrained similarity gives such a grade.
    Raises ValueError without features and for a share outside [0, 1].
    """
    check_graded(share)
    if not share:
        return examples
    if not examples.features.shape[1]:
        raise ValueError("graded gold scores need features: name some, or set graded to 0")
    similarity = np.clip(examples.features, 0.0, 1.0).mean(axis=1)
    return replace(examples, gold=(1 - share) * examples.gold + share * similarity)


def _select_references(judgment: Judgment, references: References) -> tuple[str, ...]:
    if references == "given":
        return judgment.references
    distinct = tuple(dict.fromkeys(judgment.references))
    if references == "all":
        return distinct
    if references == "first":
        return distinct[:1]
    return (max(distinct, key=lambda reference: sim_text(reference, judgment.candidate)),)
