"""Pre-training LERC on multiple-choice sets: the paper's defaults (appendix A)."""

from __future__ import annotations

from collections.abc import Sequence

from concord.metrics.items import Item
from scorers.encoders import choose_device, locate, open_model
from scorers.errors import TrainingError
from scorers.judges.form import Head, build_network
from scorers.judges.judge import card_options
from scorers.judges.plan import File, TrainingFiles
from scorers.judgments.splitting import is_drawn, is_in_share
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.checkpoint import file_sha256
from scorers.learned.initial_weights import load_initial_weights
from scorers.learned.settings import TrainingSettings
from scorers.learned.training_items import write_training_items
from scorers.learned.training_run import TrainedExamples, TrainingRun, write_checkpoint
from scorers.learned.trials import run_trials
from scorers.lerc.choices import ChoiceTask, TwoAnswers, make_choices
from scorers.lerc.form import LercForm
from scorers.multiple_choice import ChoiceQuestion, read_choices

#: The kind of checkpoint that pre-training writes; it is not a judge.
CHOICES = "lerc-choices"

_CLASSES = 3


def pretrain_lerc(
    files: TrainingFiles,
    run: TrainingRun,
    *,
    form: LercForm | None = None,
    start: str = "",
    dev_share: float = 0.1,
    split_seed: int = 1,
    train_share: float = 1.0,
) -> CheckpointCard:
    """Pre-train on multiple-choice files; write and return the card.

    The two answers take the positions of reference and candidate, so `form` needs both; the default
    also reads passage and question. Without dev files a share of the passages is drawn for dev;
    of the others, `train_share` is drawn for training. `train_lerc` starts from the checkpoint by
    `Recipe(start=...)`. Raises FileError, EncoderError, CheckpointError or TrainingError.
    """
    form = form or LercForm()
    if not {"reference", "candidate"} <= set(form.parts):
        raise TrainingError(
            "pre-training compares two answers: the parts must include reference and candidate"
        )
    questions, sources = _read(files.train)
    dev_questions, dev_sources = _read(files.dev)
    if not files.dev:
        questions, dev_questions = _split(questions, dev_share, split_seed)
    questions = [
        question for question in questions if is_drawn(question.group, train_share, split_seed)
    ]
    train, dev = _choices(questions), _choices(dev_questions)
    encoder_files, device = locate(run.encoder), choose_device(run.device)
    head = Head(_CLASSES)

    def make_task(settings: TrainingSettings) -> ChoiceTask:
        import torch

        torch.manual_seed(settings.seed)
        tokeniser, encoder = open_model(encoder_files)
        network = build_network(form, head, encoder, settings.lora_rank, settings.max_tokens)
        if start:
            load_initial_weights(network, start, encoder_files.sha256)
        return ChoiceTask(
            network.to(device),
            form,
            tokeniser,
            train,
            dev,
            max_tokens=settings.max_tokens,
            seed=settings.seed,
        )

    trials = run_trials(
        make_task, run.settings, run.rates, run.seeds, run.out / "training", run.progress
    )
    items = _items([*questions, *dev_questions])
    return write_checkpoint(
        trials,
        run,
        kind=CHOICES,
        encoder_files=encoder_files,
        options=card_options(head, **form.options()),
        examples=TrainedExamples((*sources, *dev_sources), len(train), len(dev)),
        extra={"training_items": write_training_items(items, run.out, start)},
    )


def _read(files: Sequence[File]) -> tuple[list[ChoiceQuestion], list[CardSource]]:
    questions, sources = [], []
    for path, format_ in files:
        file_questions = read_choices(path, format_)
        questions += file_questions
        # A folder has no hash, and it may have too many files to list.
        sha256 = file_sha256(path) if path.is_file() else ""
        sources.append(CardSource(path.name, format_, sha256, len(file_questions)))
    return questions, sources


def _split(
    questions: Sequence[ChoiceQuestion], dev_share: float, seed: int
) -> tuple[list[ChoiceQuestion], list[ChoiceQuestion]]:
    """The training questions, and the dev questions: those of a share of the passages."""
    parts: tuple[list[ChoiceQuestion], list[ChoiceQuestion]] = [], []
    for question in questions:
        parts[is_in_share(question.group, dev_share, seed)].append(question)
    return parts


def _items(questions: Sequence[ChoiceQuestion]) -> list[Item]:
    return [
        Item(answer, ("",), question.question, question.passage)
        for question in questions
        for answer in (*question.right, *question.wrong)
    ]


def _choices(questions: Sequence[ChoiceQuestion]) -> list[TwoAnswers]:
    choices = [choice for question in questions for choice in make_choices(question)]
    return list(dict.fromkeys(choices))
