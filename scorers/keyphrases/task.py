"""The training task of the keyphrase predictor: inputs, labels, loss and token-level F1."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness import FIGURES
from scorers.encoders import Pieces, pad_batch, tokenise, tokenise_pairs
from scorers.encoders.batching import batches_by_length
from scorers.keyphrases.examples import KeyphraseExample

if TYPE_CHECKING:
    import torch

    from scorers.keyphrases.network import KeyphraseNetwork

Labels = NDArray[np.float32]

_DEV_TOKENS_PER_BATCH = 8192


class KeyphraseTask:
    """The task of the training loop (`scorers.learned.task.LearningTask`) for the predictor.

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
        device: torch.device,
    ) -> None:
        self.network = network
        self.device = device
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
        self, rows: Sequence[tuple[Pieces, Labels]]
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
) -> list[tuple[Pieces, Labels]]:
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


def _labels(example: KeyphraseExample, row: Pieces) -> Labels:
    characters = np.zeros(len(example.text) + 1)
    for start, end, weight in example.weights:
        characters[start:end] = weight
    sums = np.concatenate(([0.0], np.cumsum(characters)))
    spans = np.array(row.spans, dtype=np.int64).reshape(-1, 2)
    widths = np.maximum(1, spans[:, 1] - spans[:, 0])
    labels: Labels = ((sums[spans[:, 1]] - sums[spans[:, 0]]) / widths).astype(np.float32)
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
