"""Training LERC, the sentence similarity baseline STS, and LERC's pre-training.

The pre-training (Section 3.2) asks of two answers whether the first, the second or each of them is
right. Its defaults are the paper's (appendix A).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.metrics.items import Item
from scorers.datasets.choices import ChoiceQuestion, read_choices
from scorers.datasets.judgments import is_drawn, is_in_share
from scorers.encoders.batching import batches_by_length
from scorers.errors import TrainingError
from scorers.learned.card import CheckpointCard
from scorers.learned.model import Head, build_network, network_pass
from scorers.learned.rows import Loss, Row
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import (
    TrainingFiles,
    TrainingPlan,
    TrainingRecipe,
    read_data,
    train_on_judgments,
)
from scorers.learned.training_items import write_training_items
from scorers.learned.trials import CardEntries, TrainingRun, read_files, train_checkpoint
from scorers.lerc.metrics import LERC, STS, LercForm

if TYPE_CHECKING:
    import torch

    from scorers.learned.networks import ScoringNetwork

#: The similarity baseline reads only reference and candidate.
STS_FORM = LercForm(("reference", "candidate"))


def train_lerc(
    files: TrainingFiles,
    run: TrainingRun,
    form: LercForm | None = None,
    *,
    kind: str = LERC,
    head: Head | None = None,
    recipe: TrainingRecipe | None = None,
    loss: Loss = "mse",
) -> CheckpointCard:
    """Train a regression on judgment files; write and return its card.

    `kind` is LERC or STS; the latter reads reference and candidate only. Raises FileError,
    EncoderError, CheckpointError or TrainingError.
    """
    form = form or (STS_FORM if kind == STS else LercForm())
    recipe = recipe or TrainingRecipe()
    if kind == STS and set(form.parts) & {"passage", "question"}:
        raise TrainingError(
            "the similarity baseline reads only reference and candidate: leave the other parts out"
        )
    if recipe.keyphrases and form.reading == "joined":
        form = replace(form, keyphrases=True)
    plan = TrainingPlan(
        kind=kind,
        form=form,
        head=head or Head(),
        loss=loss,
        combine="max",
        rating=True,
        recipe=recipe,
    )
    return train_on_judgments(plan, read_data(files, recipe), run)


#: The three classes.
FIRST, SECOND, BOTH = 0, 1, 2

_DEV_TOKENS_PER_BATCH = 8192


@dataclass(frozen=True, slots=True)
class TwoAnswers:
    """Two answers to a question; if not `both` are right, only the first is."""

    passage: str
    question: str
    one: str
    other: str
    both: bool

    def row(self, *, turned: bool) -> Row:
        """The input, with the answers exchanged if `turned`."""
        answers = (self.other, self.one) if turned else (self.one, self.other)
        return Row(self.passage, self.question, *answers)

    def label(self, *, turned: bool) -> int:
        """The class of the input that `row` returns."""
        return BOTH if self.both else SECOND if turned else FIRST


def make_choices(question: ChoiceQuestion) -> list[TwoAnswers]:
    """The distinct examples of a question.

    Every right answer is paired with every wrong one. Examples with two right answers are all pairs
    of different right answers if the set allows several, otherwise the right answer twice.
    """
    passage, text = question.passage, question.question
    choices = [
        TwoAnswers(passage, text, right, wrong, both=False)
        for right, wrong in product(question.right, question.wrong)
    ]
    if question.several:
        both = list(combinations(question.right, 2))
    else:
        both = [(right, right) for right in question.right]
    choices += [TwoAnswers(passage, text, one, other, both=True) for one, other in both]
    return list(dict.fromkeys(choices))


class ChoiceTask:
    """The task of the training loop (`scorers.learned.loop.LearningTask`) for the pre-training.

    Every epoch draws the order of the answers of each training example, from the seed and the
    epoch; the order of a dev example is drawn once. The loss is the cross-entropy over three
    classes.
    """

    def __init__(
        self,
        network: ScoringNetwork,
        form: LercForm,
        tokeniser: Any,
        train: Sequence[TwoAnswers],
        dev: Sequence[TwoAnswers],
        *,
        max_tokens: int,
        seed: int,
    ) -> None:
        self.network = network
        self._train, self._dev = train, dev
        self._form, self._tokeniser, self._max_tokens = form, tokeniser, max_tokens
        self._seed, self._device = seed, next(network.parameters()).device
        self._padding = tokeniser.pad_token_id or 0
        # Exchanging the answers does not change the length, because only the passage is shortened.
        unturned = np.zeros(len(train), dtype=bool)
        self.lengths = [len(readings[0]) for readings in self._inputs(train, unturned)]
        self._turned = unturned
        dev_turned = np.random.default_rng([seed, len(dev)]).random(len(dev)) < 0.5
        inputs = self._inputs(dev, dev_turned)
        self._dev_lengths = [len(readings[0]) for readings in inputs]
        self._dev_labels = _labels(dev, dev_turned)
        self._run_dev = self._pass(inputs)
        digest = hashlib.blake2b(digest_size=16)
        for part in (train, dev):
            digest.update(repr((form, len(part))).encode())
            for choice in part:
                digest.update(repr(choice).encode("utf-8", "replace"))
        self.fingerprint = digest.hexdigest()

    def start_epoch(self, epoch: int) -> None:
        """Draw the order of the answers of every example."""
        # The third number separates these draws from those of the schedule.
        rng = np.random.default_rng([self._seed, epoch, 2])
        self._turned = rng.random(len(self._train)) < 0.5

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        import torch

        choices = [self._train[index] for index in indices]
        turned = self._turned[list(indices)]
        outputs = self._pass(self._inputs(choices, turned))(range(len(choices))).float()
        labels = torch.from_numpy(_labels(choices, turned)).to(self._device)
        return torch.nn.functional.cross_entropy(outputs, labels)

    def evaluate(self) -> Mapping[str, float]:
        """Loss and accuracy of the dev examples, also for one and for two right answers.

        "chance" is the share of the most frequent class.
        """
        import torch

        total, is_right = 0.0, np.zeros(len(self._dev), dtype=bool)
        for batch in batches_by_length(self._dev_lengths, _DEV_TOKENS_PER_BATCH):
            outputs = self._run_dev(batch).float()
            labels = torch.from_numpy(self._dev_labels[batch]).to(self._device)
            loss = torch.nn.functional.cross_entropy(outputs, labels, reduction="sum")
            total += float(loss)
            is_right[batch] = (outputs.argmax(-1) == labels).cpu().numpy()
        both = self._dev_labels == BOTH
        return {
            "loss": total / len(is_right),
            "accuracy": float(is_right.mean()),
            "accuracy, one right": float(is_right[~both].mean()) if (~both).any() else float("nan"),
            "accuracy, both right": float(is_right[both].mean()) if both.any() else float("nan"),
            "chance": float(np.bincount(self._dev_labels).max() / len(is_right)),
        }

    def _inputs(self, choices: Sequence[TwoAnswers], turned: np.ndarray) -> list[Any]:
        rows = [choice.row(turned=bool(turn)) for choice, turn in zip(choices, turned, strict=True)]
        return self._form.inputs(self._tokeniser, rows, self._max_tokens)

    def _pass(self, inputs: list[Any]) -> Any:
        no_features = np.zeros((len(inputs), 0))
        return network_pass(self.network, inputs, no_features, self._device, self._padding)


def _labels(choices: Sequence[TwoAnswers], turned: np.ndarray) -> np.ndarray:
    labels = [choice.label(turned=bool(turn)) for choice, turn in zip(choices, turned, strict=True)]
    return np.array(labels, dtype=np.int64)


#: The kind of checkpoint that pre-training writes; it scores no texts.
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
    (questions, sources), (dev_questions, dev_sources) = (
        read_files(part, read_choices) for part in (files.train, files.dev)
    )
    if not files.dev:
        parts: tuple[list[ChoiceQuestion], list[ChoiceQuestion]] = [], []
        for question in questions:
            parts[is_in_share(question.group, dev_share, split_seed)].append(question)
        questions, dev_questions = parts
    questions = [
        question for question in questions if is_drawn(question.group, train_share, split_seed)
    ]
    train, dev = _choices(questions), _choices(dev_questions)
    head = Head(_CLASSES)

    def build(encoder: Any, settings: TrainingSettings) -> ScoringNetwork:
        return build_network(form, head, encoder, settings.lora_rank, settings.max_tokens)

    def make_task(
        network: ScoringNetwork, tokeniser: Any, settings: TrainingSettings
    ) -> ChoiceTask:
        return ChoiceTask(
            network,
            form,
            tokeniser,
            train,
            dev,
            max_tokens=settings.max_tokens,
            seed=settings.seed,
        )

    items = _items([*questions, *dev_questions])
    entries = CardEntries(
        CHOICES,
        {**head.options(), **form.options()},
        (*sources, *dev_sources),
        len(train),
        len(dev),
        lambda: {"training_items": write_training_items(items, run.out, start)},
    )
    return train_checkpoint(run, entries, build, make_task, start)


def _items(questions: Sequence[ChoiceQuestion]) -> list[Item]:
    return [
        Item(answer, ("",), question.question, question.passage)
        for question in questions
        for answer in (*question.right, *question.wrong)
    ]


def _choices(questions: Sequence[ChoiceQuestion]) -> list[TwoAnswers]:
    choices = [choice for question in questions for choice in make_choices(question)]
    return list(dict.fromkeys(choices))
