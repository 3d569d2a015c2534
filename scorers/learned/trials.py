"""Training a checkpoint: its files, its initial weights, trials, and the card of the best one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import numpy as np

from scorers.encoders import (
    DEFAULT,
    Device,
    EncoderFiles,
    choose_device,
    file_sha256,
    locate,
    open_model,
)
from scorers.errors import TrainingError
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, load_state, save_weights
from scorers.learned.loop import BEST, LearningTask, Progress, TrainingResult, train
from scorers.learned.settings import TrainingSettings

if TYPE_CHECKING:
    import torch

Example = TypeVar("Example")
# A path and its format.
File = tuple[Path, str]


def read_files(
    files: Sequence[File], read: Callable[[Path, str], Sequence[Example]]
) -> tuple[list[Example], tuple[CardSource, ...]]:
    """What `read` reads of each file, and the files' entries in the card."""
    examples: list[Example] = []
    sources = []
    for path, format_ in files:
        file_examples = read(path, format_)
        examples += file_examples
        # A folder has no hash, and it may have too many files to list.
        sha256 = file_sha256(path) if path.is_file() else ""
        sources.append(CardSource(path.name, format_, sha256, len(file_examples)))
    return examples, tuple(sources)


def check_parts(train: int, dev: int, what: str = "examples") -> None:
    """Raises TrainingError when a part has no examples."""
    if not train or not dev:
        raise TrainingError(
            f"{train} training and {dev} dev {what} are too few: "
            "at least one of each is needed, from different passages"
        )


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """Where and how a training runs, and its entries in the card.

    rates, seeds: one training for each pair; if empty, those of the settings. cache: a folder in
    which features are stored for other trainings.
    """

    out: Path
    settings: TrainingSettings
    rates: tuple[float, ...] = ()
    seeds: tuple[int, ...] = ()
    encoder: str = DEFAULT
    device: Device = "auto"
    half: bool = False
    licence: str = ""
    command: str = ""
    notes: str = ""
    cache: Path | None = None
    progress: Progress | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CardEntries:
    """What a card says of the metric that is trained and of its examples.

    training, dev: the numbers of examples. extra: a function that makes the further entries, called
    after the training.
    """

    kind: str
    options: Mapping[str, Any]
    sources: tuple[CardSource, ...]
    training: int
    dev: int
    extra: Callable[[], Mapping[str, Any]] = dict


def train_checkpoint(
    run: TrainingRun,
    entries: CardEntries,
    build: Callable[[Any, TrainingSettings], torch.nn.Module],
    make_task: Callable[[Any, Any, TrainingSettings], LearningTask],
    start: str = "",
) -> CheckpointCard:
    """Train for each learning rate and seed, and write the best checkpoint; returns its card.

    `build(encoder, settings)` makes the network, and `make_task(network, tokeniser, settings)` its
    task, on the run's device. `start` is a checkpoint with the initial weights. A stopped or killed
    training resumes when called again with the same arguments. Raises EncoderError, CheckpointError
    or TrainingError.
    """
    check_parts(entries.training, entries.dev)
    encoder_files, device = locate(run.encoder), choose_device(run.device)

    def task(settings: TrainingSettings) -> LearningTask:
        import torch

        torch.manual_seed(settings.seed)
        tokeniser, encoder = open_model(encoder_files)
        network = build(encoder, settings)
        if start:
            load_initial_weights(network, start, encoder_files.sha256)
        return make_task(network.to(device), tokeniser, settings)

    settings = run.settings
    trials = run_trials(
        task,
        settings,
        run.rates or (settings.learning_rate,),
        run.seeds or (settings.seed,),
        run.out / "training",
        run.progress,
    )
    trained = TrainedWeights(
        trials.weights(),
        asdict(trials.best.settings),
        trials.figures(),
        encoder_files,
        tuple(trials.best.result.history),
        extra={"trials": trials.table()},
    )
    return write_checkpoint(run, entries, trained)


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """The weights of the best training, and what a card says of it. encoder_files: None for a
    metric without an encoder."""

    weights: Mapping[str, torch.Tensor]
    settings: Mapping[str, Any]
    figures: Mapping[str, float]
    encoder_files: EncoderFiles | None = None
    history: tuple[Mapping[str, Any], ...] = ()
    packages: tuple[str, ...] = ("torch", "transformers", "peft")
    extra: Mapping[str, Any] = field(default_factory=dict)


def write_checkpoint(
    run: TrainingRun, entries: CardEntries, trained: TrainedWeights
) -> CheckpointCard:
    """Write weights and card into the run's folder; returns the card."""
    encoder_files = trained.encoder_files
    card = CheckpointCard(
        kind=entries.kind,
        encoder=encoder_files.name if encoder_files else "",
        encoder_sha256=encoder_files.sha256 if encoder_files else "",
        options=entries.options,
        settings=trained.settings,
        data=entries.sources,
        licence=run.licence,
        command=run.command,
        figures={**trained.figures, "training": entries.training, "dev": entries.dev},
        history=trained.history,
        versions={name: version(name) for name in trained.packages},
        weights_sha256=save_weights(trained.weights, run.out, half=run.half),
        notes=run.notes,
        extra={**entries.extra(), **trained.extra},
    )
    card.write(run.out)
    return card


_ENCODER = re.compile(r"(?:.*?\.)?(?:encoders\.\d+|encoder)\.(?P<rest>.*)")
_KEYPHRASES = re.compile(r"(?:.*\.)?(?P<rest>(?:dense|out)\.(?:weight|bias))")
_KEYPHRASE_KINDS = ("kpqa", "kp")


def load_initial_weights(
    network: torch.nn.Module, checkpoint: str, encoder_sha256: str
) -> CheckpointCard:
    """Copy a checkpoint's weights to a network's encoders and to its keyphrase head, if it has one.

    Every encoder of the network receives the checkpoint's encoder weights, whatever the checkpoint
    was trained for; other heads keep their initial weights. Returns the checkpoint's card. Raises
    CheckpointError when there is no such checkpoint, TrainingError when it was trained on another
    encoder or with adapters of another rank.
    """
    folder = checkpoint_folder(checkpoint)
    card = CheckpointCard.read(folder)
    if card.encoder_sha256 != encoder_sha256:
        raise TrainingError(
            f"{checkpoint} was trained on another encoder, {card.encoder}: train on that encoder, "
            "or start from another checkpoint"
        )
    weights = load_state(folder, card)
    encoder_weights = {
        match["rest"]: value for name, value in weights.items() if (match := _ENCODER.match(name))
    }
    head_weights = {
        match["rest"]: value
        for name, value in weights.items()
        if (card.kind in _KEYPHRASE_KINDS or ".keyphrases." in name)
        and not _ENCODER.match(name)
        and (match := _KEYPHRASES.match(name))
    }
    _copy(network, encoder_weights, head_weights, checkpoint)
    return card


def _copy(
    network: torch.nn.Module,
    encoder_weights: dict[str, torch.Tensor],
    head_weights: dict[str, torch.Tensor],
    checkpoint: str,
) -> None:
    import torch

    with torch.no_grad():
        for name, value in network.named_parameters():
            if not value.requires_grad:
                continue
            if encoder_match := _ENCODER.match(name):
                initial = encoder_weights.get(encoder_match["rest"])
                if "crossattention" in name and initial is None:
                    continue
                if initial is None or initial.shape != value.shape:
                    raise TrainingError(
                        f"{checkpoint} has no weights for {name}: train both with the same LoRA "
                        "rank (0 trains every weight)"
                    )
                value.copy_(initial)
                continue
            head_match = _KEYPHRASES.match(name) if ".keyphrases." in name else None
            if head_match and (head := head_weights.get(head_match["rest"])) is not None:
                value.copy_(head)


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
