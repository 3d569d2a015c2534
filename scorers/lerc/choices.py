"""LERC's pre-training (Section 3.2): which of two answers to a question is right, or are both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from scorers.encoders.batching import batches_by_length
from scorers.errors import TrainingError
from scorers.judges.judge import network_pass
from scorers.judges.rows import Row
from scorers.lerc.form import LercForm
from scorers.multiple_choice import ChoiceQuestion

if TYPE_CHECKING:
    import torch

    from scorers.judges.network import JudgeNetwork

#: The three classes.
FIRST, SECOND, BOTH = 0, 1, 2

_DEV_TOKENS_PER_BATCH = 8192


@dataclass(frozen=True, slots=True)
class Choice:
    """Two answers to a question; `both` right, or else only the first of them."""

    passage: str
    question: str
    one: str
    other: str
    both: bool

    def row(self, *, turned: bool) -> Row:
        """The input: `one` first, or second where `turned`."""
        answers = (self.other, self.one) if turned else (self.one, self.other)
        return Row(self.passage, self.question, *answers)

    def label(self, *, turned: bool) -> int:
        """The class of the input."""
        return BOTH if self.both else SECOND if turned else FIRST


def make_choices(question: ChoiceQuestion) -> list[Choice]:
    """A question's examples, exact duplicates once.

    Every right answer with every wrong one. Both right are all pairs of different right answers
    where the set allows several, and else the right answer twice.
    """
    passage, asked = question.passage, question.question
    made = [
        Choice(passage, asked, right, wrong, both=False)
        for right, wrong in product(question.right, question.wrong)
    ]
    if question.several:
        both = list(combinations(question.right, 2))
    else:
        both = [(right, right) for right in question.right]
    made += [Choice(passage, asked, one, other, both=True) for one, other in both]
    return list(dict.fromkeys(made))


class ChoiceTask:
    """The training loop's view of the pre-training (see `scorers.learned.task.Task`).

    Which answer of a training example comes first is drawn anew for every epoch, from the seed and
    the epoch; of a dev example, once and for all. The loss is cross-entropy over three classes.
    """

    def __init__(
        self,
        network: JudgeNetwork,
        form: LercForm,
        tokeniser: Any,
        train: Sequence[Choice],
        dev: Sequence[Choice],
        *,
        max_tokens: int,
        seed: int,
        device: torch.device,
    ) -> None:
        if not train or not dev:
            raise TrainingError(
                f"{len(train)} training and {len(dev)} dev examples are too few: "
                "at least one of each is needed, from different passages"
            )
        self.network = network
        self._train, self._dev = train, dev
        self._form, self._tokeniser, self._max_tokens = form, tokeniser, max_tokens
        self._seed, self._device = seed, device
        self._padding = tokeniser.pad_token_id or 0
        # An input is as long with its answers exchanged: only the passage gives way.
        straight = np.zeros(len(train), dtype=bool)
        self.lengths = [len(readings[0]) for readings in self._inputs(train, straight)]
        self._turned = straight
        fixed = np.random.default_rng([seed, len(dev)]).random(len(dev)) < 0.5
        inputs = self._inputs(dev, fixed)
        self._dev_lengths = [len(readings[0]) for readings in inputs]
        self._dev_labels = _labels(dev, fixed)
        self._run_dev = self._pass(inputs)
        digest = hashlib.blake2b(digest_size=16)
        for part in (train, dev):
            digest.update(repr((form, len(part))).encode())
            for choice in part:
                digest.update(repr(choice).encode("utf-8", "replace"))
        self.fingerprint = digest.hexdigest()

    def start_epoch(self, epoch: int) -> None:
        """Draw the order of every example's answers."""
        # The third number keeps these draws apart from those of the schedule.
        rng = np.random.default_rng([self._seed, epoch, 2])
        self._turned = rng.random(len(self._train)) < 0.5

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        import torch

        chosen = [self._train[index] for index in indices]
        turned = self._turned[list(indices)]
        outputs = self._pass(self._inputs(chosen, turned))(range(len(chosen))).float()
        labels = torch.from_numpy(_labels(chosen, turned)).to(self._device)
        return torch.nn.functional.cross_entropy(outputs, labels)

    def evaluate(self) -> Mapping[str, float]:
        """The dev examples' loss and accuracy, and the accuracy on one right and on both right.

        The share of the most frequent class is "chance".
        """
        import torch

        total, hits = 0.0, np.zeros(len(self._dev), dtype=bool)
        for batch in batches_by_length(self._dev_lengths, _DEV_TOKENS_PER_BATCH):
            outputs = self._run_dev(batch).float()
            labels = torch.from_numpy(self._dev_labels[batch]).to(self._device)
            loss = torch.nn.functional.cross_entropy(outputs, labels, reduction="sum")
            total += float(loss)
            hits[batch] = (outputs.argmax(-1) == labels).cpu().numpy()
        both = self._dev_labels == BOTH
        return {
            "loss": total / len(hits),
            "accuracy": float(hits.mean()),
            "accuracy, one right": float(hits[~both].mean()) if (~both).any() else float("nan"),
            "accuracy, both right": float(hits[both].mean()) if both.any() else float("nan"),
            "chance": float(np.bincount(self._dev_labels).max() / len(hits)),
        }

    def _inputs(self, choices: Sequence[Choice], turned: np.ndarray) -> list[Any]:
        rows = [choice.row(turned=bool(turn)) for choice, turn in zip(choices, turned, strict=True)]
        return self._form.inputs(self._tokeniser, rows, self._max_tokens)

    def _pass(self, inputs: list[Any]) -> Any:
        none = np.zeros((len(inputs), 0))
        return network_pass(self.network, inputs, none, self._device, self._padding)


def _labels(choices: Sequence[Choice], turned: np.ndarray) -> np.ndarray:
    labels = [choice.label(turned=bool(turn)) for choice, turn in zip(choices, turned, strict=True)]
    return np.array(labels, dtype=np.int64)
