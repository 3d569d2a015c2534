"""Measuring a trained judge on a file of judgments."""

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
from scorers.judges.figures import binary, correlations, verdict_figures
from scorers.judges.metric import JudgeMetric
from scorers.judges.plan import Split
from scorers.judgments import Judgment, read_judgments
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.training_items import overlap
from scorers.lerc import metrics as lerc
from scorers.session import Session

Vector = NDArray[np.float64]
By = Literal["constituent", "system"]
# Figures by name, and those of each group by its name.
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
    """A judge's figures on judgments, as a metric with its default options scores them.

    Correlations with gold; where gold says right or wrong, also verdicts by the threshold its card
    has (F1, precision, recall, accuracy, balanced accuracy) and the area under the ROC curve.
    Graded gold says so for AVA, whose card has the share of the scale from which it means right.
    On the dev part that a checkpoint was trained with, verdicts have the dev figures of its card.
    "trained on" is the share of the items whose passage and question the judge was trained on.
    `part` takes "train", "dev" or "test" as the card's split parts the file. With `by` there are
    also "groups", the figures for each constituent or system. An undefined figure is None.
    Raises FileError, ModelError or TrainingError.
    """
    metric = judge_metric(checkpoint)
    judgments = read_judgments(path, format_)
    if part != "all":
        judgments = _split_of(metric.card).part(judgments, part)
    if not judgments:
        raise TrainingError(f"{path} has no judgment of the part {part!r}")
    with Session(device) as session:
        scores = session.score(metric, [judgment.item for judgment in judgments])
    gold = np.array([judgment.gold for judgment in judgments])
    verdicts = _Verdicts.of(metric.card)
    figures: dict[str, Any] = {**_figures(scores, gold, verdicts)}
    found = overlap(checkpoint, [judgment.item for judgment in judgments])
    figures["trained on"] = found.share if found.known else None
    if by:
        figures["groups"] = _groups(judgments, by, scores, gold, verdicts)
    return figures


def judge_metric(checkpoint: str) -> JudgeMetric:
    """The metric a checkpoint serves, with default options but for the checkpoint.

    Raises CheckpointError where it is no judge.
    """
    card = Card.read(checkpoint_folder(checkpoint))
    if card.kind not in _REGISTRATIONS:
        raise CheckpointError(f"{checkpoint} holds a {card.kind!r}, which judges no answers")
    entry = _REGISTRATIONS[card.kind]
    options = {name: option.default for name, option in entry.options.items()}
    options["checkpoint"] = checkpoint
    metric = entry.build(MetricSpec(entry.name, entry.name, options, "max"))
    if not isinstance(metric, JudgeMetric):
        raise CheckpointError(f"{card.kind} is no judge")
    return metric


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """How a judge's scores and gold scores become verdicts: both from a value on.

    `score` is None where the card has no threshold, `gold` where graded gold has no verdict.
    """

    score: float | None
    gold: float | None

    @classmethod
    def of(cls, card: Card) -> _Verdicts:
        construction = card.options.get("construction", {})
        return cls(card.figures.get("dev threshold"), construction.get("correct_from"))

    def correct(self, gold: Vector) -> NDArray[np.bool_] | None:
        """Which gold scores mean correct; None where they do not say, or all say the same."""
        if self.gold is not None:
            correct = gold >= self.gold
            return correct if 0 < correct.mean() < 1 else None
        return gold > 0.5 if binary(gold) else None


def _split_of(card: Card) -> Split:
    return Split(**card.options["recipe"]["split"])


def _figures(scores: Vector, gold: Vector, verdicts: _Verdicts) -> Figures:
    figures = correlations(scores, gold)
    correct = verdicts.correct(gold)
    if correct is not None and verdicts.score is not None:
        figures |= verdict_figures(scores, correct, verdicts.score)
    stated = {name: None if value != value else value for name, value in figures.items()}
    return {"n": len(scores), **stated}


def _groups(
    judgments: Sequence[Judgment], by: By, scores: Vector, gold: Vector, verdicts: _Verdicts
) -> Groups:
    names = np.array([getattr(judgment, by) for judgment in judgments])
    groups = {}
    for name in dict.fromkeys(names.tolist()):
        chosen = names == name
        groups[name] = _figures(scores[chosen], gold[chosen], verdicts)
        if by == "system" and verdicts.score is not None:
            groups[name]["called correct"] = float((scores[chosen] >= verdicts.score).mean())
            groups[name]["gold"] = float(gold[chosen].mean())
    return groups
