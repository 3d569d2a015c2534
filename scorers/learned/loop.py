"""The training loop of every learned metric: progress, early stop, best weights, resumption.

A run writes three files into its folder. `state.pt` is the state from which a stopped or killed run
resumes. `best.safetensors` has the weights of the epoch with the best dev figure. `log.jsonl` has a
line for each progress report. On one machine, an interrupted run ends with the same weights as an
uninterrupted one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from scorers.errors import TrainingError
from scorers.learned.settings import TrainingSettings

if TYPE_CHECKING:
    import torch


class LearningTask(Protocol):
    """A network and its examples, which the loop addresses by their indices."""

    @property
    def network(self) -> torch.nn.Module:
        """The network to train."""
        ...

    @property
    def lengths(self) -> Sequence[int]:
        """The number of tokens of each training example."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of the examples and of all that determines their inputs, the settings excepted."""
        ...

    def start_epoch(self, epoch: int) -> None:
        """Prepare an epoch; also called when a training resumes in the middle of one.

        All draws of an epoch (such as an order of answers) must depend on `epoch` and the seed
        alone.
        """
        ...

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        """The mean loss of some training examples, a differentiable scalar."""
        ...

    def evaluate(self) -> Mapping[str, float]:
        """Dev figures by name; they include "loss" and the one that `best_by` names."""
        ...


# Batches drawn together. Their examples are sorted by length, so that batches need little padding.
_BATCHES_PER_WINDOW = 50


def epoch_batches(
    lengths: Sequence[int], settings: TrainingSettings, epoch: int
) -> list[list[int]]:
    """The batches of an epoch as indices of examples; each example occurs once.

    They depend on the seed and the epoch alone, so a killed training resumes by counting steps.
    Examples are shuffled, then sorted by length within windows of fifty batches, and the batches
    are shuffled. The last batch of a window may be smaller.
    """
    rng = np.random.default_rng([settings.seed, epoch])
    order = rng.permutation(len(lengths)).tolist()
    window = settings.batch_size * _BATCHES_PER_WINDOW
    batches: list[list[int]] = []
    for start in range(0, len(order), window):
        by_length = sorted(order[start : start + window], key=lengths.__getitem__)
        batches += [
            by_length[first : first + settings.batch_size]
            for first in range(0, len(by_length), settings.batch_size)
        ]
    return [batches[i] for i in rng.permutation(len(batches))]


def learning_rate(settings: TrainingSettings, step: int, steps: int) -> float:
    """The learning rate of step `step`, from 0, of `steps`: linear warm-up, then linear decay."""
    warmup_steps = max(1, round(settings.warmup * steps))
    if step < warmup_steps:
        return settings.learning_rate * (step + 1) / warmup_steps
    return settings.learning_rate * (steps - step) / max(1, steps - warmup_steps)


_SECONDS_BETWEEN_SAVES = 60.0
_STEPS_BETWEEN_REPORTS = 20

STATE, BEST, LOG = "state.pt", "best.safetensors", "log.jsonl"


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """The progress of a training.

    `loss` is the mean since the previous report. `dev` are the figures on the dev examples; they
    are reported at the end of an epoch and None otherwise.
    """

    epoch: int
    step: int
    steps: int
    loss: float | None = None
    dev: Mapping[str, float] | None = None


Progress = Callable[[ProgressReport], None]


@dataclass
class _TrainingState:
    """The state of a run from which it can resume, without the weights and the optimiser."""

    fingerprint: str
    settings: dict[str, Any]
    step: int = 0
    epoch: int = 0
    best_epoch: int | None = None
    best: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The best epoch on the dev examples (from 0), its figures, and the figures of all epochs."""

    best_epoch: int
    figures: dict[str, float]
    history: list[dict[str, float]]


def train(
    task: LearningTask,
    settings: TrainingSettings,
    folder: Path,
    progress: Progress | None = None,
) -> TrainingResult:
    """Train `task.network` in place, leaving it with the weights of the best epoch.

    An exception raised by `progress` stops the run. A later call with the same task, settings and
    folder resumes it. Raises TrainingError when the folder holds a run with other examples or
    settings, or when the loss is NaN.
    """
    return _Run(task, settings, folder, progress).run()


class _Run:
    def __init__(
        self,
        task: LearningTask,
        settings: TrainingSettings,
        folder: Path,
        progress: Progress | None,
    ) -> None:
        import torch

        self.task = task
        self.settings = settings
        self.folder = folder
        self.progress = progress
        self.parameters = {
            name: value for name, value in task.network.named_parameters() if value.requires_grad
        }
        self.device = next(iter(self.parameters.values())).device
        self.optimiser = torch.optim.AdamW(
            self.parameters.values(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        per_epoch = len(epoch_batches(task.lengths, settings, 0))
        self.steps = per_epoch * settings.epochs
        self.state = _TrainingState(task.fingerprint, asdict(settings))
        self.losses: list[torch.Tensor] = []
        self.saved_at = time.monotonic()

    def run(self) -> TrainingResult:
        import torch

        self.folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(self.settings.seed)
        self._resume()
        while self.state.epoch < self.settings.epochs and not self._patience_is_exhausted():
            self._run_epoch()
        if self.state.best_epoch is None:
            raise TrainingError(
                "the training ended before its first epoch was evaluated on the dev examples"
            )
        self._restore_best()
        return TrainingResult(self.state.best_epoch, self.state.best, self.state.history)

    def _patience_is_exhausted(self) -> bool:
        best, patience = self.state.best_epoch, self.settings.patience
        if best is None or patience is None:
            return False
        return self.state.epoch - 1 - best >= patience

    def _run_epoch(self) -> None:
        batches = epoch_batches(self.task.lengths, self.settings, self.state.epoch)
        completed = self.state.step - self.state.epoch * len(batches)
        self.task.start_epoch(self.state.epoch)
        self.task.network.train()
        for batch in batches[completed:]:
            self._run_step(batch)
            if self.state.step % _STEPS_BETWEEN_REPORTS == 0:
                self._report(loss=self._mean_loss())
            if time.monotonic() - self.saved_at > _SECONDS_BETWEEN_SAVES:
                self._save()
        self._end_epoch()

    def _run_step(self, batch: list[int]) -> None:
        import torch

        rate = learning_rate(self.settings, self.state.step, self.steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with self._precision():
            loss = self.task.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), self.settings.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.losses.append(loss.detach())
        self.state.step += 1

    def _precision(self) -> AbstractContextManager[Any]:
        import torch

        if self.settings.precision == "bf16":
            return torch.autocast(self.device.type, torch.bfloat16)
        return nullcontext()

    def _end_epoch(self) -> None:
        import torch

        self.task.network.eval()
        with torch.inference_mode(), self._precision():
            figures = dict(self.task.evaluate())
        state = self.state
        state.history.append({"epoch": state.epoch, "step": state.step, **figures})
        if self._is_better(figures):
            state.best, state.best_epoch = figures, state.epoch
            self._save_best()
        state.epoch += 1
        self._report(loss=self._mean_loss(), dev=figures)
        self._save()

    def _is_better(self, figures: Mapping[str, float]) -> bool:
        """Whether an epoch is the best so far. A figure that is NaN never is."""
        name, best = self.settings.best_by, self.state.best
        if name not in figures:
            raise TrainingError(
                f"best_by names the dev figure {name!r}, which does not exist; "
                f"choose one of {', '.join(figures)}"
            )
        if not best or best[name] != best[name]:
            return True
        return figures[name] < best[name] if name == "loss" else figures[name] > best[name]

    def _mean_loss(self) -> float | None:
        import torch

        if not self.losses:
            return None
        mean = float(torch.stack(self.losses).double().mean())
        self.losses.clear()
        if mean != mean:
            raise TrainingError(
                f"the loss became NaN at step {self.state.step}: choose a lower learning rate"
            )
        return mean

    def _report(self, loss: float | None, dev: Mapping[str, float] | None = None) -> None:
        report = ProgressReport(self.state.epoch, self.state.step, self.steps, loss, dev)
        with (self.folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(report)) + "\n")
        if self.progress:
            self.progress(report)

    def _save(self) -> None:
        import torch

        state = {
            "standing": asdict(self.state),
            "weights": {name: value.detach() for name, value in self.parameters.items()},
            "optimiser": self.optimiser.state_dict(),
            "random": torch.get_rng_state(),
            "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }
        partial = self.folder / f"{STATE}.partial"
        torch.save(state, partial)
        os.replace(partial, self.folder / STATE)
        self.saved_at = time.monotonic()

    def _resume(self) -> None:
        import torch

        path = self.folder / STATE
        if not path.exists():
            return
        saved = torch.load(path, map_location="cpu", weights_only=True)
        state = _TrainingState(**saved["standing"])
        # A setting that is missing from an older file had its default.
        settings = {**asdict(TrainingSettings()), **state.settings}
        if (state.fingerprint, settings) != (self.state.fingerprint, self.state.settings):
            raise TrainingError(
                f"{self.folder} holds a training with other data or settings: "
                "choose another folder, or delete this one to start again"
            )
        state.settings = settings
        self.state = state
        with torch.no_grad():
            for name, value in self.parameters.items():
                value.copy_(saved["weights"][name])
        self.optimiser.load_state_dict(saved["optimiser"])
        torch.set_rng_state(saved["random"])
        if saved["random_cuda"]:
            torch.cuda.set_rng_state_all(saved["random_cuda"])

    def _save_best(self) -> None:
        from safetensors.torch import save_file

        partial = self.folder / f"{BEST}.partial"
        weights = {
            name: value.detach().cpu().contiguous() for name, value in self.parameters.items()
        }
        save_file(weights, partial)
        os.replace(partial, self.folder / BEST)

    def _restore_best(self) -> None:
        import torch
        from safetensors.torch import load_file

        best = load_file(self.folder / BEST)
        with torch.no_grad():
            for name, value in self.parameters.items():
                value.copy_(best[name])
        self.task.network.eval()
