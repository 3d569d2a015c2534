"""Training a keyphrase predictor, writing its checkpoint and card, and evaluating it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from scorers.encoders import Device, choose_device, locate, open_model
from scorers.errors import TrainingError
from scorers.keyphrases.examples import (
    KeyphraseExample,
    Labels,
    build_examples,
    split_by_group,
)
from scorers.keyphrases.generated_questions import generate_questions
from scorers.keyphrases.predictor import KP, KPQA, KeyphrasePredictor, build_network
from scorers.keyphrases.sources import DEVIATIONS, read
from scorers.keyphrases.task import KeyphraseTask, f1_figures, label_wordpieces
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, file_sha256
from scorers.learned.settings import TrainingSettings
from scorers.learned.training_run import TrainedExamples, TrainingRun, write_checkpoint
from scorers.learned.trials import run_trials

_DEV_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class KeyphraseRecipe:
    """How the examples are made. The field names are the keys of the card's options.

    asks: whether the network's input has the question; False trains the KP ablation on the same
    examples. labels: how several annotators' marks become weights. made: the number of generated
    yes/no and either/or questions, as a share of the training examples. share: the share of the
    examples to train on.
    """

    asks: bool = True
    labels: Labels = "mean"
    made: float = 0.0
    share: float = 1.0


def train_predictor(
    files: Sequence[tuple[Path, str]], run: TrainingRun, recipe: KeyphraseRecipe
) -> CheckpointCard:
    """Train on files of (path, format) and write a checkpoint; return its card.

    There is one training for each of the learning rates and the seeds of `run` (if empty, those of
    its settings). The checkpoint is the best of them (`scorers.learned.trials`), and the card lists
    all as `trials`. The card's notes are those of `run` and the readers' deviations from KPQA.
    The seed of the settings draws the examples of every training; the dev examples are those of a
    tenth of the passages. A stopped or killed training resumes when called again with the same
    arguments. Raises FileError, EncoderError or TrainingError.
    """
    examples, sources = read_examples(files, recipe.labels)
    training, dev = draw_examples(examples, recipe, run.settings.seed)
    encoder_files, device = locate(run.encoder), choose_device(run.device)

    def make_task(trial: TrainingSettings) -> KeyphraseTask:
        _seed_torch(trial.seed)
        tokeniser, model = open_model(encoder_files)
        return KeyphraseTask(
            build_network(model, trial.lora_rank).to(device),
            tokeniser,
            training,
            dev,
            uses_question=recipe.asks,
            max_tokens=trial.max_tokens,
            device=device,
        )

    trials = run_trials(
        make_task,
        run.settings,
        run.rates or (run.settings.learning_rate,),
        run.seeds or (run.settings.seed,),
        run.out / "training",
        run.progress,
    )
    return write_checkpoint(
        trials,
        replace(run, notes=" ".join(filter(None, (run.notes, *_deviation_notes(files))))),
        kind=KPQA if recipe.asks else KP,
        encoder_files=encoder_files,
        options=asdict(recipe),
        examples=TrainedExamples(tuple(sources), len(training), len(dev)),
    )


def draw_examples(
    examples: Sequence[KeyphraseExample], recipe: KeyphraseRecipe, seed: int
) -> tuple[list[KeyphraseExample], list[KeyphraseExample]]:
    """The training and the dev examples of a recipe; they do not depend on `recipe.asks`.

    The dev examples are those of a tenth of the passages; `recipe.share` and `recipe.made` apply to
    the training examples only. Raises TrainingError when a part is empty.
    """
    training, dev = split_by_group(examples, _DEV_SHARE, seed)
    rng = np.random.default_rng(seed)
    if recipe.share < 1:
        size = round(recipe.share * len(training))
        training = [training[i] for i in np.sort(rng.permutation(len(training))[:size])]
    if recipe.made:
        training += generate_questions(training, recipe.made, rng)
    if not training or not dev:
        raise TrainingError(
            f"{len(training)} training and {len(dev)} dev examples are too few: "
            "at least one of each is needed, from different passages"
        )
    return training, dev


def evaluate_predictor(
    checkpoint: str, path: Path, format_: str, device: Device = "auto"
) -> dict[str, float]:
    """Token-level precision, recall and F1 of a predictor on a question answering file.

    A wordpiece is predicted as a keyphrase if its weight is above one half, and it is gold if more
    than half of the annotators marked it. Raises FileError, CheckpointError or EncoderError.
    """
    predictor = KeyphrasePredictor(checkpoint_folder(checkpoint), device)
    questions, _ = read(path, format_)
    examples = build_examples(questions)
    rows = label_wordpieces(
        predictor.tokeniser,
        examples,
        uses_question=predictor.uses_question,
        max_tokens=predictor.max_tokens,
    )
    pairs = [(example.question, example.text) for example in examples]
    correct = predicted = gold = 0
    for keyphrases, (_, labels) in zip(predictor.keyphrases(pairs), rows, strict=True):
        is_predicted, is_gold = keyphrases.weights > 0.5, labels > 0.5
        correct += int((is_predicted & is_gold).sum())
        predicted += int(is_predicted.sum())
        gold += int(is_gold.sum())
    return {**f1_figures(correct, predicted, gold), "examples": len(examples)}


def read_examples(
    files: Sequence[tuple[Path, str]], labels: Labels = "mean"
) -> tuple[list[KeyphraseExample], list[CardSource]]:
    """The distinct examples of files of (path, format), and the files' entries in the card.

    Raises FileError.
    """
    examples: dict[KeyphraseExample, None] = {}
    sources = []
    for path, format_ in files:
        questions, _ = read(path, format_)
        file_examples = build_examples(questions, labels)
        examples.update(dict.fromkeys(file_examples))
        sources.append(CardSource(path.name, format_, file_sha256(path), len(file_examples)))
    return list(examples), sources


def _deviation_notes(files: Sequence[tuple[Path, str]]) -> list[str]:
    """The card's notes on formats that are read otherwise than in KPQA."""
    formats = dict.fromkeys(format_ for _, format_ in files)
    return [DEVIATIONS[format_] for format_ in formats if format_ in DEVIATIONS]


def _seed_torch(seed: int) -> None:
    """Seed the initial weights of the head and the adapters."""
    import torch

    torch.manual_seed(seed)
