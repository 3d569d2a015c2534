"""Training and evaluating a keyphrase predictor, from files to a checkpoint with its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from scorers.encoders import DEFAULT, Device, choose_device, locate, open_model
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
from scorers.learned.card import Card, Source
from scorers.learned.checkpoint import checkpoint_folder, file_sha256, save_weights
from scorers.learned.loop import Progress
from scorers.learned.settings import TrainingSettings
from scorers.learned.trials import run_trials

_DEV_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class KeyphraseRecipe:
    """What shapes the examples, beside the settings of the training.

    `asks` False trains the KP ablation: the examples are the same, and the question is left out
    of the network's input. `made` adds yes/no and either/or questions: so many as that share of
    the training examples. `share` trains on a draw of that share of the examples.
    """

    asks: bool = True
    labels: Labels = "mean"
    made: float = 0.0
    share: float = 1.0


def train_predictor(
    files: Sequence[tuple[Path, str]],
    out: Path,
    settings: TrainingSettings,
    recipe: KeyphraseRecipe,
    *,
    encoder: str = DEFAULT,
    device: Device = "auto",
    rates: Sequence[float] = (),
    seeds: Sequence[int] = (),
    half: bool = False,
    licence: str = "",
    command: str = "",
    notes: str = "",
    progress: Progress | None = None,
) -> Card:
    """Train on files of (path, format) and write a checkpoint into `out`; return its card.

    One training is made for each of the learning rates `rates` and the `seeds` (empty: those of
    `settings`), and the checkpoint is the best of them (`scorers.learned.trials`); the card lists
    them all as `trials`; its notes are `notes` and what the readers of the files do otherwise than
    KPQA. `settings.seed` draws the examples of every training: a tenth of the
    passages are the dev examples. A training that was stopped or killed resumes when called again
    with the same arguments. Raises FileError, EncoderError or TrainingError.
    """
    examples, sources = read_examples(files, recipe.labels)
    training, dev = draw_examples(examples, recipe, settings.seed)
    located = locate(encoder)
    chosen = choose_device(device)

    def make(trial: TrainingSettings) -> KeyphraseTask:
        _seed_everything(trial.seed)
        tokeniser, model = open_model(located)
        return KeyphraseTask(
            build_network(model, trial.lora_rank).to(chosen),
            tokeniser,
            training,
            dev,
            asks=recipe.asks,
            max_tokens=trial.max_tokens,
            device=chosen,
        )

    trials = run_trials(
        make,
        settings,
        rates or (settings.learning_rate,),
        seeds or (settings.seed,),
        out / "training",
        progress,
    )
    card = Card(
        kind=KPQA if recipe.asks else KP,
        encoder=located.name,
        encoder_sha256=located.sha256,
        options=asdict(recipe),
        settings=asdict(trials.best.settings),
        data=tuple(sources),
        licence=licence,
        command=command,
        figures={**trials.figures(), "training": len(training), "dev": len(dev)},
        history=tuple(trials.best.result.history),
        versions={name: version(name) for name in ("torch", "transformers", "peft")},
        weights_sha256=save_weights(trials.weights(), out, half=half),
        notes=" ".join(filter(None, (notes, *_deviation_notes(files)))),
        extra={"trials": trials.table()},
    )
    card.write(out)
    return card


def draw_examples(
    examples: Sequence[KeyphraseExample], recipe: KeyphraseRecipe, seed: int
) -> tuple[list[KeyphraseExample], list[KeyphraseExample]]:
    """The training and the dev examples of a recipe, the same whether it shows the question.

    The dev examples are all those of a tenth of the passages; `recipe.share` and `recipe.made`
    apply to the training examples only. Raises TrainingError where either part is empty.
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

    A wordpiece is predicted when its weight is above one half, and marked when more than half of
    the annotators marked it. Raises FileError, CheckpointError or EncoderError.
    """
    predictor = KeyphrasePredictor(checkpoint_folder(checkpoint), device)
    questions, _ = read(path, format_)
    examples = build_examples(questions)
    rows = label_wordpieces(
        predictor.tokeniser, examples, asks=predictor.asks, max_tokens=predictor.max_tokens
    )
    pairs = [(example.question, example.text) for example in examples]
    found = predicted = marked = 0
    for keyphrases, (_, labels) in zip(predictor.keyphrases(pairs), rows, strict=True):
        chosen, gold = keyphrases.weights > 0.5, labels > 0.5
        found += int((chosen & gold).sum())
        predicted += int(chosen.sum())
        marked += int(gold.sum())
    return {**f1_figures(found, predicted, marked), "examples": len(examples)}


def read_examples(
    files: Sequence[tuple[Path, str]], labels: Labels = "mean"
) -> tuple[list[KeyphraseExample], list[Source]]:
    """The distinct examples of some files of (path, format), and what the card says of each file.

    Raises FileError.
    """
    examples: dict[KeyphraseExample, None] = {}
    sources = []
    for path, format_ in files:
        questions, _ = read(path, format_)
        built = build_examples(questions, labels)
        examples.update(dict.fromkeys(built))
        sources.append(Source(path.name, format_, file_sha256(path), len(built)))
    return list(examples), sources


def _deviation_notes(files: Sequence[tuple[Path, str]]) -> list[str]:
    """What the card says of formats that are not read as KPQA describes."""
    formats = dict.fromkeys(format_ for _, format_ in files)
    return [DEVIATIONS[format_] for format_ in formats if format_ in DEVIATIONS]


def _seed_everything(seed: int) -> None:
    """The head and the adapters start from the seed."""
    import torch

    torch.manual_seed(seed)
