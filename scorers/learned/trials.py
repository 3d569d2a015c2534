"""Trainings of one network for several learning rates and seeds, and the choice of the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from scorers.errors import TrainingError
from scorers.learned.loop import BEST, Progress, TrainingResult, train
from scorers.learned.settings import TrainingSettings
from scorers.learned.task import LearningTask

if TYPE_CHECKING:
    import torch


class TrialRow(TypedDict):
    """The entry of a training in a card: its best epoch, from 1, and its dev figures."""

    learning_rate: float
    seed: int
    best_epoch: int
    figures: dict[str, float]


@dataclass(frozen=True, slots=True)
class TrainingTrial:
    """One training: its settings, its result and its folder."""

    settings: TrainingSettings
    result: TrainingResult
    folder: Path

    @property
    def selection_score(self) -> float:
        """The dev figure that `best_by` names, higher is better: a loss is negated.

        Minus infinity where the figure is NaN.
        """
        name = self.settings.best_by
        value = self.result.figures[name] * (-1 if name == "loss" else 1)
        return value if value == value else float("-inf")


@dataclass(frozen=True, slots=True)
class Trials:
    """All trainings, and the best one.

    The best learning rate has the best mean over the seeds; of its seeds the best one is chosen.
    """

    all: tuple[TrainingTrial, ...]
    best: TrainingTrial

    def figures(self) -> dict[str, float]:
        """The dev figures of the best training.

        With several seeds they include the mean and the standard deviation of the selection figure
        over the seeds of its learning rate.
        """
        figures = {f"dev {name}": value for name, value in self.best.result.figures.items()}
        figures["best epoch"] = self.best.result.best_epoch + 1
        rate, name = self.best.settings.learning_rate, self.best.settings.best_by
        same = [trial for trial in self.all if trial.settings.learning_rate == rate]
        if len(same) > 1:
            values = np.array([trial.result.figures[name] for trial in same])
            figures[f"dev {name}, mean of {len(same)} seeds"] = float(values.mean())
            figures[f"dev {name}, deviation"] = float(values.std(ddof=1))
        return figures

    def table(self) -> list[TrialRow]:
        """Every training, for the card."""
        return [
            {
                "learning_rate": trial.settings.learning_rate,
                "seed": trial.settings.seed,
                "best_epoch": trial.result.best_epoch + 1,
                "figures": trial.result.figures,
            }
            for trial in self.all
        ]

    def weights(self) -> dict[str, torch.Tensor]:
        """The weights of the best training, by name."""
        from safetensors.torch import load_file

        weights: dict[str, torch.Tensor] = load_file(self.best.folder / BEST)
        return weights


def run_trials(
    make_task: Callable[[TrainingSettings], LearningTask],
    settings: TrainingSettings,
    rates: Sequence[float],
    seeds: Sequence[int],
    folder: Path,
    progress: Progress | None = None,
) -> Trials:
    """Train once for each learning rate and seed, each in a folder of its own below `folder`.

    `make_task` returns the task with a new network for the settings of a training. A finished
    training is not repeated; an interrupted one resumes. Raises TrainingError as `train` does.
    """
    if not rates or not seeds or len({*rates}) < len(rates) or len({*seeds}) < len(seeds):
        raise TrainingError(
            "give one or more learning rates and one or more seeds, each of them once"
        )
    trials = []
    for rate in rates:
        for seed in seeds:
            trial_settings = replace(settings, learning_rate=rate, seed=seed)
            is_single = len(rates) * len(seeds) == 1
            trial_folder = folder if is_single else folder / f"rate-{rate:g}-seed-{seed}"
            result = train(make_task(trial_settings), trial_settings, trial_folder, progress)
            trials.append(TrainingTrial(trial_settings, result, trial_folder))
    means = {
        rate: float(
            np.mean([t.selection_score for t in trials if t.settings.learning_rate == rate])
        )
        for rate in rates
    }
    best_rate = max(rates, key=lambda rate: means[rate])
    candidates = [trial for trial in trials if trial.settings.learning_rate == best_rate]
    return Trials(tuple(trials), max(candidates, key=lambda trial: trial.selection_score))
