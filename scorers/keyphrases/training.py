"""Training a keyphrase predictor, writing its checkpoint and card, and evaluating it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness import FIGURES
from scorers.datasets.questions import DEVIATIONS, read
from scorers.encoders import Device, Pieces, pad_batch, tokenise, tokenise_pairs
from scorers.encoders.batching import batches_by_length
from scorers.keyphrases.examples import (
    KeyphraseExample,
    Labels,
    build_examples,
    generate_questions,
    split_by_group,
)
from scorers.keyphrases.predictor import KP, KPQA, KeyphrasePredictor, build_network
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.settings import TrainingSettings
from scorers.learned.trials import (
    CardEntries,
    File,
    TrainingRun,
    check_parts,
    read_files,
    train_checkpoint,
)

if TYPE_CHECKING:
    import torch

    from scorers.learned.networks import KeyphraseNetwork

PieceLabels = NDArray[np.float32]

_DEV_TOKENS_PER_BATCH = 8192


class KeyphraseTask:
    """The task of the training loop (`scorers.learned.loop.LearningTask`) for the predictor.

    A wordpiece's label is the mean weight of its characters. The loss is the mean cross-entropy
    between label and prediction over the wordpieces of a batch's texts. Texts longer than
    `max_tokens` lose their ends and the keyphrases there.
    """

    def __init__(
        self,
        network: KeyphraseNetwork,
        tokeniser: Any,
        train: Sequence[KeyphraseExample],
        dev: Sequence[KeyphraseExample],
        *,
        uses_question: bool,
        max_tokens: int,
    ) -> None:
        self.network = network
        self.device = next(network.parameters()).device
        self.padding = tokeniser.pad_token_id or 0
        self.train = label_wordpieces(
            tokeniser, train, uses_question=uses_question, max_tokens=max_tokens
        )
        self.dev = label_wordpieces(
            tokeniser, dev, uses_question=uses_question, max_tokens=max_tokens
        )
        self.lengths = [len(pieces) for pieces, _ in self.train]
        self.fingerprint = _fingerprint(train, dev, uses_question=uses_question)

    def start_epoch(self, epoch: int) -> None:
        """Do nothing: the examples are the same in every epoch."""

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        total, count, _ = self._forward([self.train[index] for index in indices])
        return total / max(1, count)

    def evaluate(self) -> Mapping[str, float]:
        """The dev examples' loss, and precision, recall and F1 of their keyphrase wordpieces."""
        total, count = 0.0, 0
        counts = np.zeros(3)
        for batch in batches_by_length([len(row) for row, _ in self.dev], _DEV_TOKENS_PER_BATCH):
            loss, pieces, batch_counts = self._forward([self.dev[index] for index in batch])
            total += float(loss)
            count += pieces
            counts += batch_counts
        return {"loss": total / max(1, count), **f1_figures(*counts.tolist())}

    def _forward(
        self, rows: Sequence[tuple[Pieces, PieceLabels]]
    ) -> tuple[torch.Tensor, int, NDArray[np.float64]]:
        """The summed loss, its number of wordpieces, and the counts for `f1_figures`."""
        import torch

        inputs = pad_batch([pieces for pieces, _ in rows], self.device, self.padding)
        labels = np.full(tuple(inputs["input_ids"].shape), -1.0, dtype=np.float32)
        for i, (pieces, weights) in enumerate(rows):
            labels[i, pieces.start : pieces.end] = weights
        gold_labels = torch.from_numpy(labels).to(self.device)
        is_text = gold_labels >= 0
        log_odds = self.network(inputs).float().log_softmax(-1)[is_text]
        gold = gold_labels[is_text]
        loss = -(gold * log_odds[:, 0] + (1 - gold) * log_odds[:, 1]).sum()
        predicted, true = log_odds[:, 0] > log_odds[:, 1], gold > 0.5
        counts = torch.stack([(predicted & true).sum(), predicted.sum(), true.sum()])
        return loss, len(gold), counts.double().cpu().numpy()


def label_wordpieces(
    tokeniser: Any, examples: Sequence[KeyphraseExample], *, uses_question: bool, max_tokens: int
) -> list[tuple[Pieces, PieceLabels]]:
    """The network's input for each example, and the label of each wordpiece of its text."""
    if uses_question:
        pairs = [(example.question, example.text) for example in examples]
        rows = tokenise_pairs(tokeniser, pairs, max_tokens)
    else:
        rows = tokenise(tokeniser, [example.text for example in examples], max_tokens)
    return [(row, _labels(example, row)) for example, row in zip(examples, rows, strict=True)]


def f1_figures(correct: float, predicted: float, gold: float) -> dict[str, float]:
    """Precision, recall and F1 by the library's formulas; 0 instead of 0/0.

    `correct`, `predicted` and `gold` are numbers of keyphrase wordpieces: both predicted and gold,
    predicted, and gold.
    """
    counts = np.array([correct, predicted - correct, gold - correct, 0.0])
    return {
        name: float(np.nan_to_num(FIGURES[name](counts))) for name in ("precision", "recall", "f1")
    }


def _labels(example: KeyphraseExample, row: Pieces) -> PieceLabels:
    characters = np.zeros(len(example.text) + 1)
    for start, end, weight in example.weights:
        characters[start:end] = weight
    sums = np.concatenate(([0.0], np.cumsum(characters)))
    spans = np.array(row.spans, dtype=np.int64).reshape(-1, 2)
    widths = np.maximum(1, spans[:, 1] - spans[:, 0])
    labels: PieceLabels = ((sums[spans[:, 1]] - sums[spans[:, 0]]) / widths).astype(np.float32)
    return np.clip(labels, 0.0, 1.0)


def _fingerprint(
    train: Sequence[KeyphraseExample], dev: Sequence[KeyphraseExample], *, uses_question: bool
) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for examples in (train, dev):
        digest.update(repr((uses_question, len(examples))).encode())
        for example in examples:
            digest.update(repr(example).encode("utf-8", "replace"))
    return digest.hexdigest()


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
    files: Sequence[File], run: TrainingRun, recipe: KeyphraseRecipe
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

    def build(encoder: Any, settings: TrainingSettings) -> KeyphraseNetwork:
        return build_network(encoder, settings.lora_rank)

    def make_task(
        network: KeyphraseNetwork, tokeniser: Any, settings: TrainingSettings
    ) -> KeyphraseTask:
        return KeyphraseTask(
            network,
            tokeniser,
            training,
            dev,
            uses_question=recipe.asks,
            max_tokens=settings.max_tokens,
        )

    formats = dict.fromkeys(format_ for _, format_ in files)
    deviations = [DEVIATIONS[format_] for format_ in formats if format_ in DEVIATIONS]
    entries = CardEntries(
        KPQA if recipe.asks else KP, asdict(recipe), sources, len(training), len(dev)
    )
    run = replace(run, notes=" ".join(filter(None, (run.notes, *deviations))))
    return train_checkpoint(run, entries, build, make_task)


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
    check_parts(len(training), len(dev))
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
    files: Sequence[File], labels: Labels = "mean"
) -> tuple[list[KeyphraseExample], tuple[CardSource, ...]]:
    """The distinct examples of files of (path, format), and the files' entries in the card.

    Raises FileError.
    """
    examples, sources = read_files(
        files, lambda path, format_: build_examples(read(path, format_)[0], labels)
    )
    return list(dict.fromkeys(examples)), sources
