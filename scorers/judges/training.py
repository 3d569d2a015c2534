"""Training a judge on judgments, from files to a checkpoint with its card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scorers.encoders import DEFAULT, Device, Located, choose_device, locate, open_model
from scorers.errors import TrainingError
from scorers.judges.companion import Companion
from scorers.judges.examples import Examples, augmented, of_judgments, softened, with_features
from scorers.judges.features import FeatureMetrics
from scorers.judges.form import build_network
from scorers.judges.head_start import start_head
from scorers.judges.judge import card_options
from scorers.judges.plan import Data, Plan
from scorers.judges.task import JudgeTask
from scorers.keyphrases.examples import KeyphraseExample, build_examples, split_by_group
from scorers.keyphrases.sources import read
from scorers.keyphrases.task import KeyphraseTask
from scorers.learned.card import Card, Source
from scorers.learned.checkpoint import file_sha256, save_weights
from scorers.learned.loop import Progress
from scorers.learned.settings import TrainingSettings
from scorers.learned.starting import start_from
from scorers.learned.training_items import training_record
from scorers.learned.trials import Trials, run_trials
from scorers.services import Services

# A dev part for the companion's own figures, which nobody looks at yet.
_KEYPHRASE_DEV = 0.02


@dataclass(frozen=True, slots=True)
class Run:
    """Where and how a training runs, and what its card says beside the outcome.

    In the folder `cache`, where one is given, features are kept for other trainings.
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


def train_judge(plan: Plan, data: Data, run: Run) -> Card:
    """Train a judge and write its checkpoint; returns the card.

    A training that was stopped or killed goes on from where it was when called again with the
    same arguments. Raises EncoderError, CheckpointError or TrainingError.
    """
    if plan.recipe.graded and not plan.head.features:
        raise TrainingError("graded targets need features")
    train, dev = judge_examples(plan, data, run.device, run.cache)
    maker = _Maker(plan, train, dev, run)
    trials = run_trials(
        maker.task, run.settings, run.rates, run.seeds, run.out / "training", run.progress
    )
    counts = {"training": len(train), "dev": len(dev)}
    return write_checkpoint(
        trials,
        run,
        kind=plan.kind,
        located=maker.located,
        options={
            **card_options(plan.head, **plan.form_options),
            "loss": plan.loss,
            "combine": plan.combine,
            "recipe": plan.recipe.options(),
        },
        data=(*data.sources, *maker.sources),
        counts=counts,
        extra={
            "features": FeatureMetrics(plan.head.features).signature(),
            **training_record((*data.train, *data.dev), run.out, plan.recipe.start),
        },
    )


def judge_examples(
    plan: Plan, data: Data, device: Device, cache: Path | None = None
) -> tuple[Examples, Examples]:
    """A plan's training and dev examples, features and all."""
    train = augmented(of_judgments(data.train, plan.recipe.references), plan.recipe.augment)
    dev = of_judgments(data.dev)
    metrics = FeatureMetrics(plan.head.features)
    if not plan.head.features:
        return train, dev
    services = Services(device)
    try:
        train, dev = (with_features(part, metrics, services, cache) for part in (train, dev))
    finally:
        services.close()
    return softened(train, plan.recipe.graded), dev


def write_checkpoint(
    trials: Trials,
    run: Run,
    *,
    kind: str,
    located: Located,
    options: Mapping[str, Any],
    data: Sequence[Source],
    counts: dict[str, int],
    extra: Mapping[str, Any],
) -> Card:
    """Write the kept training's weights and its card into the run's folder; returns the card."""
    card = Card(
        kind=kind,
        encoder=located.name,
        encoder_sha256=located.sha256,
        options=options,
        settings=asdict(trials.kept.settings),
        data=tuple(data),
        licence=run.licence,
        command=run.command,
        figures={**trials.figures(), **counts},
        history=tuple(trials.kept.trained.history),
        versions={name: version(name) for name in ("torch", "transformers", "peft")},
        weights_sha256=save_weights(trials.weights(), run.out, half=run.half),
        notes=run.notes,
        extra={**extra, "trials": trials.table()},
    )
    card.write(run.out)
    return card


class _Maker:
    """Makes the task of each training of a plan: the same examples, a fresh network."""

    def __init__(self, plan: Plan, train: Examples, dev: Examples, run: Run) -> None:
        self.plan, self.train, self.dev = plan, train, dev
        self.located = locate(run.encoder)
        self.device = choose_device(run.device)
        self.sources: list[Source] = []
        self._keyphrases: list[KeyphraseExample] = []
        for path, format_ in plan.recipe.keyphrases:
            questions, _ = read(path, format_)
            built = build_examples(questions)
            self._keyphrases += built
            self.sources.append(Source(path.name, format_, file_sha256(path), len(built)))

    def task(self, settings: TrainingSettings) -> JudgeTask:
        import torch

        plan = self.plan
        torch.manual_seed(settings.seed)
        tokeniser, encoder = open_model(self.located)
        network = build_network(
            plan.form, plan.head, encoder, settings.lora_rank, settings.max_tokens
        )
        if plan.recipe.start:
            start_from(network, plan.recipe.start, self.located.sha256)
        start_head(network, self.train.features, self.train.gold, plan.loss)
        network.to(self.device)
        return JudgeTask(
            network,
            plan.form,
            tokeniser,
            self.train,
            self.dev,
            loss=plan.loss,
            combine=plan.combine,
            rating=plan.rating,
            max_tokens=settings.max_tokens,
            device=self.device,
            companion=self._companion(network, tokeniser, settings),
        )

    def _companion(
        self, network: Any, tokeniser: Any, settings: TrainingSettings
    ) -> Companion | None:
        if not self._keyphrases:
            return None
        head = getattr(network.reader, "keyphrases", None)
        if head is None:
            raise TrainingError("keyphrases can only be learned beside LERC's readings")
        train, dev = split_by_group(self._keyphrases, _KEYPHRASE_DEV, settings.seed)
        task = KeyphraseTask(
            head,
            tokeniser,
            train,
            dev,
            asks=True,
            max_tokens=settings.max_tokens,
            device=self.device,
        )
        return Companion(task, len(self.train), self.plan.recipe.keyphrase_weight, settings.seed)
