"""Training the keyphrase predictor: inputs, labels, loss, and token-level F1."""

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
    """The training loop's view of the predictor (see `scorers.learned.task.Task`).

    A wordpiece's label is the mean weight of its characters. The loss is the mean over the text's
    wordpieces of a batch of the cross-entropy between label and prediction. Texts longer than
    `max_tokens` lose their end, and the keyphrases in it.
    """

    def __init__(
        self,
        network: KeyphraseNetwork,
        tokeniser: Any,
        train: Sequence[KeyphraseExample],
        dev: Sequence[KeyphraseExample],
        *,
        asks: bool,
        max_tokens: int,
        device: torch.device,
    ) -> None:
        self.network = network
        self.device = device
        self.padding = tokeniser.pad_token_id or 0
        self.train = label_wordpieces(tokeniser, train, asks=asks, max_tokens=max_tokens)
        self.dev = label_wordpieces(tokeniser, dev, asks=asks, max_tokens=max_tokens)
        self.lengths = [len(pieces) for pieces, _ in self.train]
        self.fingerprint = _fingerprint(train, dev, asks=asks)

    def start_epoch(self, epoch: int) -> None:
        """Nothing about a keyphrase example changes from epoch to epoch."""

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        total, count, _ = self._forward([self.train[index] for index in indices])
        return total / max(1, count)

    def evaluate(self) -> Mapping[str, float]:
        """The dev examples' loss, and precision, recall and F1 of their keyphrase wordpieces."""
        total, count = 0.0, 0
        hits = np.zeros(3)
        for batch in batches_by_length([len(row) for row, _ in self.dev], _DEV_TOKENS_PER_BATCH):
            loss, pieces, found = self._forward([self.dev[place] for place in batch])
            total += float(loss)
            count += pieces
            hits += found
        return {"loss": total / max(1, count), **f1_figures(*hits.tolist())}

    def _forward(
        self, rows: Sequence[tuple[Pieces, Labels]]
    ) -> tuple[torch.Tensor, int, NDArray[np.float64]]:
        """The summed loss, the wordpieces it sums over, and (found, predicted, marked) pieces."""
        import torch

        inputs = pad_batch([pieces for pieces, _ in rows], self.device, self.padding)
        labels = np.full(tuple(inputs["input_ids"].shape), -1.0, dtype=np.float32)
        for i, (pieces, weights) in enumerate(rows):
            labels[i, pieces.start : pieces.end] = weights
        marked = torch.from_numpy(labels).to(self.device)
        counted = marked >= 0
        log_odds = self.network(inputs).float().log_softmax(-1)[counted]
        gold = marked[counted]
        loss = -(gold * log_odds[:, 0] + (1 - gold) * log_odds[:, 1]).sum()
        predicted, true = log_odds[:, 0] > log_odds[:, 1], gold > 0.5
        found = torch.stack([(predicted & true).sum(), predicted.sum(), true.sum()])
        return loss, len(gold), found.double().cpu().numpy()


def label_wordpieces(
    tokeniser: Any, examples: Sequence[KeyphraseExample], *, asks: bool, max_tokens: int
) -> list[tuple[Pieces, Labels]]:
    """Each example as the network's input, and the label of each wordpiece of its text."""
    if asks:
        pairs = [(example.question, example.text) for example in examples]
        rows = tokenise_pairs(tokeniser, pairs, max_tokens)
    else:
        rows = tokenise(tokeniser, [example.text for example in examples], max_tokens)
    return [(row, _labels(example, row)) for example, row in zip(examples, rows, strict=True)]


def f1_figures(found: float, predicted: float, marked: float) -> dict[str, float]:
    """Precision, recall and F1, by the library's formulas; each 0 where it would be 0/0."""
    counts = np.array([found, predicted - found, marked - found, 0.0])
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
    train: Sequence[KeyphraseExample], dev: Sequence[KeyphraseExample], *, asks: bool
) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for examples in (train, dev):
        digest.update(repr((asks, len(examples))).encode())
        for example in examples:
            digest.update(repr(example).encode("utf-8", "replace"))
    return digest.hexdigest()
