"""Several trainings of one network, of which the best is kept: learning rates times seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from scorers.errors import TrainingError
from scorers.learned.loop import BEST, Progress, Trained, train
from scorers.learned.settings import TrainingSettings
from scorers.learned.task import Task

if TYPE_CHECKING:
    import torch


class TrialRow(TypedDict):
    """A training in a card: its best epoch, from 1, and its figures on the dev examples."""

    learning_rate: float
    seed: int
    best_epoch: int
    figures: dict[str, float]


@dataclass(frozen=True, slots=True)
class Trial:
    """One training: its settings, its outcome, and the folder it lies in."""

    settings: TrainingSettings
    trained: Trained
    folder: Path

    @property
    def reached(self) -> float:
        """The dev figure it was selected by; "loss" with its sign turned, so that more is better.

        Minus infinity where it is no number.
        """
        name = self.settings.best_by
        value = self.trained.figures[name] * (-1 if name == "loss" else 1)
        return value if value == value else float("-inf")


@dataclass(frozen=True, slots=True)
class Trials:
    """All trainings made, and the one kept: of the learning rate whose mean over the seeds is
    best, the seed that did best."""

    all: tuple[Trial, ...]
    kept: Trial

    def figures(self) -> dict[str, float]:
        """The kept training's dev figures; with several seeds also the mean and the standard
        deviation, over those of its learning rate, of the figure it was selected by."""
        figures = {f"dev {name}": value for name, value in self.kept.trained.figures.items()}
        figures["best epoch"] = self.kept.trained.best_epoch + 1
        rate, name = self.kept.settings.learning_rate, self.kept.settings.best_by
        same = [trial for trial in self.all if trial.settings.learning_rate == rate]
        if len(same) > 1:
            values = np.array([trial.trained.figures[name] for trial in same])
            figures[f"dev {name}, mean of {len(same)} seeds"] = float(values.mean())
            figures[f"dev {name}, deviation"] = float(values.std(ddof=1))
        return figures

    def table(self) -> list[TrialRow]:
        """For a card: every training."""
        return [
            {
                "learning_rate": trial.settings.learning_rate,
                "seed": trial.settings.seed,
                "best_epoch": trial.trained.best_epoch + 1,
                "figures": trial.trained.figures,
            }
            for trial in self.all
        ]

    def weights(self) -> dict[str, torch.Tensor]:
        """The kept training's weights, by name."""
        from safetensors.torch import load_file

        found: dict[str, torch.Tensor] = load_file(self.kept.folder / BEST)
        return found


def run_trials(
    make: Callable[[TrainingSettings], Task],
    settings: TrainingSettings,
    rates: Sequence[float],
    seeds: Sequence[int],
    folder: Path,
    progress: Progress | None = None,
) -> Trials:
    """Train once for each learning rate and seed, each in a folder of its own below `folder`.

    `make` gives the task with a fresh network for some settings. Trainings that ended are not made
    again, one that was interrupted goes on. Raises TrainingError as `train` does.
    """
    if not rates or not seeds or len({*rates}) < len(rates) or len({*seeds}) < len(seeds):
        raise TrainingError("learning rates and seeds must be one or more, all different")
    trials = []
    for rate in rates:
        for seed in seeds:
            chosen = replace(settings, learning_rate=rate, seed=seed)
            one = len(rates) * len(seeds) == 1
            place = folder if one else folder / f"rate-{rate:g}-seed-{seed}"
            trials.append(Trial(chosen, train(make(chosen), chosen, place, progress), place))
    means = {
        rate: float(np.mean([t.reached for t in trials if t.settings.learning_rate == rate]))
        for rate in rates
    }
    best = max(rates, key=lambda rate: means[rate])
    kept = max((t for t in trials if t.settings.learning_rate == best), key=lambda t: t.reached)
    return Trials(tuple(trials), kept)
