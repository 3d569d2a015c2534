"""The figures and the size of a checkpoint, for its model card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from django.db.models.functions import Length

from benchmarks.checkpoints.models import Checkpoint
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import WEIGHTS, checkpoint_folder, current_name, shipped_names

# The columns of the table of results by the name of the figure; the other figures are listed below.
FIGURES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "auc": "AUC",
    "accuracy": "Accuracy",
    "balanced accuracy": "Balanced accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "systems rmse": "Systems: RMSE",
    "systems kendall": "Systems: Kendall",
}
# Figures of other sets that are of systems, not of answers.
OF_SYSTEMS = {"rmse": "systems rmse", "kendall": "systems kendall"}
DEV = "dev "


class CardFigureRow(TypedDict):
    """A figure with its interval in a stored card."""

    value: float
    ci: list[float]


@dataclass(frozen=True)
class CardFigure:
    """A figure with its 95% interval, if the card has one."""

    value: float
    ci: list[float] | None = None


@dataclass(frozen=True)
class FiguresRow:
    """The figures of one set in the order of the table's columns; None where there is none."""

    name: str
    n: int | None
    figures: list[CardFigure | None]


@dataclass(frozen=True)
class FiguresTable:
    columns: list[str]
    rows: list[FiguresRow]


def figures_table(card: CheckpointCard) -> FiguresTable:
    """The figures of the dev part, and those of the sets it was not trained on."""
    by_row: dict[str, tuple[int | None, dict[str, CardFigure]]] = {}
    dev = {
        name.removeprefix(DEV): CardFigure(float(value))
        for name, value in card.figures.items()
        if name.startswith(DEV)
    }
    if dev:
        size = card.figures.get("dev")
        by_row["dev part of the training data"] = (None if size is None else int(size), dev)
    for title, values in card.extra.get("unseen", {}).items():
        figures = {
            name: _figure(value)
            for figure, value in values.items()
            if (name := OF_SYSTEMS.get(figure, figure)) in FIGURES
        }
        by_row[title] = (values.get("n"), figures)
    columns = [name for name in FIGURES if any(name in figures for _, figures in by_row.values())]
    rows = [
        FiguresRow(title, n, [figures.get(name) for name in columns])
        for title, (n, figures) in by_row.items()
    ]
    return FiguresTable([FIGURES[name] for name in columns], rows)


def other_figures(card: CheckpointCard) -> dict[str, float]:
    """The card's figures that are not in the table: the loss, the threshold, the best epoch."""
    return {
        name: value
        for name, value in card.figures.items()
        if name.removeprefix(DEV) not in FIGURES and name != "dev"
    }


def weights_bytes(name: str) -> int:
    """The size of a checkpoint's weights."""
    if current_name(name) in shipped_names():
        return (checkpoint_folder(name) / WEIGHTS).stat().st_size
    return int(Checkpoint.objects.values_list(Length("weights"), flat=True).get(name=name))


def _figure(value: CardFigureRow | float) -> CardFigure:
    if isinstance(value, Mapping):
        return CardFigure(float(value["value"]), list(value["ci"]))
    return CardFigure(float(value))
