"""Evaluating a trained judge on a file of judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import MetricSpec
from concord.metrics.registration import Registration
from scorers.ava import metrics as ava
from scorers.encoders import Device
from scorers.errors import CheckpointError, TrainingError
from scorers.judges.figures import correlations, is_binary, verdict_figures
from scorers.judges.metric import JudgeMetric
from scorers.judges.plan import Split
from scorers.judgments import Judgment, read_judgments
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.training_items import overlap
from scorers.lerc import metrics as lerc
from scorers.session import Session

Vector = NDArray[np.float64]
By = Literal["constituent", "system"]
# Figures by name, and the figures of each group by the group's name.
Figures = dict[str, float | None]
Groups = dict[str, Figures]

_REGISTRATIONS: Mapping[str, Registration] = {
    entry.name: entry for module in (lerc, ava) for entry in module.REGISTRATIONS
}


def evaluate_judge(
    checkpoint: str,
    path: Path,
    format_: str,
    device: Device = "auto",
    part: str = "all",
    by: By | None = None,
) -> dict[str, Any]:
    """A judge's figures on judgments, with several references combined as in its training.

    The figures are correlations with gold. For binary gold they include the area under the ROC
    curve and, by the threshold in the card, F1, precision, recall, accuracy and balanced accuracy.
    AVA also has them for graded gold, because its card has the share of the scale from which an
    answer is correct. On the dev part of its own training a checkpoint has the dev figures of its
    card. "trained on" is the share of the items whose passage and question the judge was trained
    on. `part` selects the "train", "dev" or "test" part by the card's split. With `by`, "groups"
    has the figures of each constituent or system. An undefined figure is None. Raises FileError,
    ModelError or TrainingError.
    """
    metric = judge_metric(checkpoint)
    judgments = read_judgments(path, format_)
    if part != "all":
        judgments = _recipe_split(metric.card).part(judgments, part)
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


def judge_metric(checkpoint: str) -> JudgeMetric:
    """The metric of a checkpoint, with default options except for the checkpoint, and "joint".

    Raises CheckpointError when the checkpoint is not a judge.
    """
    card = CheckpointCard.read(checkpoint_folder(checkpoint))
    if card.kind not in _REGISTRATIONS:
        raise CheckpointError(
            f"{checkpoint} is a checkpoint of {card.kind!r}, which is not a judge"
        )
    entry = _REGISTRATIONS[card.kind]
    options = {name: option.default for name, option in entry.options.items()}
    options["checkpoint"] = checkpoint
    metric = entry.build(MetricSpec(entry.name, entry.name, options, "joint"))
    if not isinstance(metric, JudgeMetric):
        raise CheckpointError(f"{card.kind} is not a judge")
    return metric


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """The thresholds from which a judge's score and a gold score mean "correct".

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


def _recipe_split(card: CheckpointCard) -> Split:
    return Split(**card.options["recipe"]["split"])


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
