"""Training a judge on judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scorers.encoders import Device, choose_device, locate, open_model
from scorers.errors import TrainingError
from scorers.judges.auxiliary_task import AuxiliaryTask
from scorers.judges.examples import (
    Examples,
    add_features,
    augment_examples,
    examples_from_judgments,
    soften_gold,
)
from scorers.judges.features import FeatureMetrics
from scorers.judges.form import build_network
from scorers.judges.head_initialisation import initialise_head
from scorers.judges.judge import card_options
from scorers.judges.plan import Data, JudgePlan
from scorers.judges.task import JudgeTask
from scorers.keyphrases.examples import KeyphraseExample, build_examples, split_by_group
from scorers.keyphrases.sources import read
from scorers.keyphrases.task import KeyphraseTask
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.checkpoint import file_sha256
from scorers.learned.initial_weights import load_initial_weights
from scorers.learned.settings import TrainingSettings
from scorers.learned.training_items import training_record
from scorers.learned.training_run import TrainedExamples, TrainingRun, write_checkpoint
from scorers.learned.trials import run_trials
from scorers.services import Services

# The auxiliary task needs dev examples, although its dev figures are not used.
_KEYPHRASE_DEV_SHARE = 0.02


def train_judge(plan: JudgePlan, data: Data, run: TrainingRun) -> CheckpointCard:
    """Train a judge and write its checkpoint; returns the card.

    A stopped or killed training resumes when called again with the same arguments. Raises
    EncoderError, CheckpointError or TrainingError.
    """
    if plan.recipe.graded and not plan.head.features:
        raise TrainingError("graded gold scores need features: name some, or set graded to 0")
    train, dev = judge_examples(plan, data, run.device, run.cache)
    factory = _TaskFactory(plan, train, dev, run)
    trials = run_trials(
        factory.make_task, run.settings, run.rates, run.seeds, run.out / "training", run.progress
    )
    return write_checkpoint(
        trials,
        run,
        kind=plan.kind,
        encoder_files=factory.encoder_files,
        options={
            **card_options(plan.head, **plan.form_options),
            "loss": plan.loss,
            "combine": plan.combine,
            "recipe": plan.recipe.options(),
        },
        examples=TrainedExamples((*data.sources, *factory.sources), len(train), len(dev)),
        extra={
            "features": FeatureMetrics(plan.head.features).signature(),
            **training_record((*data.train, *data.dev), run.out, plan.recipe.start),
        },
    )


def judge_examples(
    plan: JudgePlan, data: Data, device: Device, cache: Path | None = None
) -> tuple[Examples, Examples]:
    """A plan's training and dev examples with their features."""
    train = augment_examples(
        examples_from_judgments(data.train, plan.recipe.references), plan.recipe.augment
    )
    dev = examples_from_judgments(data.dev)
    metrics = FeatureMetrics(plan.head.features)
    if not plan.head.features:
        return train, dev
    services = Services(device)
    try:
        train, dev = (add_features(part, metrics, services, cache) for part in (train, dev))
    finally:
        services.close()
    return soften_gold(train, plan.recipe.graded), dev


class _TaskFactory:
    """Makes the task of each training of a plan: the same examples and a new network."""

    def __init__(self, plan: JudgePlan, train: Examples, dev: Examples, run: TrainingRun) -> None:
        self.plan, self.train, self.dev = plan, train, dev
        self.encoder_files = locate(run.encoder)
        self.device = choose_device(run.device)
        self.sources: list[CardSource] = []
        self._keyphrases: list[KeyphraseExample] = []
        for path, format_ in plan.recipe.keyphrases:
            questions, _ = read(path, format_)
            examples = build_examples(questions)
            self._keyphrases += examples
            self.sources.append(CardSource(path.name, format_, file_sha256(path), len(examples)))

    def make_task(self, settings: TrainingSettings) -> JudgeTask:
        import torch

        plan = self.plan
        torch.manual_seed(settings.seed)
        tokeniser, encoder = open_model(self.encoder_files)
        network = build_network(
            plan.form, plan.head, encoder, settings.lora_rank, settings.max_tokens
        )
        if plan.recipe.start:
            load_initial_weights(network, plan.recipe.start, self.encoder_files.sha256)
        initialise_head(network, self.train.features, self.train.gold, plan.loss)
        network.to(self.device)
        return JudgeTask(
            network,
            plan,
            tokeniser,
            self.train,
            self.dev,
            max_tokens=settings.max_tokens,
            auxiliary_task=self._auxiliary_task(network, tokeniser, settings),
        )

    def _auxiliary_task(
        self, network: Any, tokeniser: Any, settings: TrainingSettings
    ) -> AuxiliaryTask | None:
        if not self._keyphrases:
            return None
        head = getattr(network.reader, "keyphrases", None)
        if head is None:
            raise TrainingError("only LERC can be trained with keyphrase files: leave them out")
        train, dev = split_by_group(self._keyphrases, _KEYPHRASE_DEV_SHARE, settings.seed)
        task = KeyphraseTask(
            head,
            tokeniser,
            train,
            dev,
            uses_question=True,
            max_tokens=settings.max_tokens,
            device=self.device,
        )
        return AuxiliaryTask(
            task, len(self.train), self.plan.recipe.keyphrase_weight, settings.seed
        )
