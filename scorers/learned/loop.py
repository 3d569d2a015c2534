"""The training loop of every learned metric: progress, early stop, best weights, resumption.

Everything a run has written lies in its folder: `state.pt`, from which it goes on after it was
stopped or killed; `best.safetensors`, the weights of the epoch that did best on the dev examples;
`log.jsonl`, a line for each report of progress. A run that was interrupted ends, on the same
machine, with the same weights as one that was not.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorers.errors import TrainingError
from scorers.learned.schedule import epoch_batches, learning_rate
from scorers.learned.settings import TrainingSettings
from scorers.learned.task import Task

if TYPE_CHECKING:
    import torch

_SECONDS_BETWEEN_SAVES = 60.0
_STEPS_BETWEEN_REPORTS = 20

STATE, BEST, LOG = "state.pt", "best.safetensors", "log.jsonl"


@dataclass(frozen=True, slots=True)
class Report:
    """Where a training stands. `loss` is the mean since the report before; `dev` the figures on
    the dev examples, when an epoch has just ended."""

    epoch: int
    step: int
    steps: int
    loss: float | None = None
    dev: Mapping[str, float] | None = None


Progress = Callable[[Report], None]


@dataclass
class _Standing:
    """All of a run that a resumption needs, but for the weights and the optimiser."""

    fingerprint: str
    settings: dict[str, Any]
    step: int = 0
    epoch: int = 0
    best_epoch: int | None = None
    best: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trained:
    """The outcome: the best epoch (from 0) on the dev examples, its figures, and every epoch's."""

    best_epoch: int
    figures: dict[str, float]
    history: list[dict[str, float]]


def train(
    task: Task,
    settings: TrainingSettings,
    folder: Path,
    progress: Progress | None = None,
    *,
    save_every: float | None = None,
) -> Trained:
    """Train `task.network` in place, leaving it with the weights of the best epoch.

    An exception raised by `progress` stops the run, which goes on from there when called again
    with the same task, settings and folder. Raises TrainingError when the folder holds a run of
    other examples or settings, or when the loss is no longer a number.
    """
    seconds = _SECONDS_BETWEEN_SAVES if save_every is None else save_every
    run = _Run(task, settings, folder, progress, seconds)
    return run.to_the_end()


class _Run:
    def __init__(
        self,
        task: Task,
        settings: TrainingSettings,
        folder: Path,
        progress: Progress | None,
        save_every: float,
    ) -> None:
        import torch

        self.task = task
        self.settings = settings
        self.folder = folder
        self.progress = progress
        self.save_every = save_every
        self.parameters = {
            name: value for name, value in task.network.named_parameters() if value.requires_grad
        }
        self.device = next(iter(self.parameters.values())).device
        self.optimiser = torch.optim.AdamW(
            self.parameters.values(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        per_epoch = len(epoch_batches(task.lengths, settings, 0))
        self.steps = per_epoch * settings.epochs
        self.standing = _Standing(task.fingerprint, asdict(settings))
        self.losses: list[torch.Tensor] = []
        self.saved_at = time.monotonic()

    def to_the_end(self) -> Trained:
        import torch

        self.folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(self.settings.seed)
        self._resume()
        while self.standing.epoch < self.settings.epochs and not self._out_of_patience():
            self._epoch()
        if self.standing.best_epoch is None:
            raise TrainingError("the training ended without a figure on dev examples")
        self._restore_best()
        return Trained(self.standing.best_epoch, self.standing.best, self.standing.history)

    def _out_of_patience(self) -> bool:
        best, patience = self.standing.best_epoch, self.settings.patience
        if best is None or patience is None:
            return False
        return self.standing.epoch - 1 - best >= patience

    def _epoch(self) -> None:
        batches = epoch_batches(self.task.lengths, self.settings, self.standing.epoch)
        done = self.standing.step - self.standing.epoch * len(batches)
        self.task.start_epoch(self.standing.epoch)
        self.task.network.train()
        for batch in batches[done:]:
            self._step(batch)
            if self.standing.step % _STEPS_BETWEEN_REPORTS == 0:
                self._report(loss=self._mean_loss())
            if time.monotonic() - self.saved_at > self.save_every:
                self._save()
        self._end_epoch()

    def _step(self, batch: list[int]) -> None:
        import torch

        rate = learning_rate(self.settings, self.standing.step, self.steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with self._precision():
            loss = self.task.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), self.settings.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.losses.append(loss.detach())
        self.standing.step += 1

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
        standing = self.standing
        standing.history.append({"epoch": standing.epoch, "step": standing.step, **figures})
        if self._better(figures):
            standing.best, standing.best_epoch = figures, standing.epoch
            self._save_best()
        standing.epoch += 1
        self._report(loss=self._mean_loss(), dev=figures)
        self._save()

    def _better(self, figures: Mapping[str, float]) -> bool:
        """Whether an epoch is the best so far; a figure that is no number never is."""
        name, best = self.settings.best_by, self.standing.best
        if name not in figures:
            known = ", ".join(figures)
            raise TrainingError(f"there is no dev figure {name!r} to select by; there are {known}")
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
                f"the loss is no longer a number at step {self.standing.step}: "
                "try a lower learning rate"
            )
        return mean

    def _report(self, loss: float | None, dev: Mapping[str, float] | None = None) -> None:
        report = Report(self.standing.epoch, self.standing.step, self.steps, loss, dev)
        with (self.folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(report)) + "\n")
        if self.progress:
            self.progress(report)

    def _save(self) -> None:
        import torch

        state = {
            "standing": asdict(self.standing),
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
        state = torch.load(path, map_location="cpu", weights_only=True)
        standing = _Standing(**state["standing"])
        # A state written before a setting was added had that setting's default.
        settings = {**asdict(TrainingSettings()), **standing.settings}
        if (standing.fingerprint, settings) != (self.standing.fingerprint, self.standing.settings):
            raise TrainingError(
                f"{self.folder} holds a training with other data or settings; "
                "choose another folder, or remove it to start anew"
            )
        standing.settings = settings
        self.standing = standing
        with torch.no_grad():
            for name, value in self.parameters.items():
                value.copy_(state["weights"][name])
        self.optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["random"])
        if state["random_cuda"]:
            torch.cuda.set_rng_state_all(state["random_cuda"])

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
