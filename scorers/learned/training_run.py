"""A training's settings and entries in the card, and the checkpoint that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scorers.encoders import DEFAULT, Device, EncoderFiles
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.checkpoint import save_weights
from scorers.learned.loop import Progress
from scorers.learned.settings import TrainingSettings
from scorers.learned.trials import Trials


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """Where and how a training runs, and its entries in the card.

    cache: a folder in which features are stored for other trainings.
    """

    out: Path
    settings: TrainingSettings
    rates: tuple[float, ...]
    seeds: tuple[int, ...]
    encoder: str = DEFAULT
    device: Device = "auto"
    half: bool = False
    licence: str = ""
    command: str = ""
    notes: str = ""
    cache: Path | None = None
    progress: Progress | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TrainedExamples:
    """The files of a training, and its numbers of training and of dev examples."""

    sources: tuple[CardSource, ...]
    training: int
    dev: int


def write_checkpoint(
    trials: Trials,
    run: TrainingRun,
    *,
    kind: str,
    encoder_files: EncoderFiles,
    options: Mapping[str, Any],
    examples: TrainedExamples,
    extra: Mapping[str, Any] | None = None,
) -> CheckpointCard:
    """Write the best training's weights and card into the run's folder; returns the card."""
    card = CheckpointCard(
        kind=kind,
        encoder=encoder_files.name,
        encoder_sha256=encoder_files.sha256,
        options=options,
        settings=asdict(trials.best.settings),
        data=examples.sources,
        licence=run.licence,
        command=run.command,
        figures={**trials.figures(), "training": examples.training, "dev": examples.dev},
        history=tuple(trials.best.result.history),
        versions={name: version(name) for name in ("torch", "transformers", "peft")},
        weights_sha256=save_weights(trials.weights(), run.out, half=run.half),
        notes=run.notes,
        extra={**(extra or {}), "trials": trials.table()},
    )
    card.write(run.out)
    return card
