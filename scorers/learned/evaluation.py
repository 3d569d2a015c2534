"""Figures of scores against gold scores, for cards, and the evaluation of a learned metric.

The formulas are those of the library. Figures are floats by name, NaN where undefined.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from concord import meta
from concord.meta.correctness import FIGURES, auc, count_confusion, metric_verdicts, tune_by_f1
from concord.metrics.metric import MetricSpec
from scorers.ava import metrics as ava
from scorers.datasets.judgments import Judgment, Split, read_judgments
from scorers.encoders import Device
from scorers.errors import CheckpointError, TrainingError
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.examples import Examples
from scorers.learned.metric import LearnedMetric
from scorers.learned.rows import Combine, Vector, combine_scores
from scorers.learned.training_items import overlap
from scorers.lerc import metrics as lerc
from scorers.session import Session

By = Literal["constituent", "system"]
# Figures by name, and the figures of each group by the group's name.
Figures = dict[str, float | None]
Groups = dict[str, Figures]

_COEFFICIENTS = {"pearson": meta.pearson, "spearman": meta.spearman, "kendall": meta.kendall}
_UNDEFINED = float("nan")


def correlations(scores: Vector, gold: Vector) -> dict[str, float]:
    """Pearson, Spearman and Kendall's tau-b of two vectors, (n,), as `concord.meta` has them.

    In [-1, 1], higher is better. NaN for fewer than three items, for constant scores or gold, and
    when a score is missing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of values that hardly vary
        values = {name: figure(scores, gold).value for name, figure in _COEFFICIENTS.items()}
    return {name: _UNDEFINED if value is None else value for name, value in values.items()}


def f1_threshold(scores: Vector, correct: NDArray[np.bool_]) -> float:
    """The threshold of `concord.meta.correctness.tune_by_f1` as a finite number, for a card.

    When it is best to call every answer correct, `tune_by_f1` returns minus infinity, which JSON
    cannot hold; the threshold is then the lowest score minus 1. NaN when a score is not finite.
    Raises ValueError when no answer is correct.
    """
    if not np.isfinite(scores).all():
        return _UNDEFINED
    threshold = tune_by_f1(scores, correct)
    return threshold if np.isfinite(threshold) else float(scores.min()) - 1.0


def verdict_figures(
    scores: Vector, correct: NDArray[np.bool_], threshold: float
) -> dict[str, float]:
    """F1, precision and recall of "correct", accuracies, and the area under the ROC curve.

    scores, correct: (n,). Answers that score `threshold` or more are called correct. All figures
    are in [0, 1], higher is better; NaN where undefined, all of them where a score is not finite.
    """
    names = {name: name.replace("_", " ") for name in FIGURES}
    if not np.isfinite(scores).all():
        return dict.fromkeys((*names.values(), "auc"), _UNDEFINED)
    counts = count_confusion(metric_verdicts(scores, threshold), correct).counts
    figures = {names[name]: float(figure(counts)) for name, figure in FIGURES.items()}
    # One cluster, because the interval of the area is not needed.
    area = auc(scores, correct, np.zeros(len(scores), dtype=np.int64)).value
    return {**figures, "auc": _UNDEFINED if area is None else area}


def is_binary(gold: Vector) -> bool:
    """Whether all gold scores are 1 (right) or 0 (wrong), and both occur."""
    return bool(np.isin(gold, (0.0, 1.0)).all()) and 0 < gold.mean() < 1


def dev_figures(scores: Vector, dev: Examples, combine: Combine) -> dict[str, float]:
    """Figures of items from the scores of their rows. The threshold is the one with the best F1."""
    items = combine_scores(scores, dev.owners, combine)
    gold = combine_scores(dev.gold, dev.owners, "max")
    figures = correlations(items, gold)
    if is_binary(gold):
        threshold = f1_threshold(items, gold > 0.5)
        figures |= {**verdict_figures(items, gold > 0.5, threshold), "threshold": threshold}
    return figures


def evaluate_on_judgments(
    checkpoint: str,
    path: Path,
    format_: str,
    device: Device = "auto",
    part: str = "all",
    by: By | None = None,
) -> dict[str, Any]:
    """A learned metric's figures on judgments, with several references combined as in its training.

    The figures are correlations with gold. For binary gold they include the area under the ROC
    curve and, by the threshold in the card, F1, precision, recall, accuracy and balanced accuracy.
    AVA also has them for graded gold, because its card has the share of the scale from which an
    answer is correct. On the dev part of its own training a checkpoint has the dev figures of its
    card. "trained on" is the share of the items whose passage and question the judge was trained
    on. `part` selects the "train", "dev" or "test" part by the card's split. With `by`, "groups"
    has the figures of each constituent or system. An undefined figure is None. Raises FileError,
    ModelError or TrainingError.
    """
    metric = checkpoint_metric(checkpoint)
    judgments = read_judgments(path, format_)
    if part != "all":
        judgments = Split(**metric.card.options["recipe"]["split"]).part(judgments, part)
    if not judgments:
        raise TrainingError(
            f"{path} has no judgment in the part {part!r}: choose another part, or all"
        )
    with Session(device) as session:
        scores = session.score(metric, [judgment.item for judgment in judgments])
    gold = np.array([judgment.gold for judgment in judgments])
    thresholds = _Thresholds.of(metric.card)
    figures: dict[str, Any] = {**_figures(scores, gold, thresholds)}
    training_overlap = overlap(checkpoint, [judgment.item for judgment in judgments])
    figures["trained on"] = training_overlap.share if training_overlap.is_known else None
    if by:
        figures["groups"] = _group_figures(judgments, by, scores, gold, thresholds)
    return figures


def checkpoint_metric(checkpoint: str) -> LearnedMetric:
    """The metric of a checkpoint, with default options except for the checkpoint, and "joint".

    Raises CheckpointError when the checkpoint is not one of a learned metric.
    """
    card = CheckpointCard.read(checkpoint_folder(checkpoint))
    for entry in (*lerc.REGISTRATIONS, *ava.REGISTRATIONS):
        if entry.name == card.kind:
            options = {name: option.default for name, option in entry.options.items()}
            options["checkpoint"] = checkpoint
            metric = entry.build(MetricSpec(entry.name, entry.name, options, "joint"))
            assert isinstance(metric, LearnedMetric)
            return metric
    raise CheckpointError(
        f"{checkpoint} is a checkpoint of {card.kind!r}, which is not a learned metric"
    )


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """The thresholds from which a metric's score and a gold score mean "correct".

    score: None for a card without a threshold. gold: None for a card that does not state it.
    """

    score: float | None
    gold: float | None

    @classmethod
    def of(cls, card: CheckpointCard) -> _Thresholds:
        construction = card.options.get("construction", {})
        return cls(card.figures.get("dev threshold"), construction.get("correct_from"))

    def correct(self, gold: Vector) -> NDArray[np.bool_] | None:
        """Which gold scores mean correct; None if they are graded or all mean the same."""
        if self.gold is not None:
            correct = gold >= self.gold
            return correct if 0 < correct.mean() < 1 else None
        return gold > 0.5 if is_binary(gold) else None


def _figures(scores: Vector, gold: Vector, thresholds: _Thresholds) -> Figures:
    figures = correlations(scores, gold)
    correct = thresholds.correct(gold)
    if correct is not None and thresholds.score is not None:
        figures |= verdict_figures(scores, correct, thresholds.score)
    defined = {name: None if value != value else value for name, value in figures.items()}
    return {"n": len(scores), **defined}


def _group_figures(
    judgments: Sequence[Judgment], by: By, scores: Vector, gold: Vector, thresholds: _Thresholds
) -> Groups:
    names = np.array([getattr(judgment, by) for judgment in judgments])
    groups = {}
    for name in dict.fromkeys(names.tolist()):
        in_group = names == name
        groups[name] = _figures(scores[in_group], gold[in_group], thresholds)
        if by == "system" and thresholds.score is not None:
            groups[name]["called correct"] = float((scores[in_group] >= thresholds.score).mean())
            groups[name]["gold"] = float(gold[in_group].mean())
    return groups
