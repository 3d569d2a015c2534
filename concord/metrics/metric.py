"""The base class of metrics: properties, options, signature, computation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Corpus
from concord.metrics.signature import format_signature

MultiRef = Literal["max", "joint"]
Scores = NDArray[np.float64]
#: The name and the precision of an encoder.
EncoderKey = tuple[str, Literal["float32", "bf16"]]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """Properties of a metric that do not depend on its options.

    `range` is the range of its scores (inclusive; infinity for no bound). `needs` names the item
    fields it reads besides candidate and references: "question", "passage". The scores of a
    `set_dependent` metric depend on the set that the item belongs to. A metric that is not
    `reads_references` scores items without any, and takes "joint".
    """

    title: str
    summary: str
    family: str
    range: tuple[float, float]
    higher_is_better: bool = True
    needs: frozenset[str] = frozenset()
    set_dependent: bool = False
    has_corpus_score: bool = False
    reads_references: bool = True


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A parsed metric: base name, canonical name, values of all options, multi_ref.

    `name` is the base name followed by the options that differ from their defaults, in
    alphabetical order: `bleu-1(tokens=mocha)`.
    """

    base: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    multi_ref: MultiRef = "max"


class Metric(ABC):
    """A scorer with fixed options.

    With `multi_ref` "max" an item's score is the best of its single-reference scores (the lowest
    where lower is better); with "joint" the metric's own method handles several references. With
    one reference the two are equal, except for the statistics of set-dependent metrics.

    A subclass implements `compare`; for a corpus-level score also `corpus_statistics` and
    `aggregate`.
    """

    #: The tokeniser whose output the metric reads from its batch; None where it reads raw texts.
    tokeniser: str | None = None
    #: The encoder (name, precision) whose hidden states it reads, and their layers.
    encoder: EncoderKey | None = None
    layers: tuple[int, ...] = ()
    #: Whether it uses a neural network, so that a GPU would be faster.
    has_model: bool = False
    #: Approximate seconds per comparison on one core. Schedulers run fast metrics first and split
    #: slow ones into smaller parts.
    seconds_per_comparison: float = 5e-5
    #: Increased whenever a change of our code changes a score; part of the signature.
    revision: int = 1

    #: Its properties, where no option changes them.
    info: MetricInfo

    def __init__(self, spec: MetricSpec, facts: MetricInfo | None = None) -> None:
        facts = facts or self.info
        self.spec = spec
        self.facts = facts
        self.name = spec.name
        self.multi_ref: MultiRef = spec.multi_ref
        self.title = facts.title
        self.summary = facts.summary
        self.family = facts.family
        self.range = facts.range
        self.higher_is_better = facts.higher_is_better
        self.needs = facts.needs
        self.set_dependent = facts.set_dependent
        self.has_corpus_score = facts.has_corpus_score

    def __repr__(self) -> str:
        return f"<{self.name} multi_ref={self.multi_ref}>"

    @property
    def checkpoint_description(self) -> str:
        """A sentence about the checkpoint of the metric; empty where it has none.

        Raises CheckpointError where the checkpoint cannot be read.
        """
        return ""

    def signature(self, corpus: Corpus | None = None) -> str:
        """Everything that can change a score, in one line, in the manner of sacrebleu.

        Scores can be compared only if their signatures are equal. The signature of a set-dependent
        metric contains the fingerprint of `corpus`; it raises ValueError without a corpus.
        """
        fields = {**self.settings(), "refs": self.multi_ref}
        if self.set_dependent:
            if corpus is None:
                raise ValueError(f"{self.name} depends on the set: its signature needs the corpus")
            fields["corpus"] = corpus.fingerprint
        fields.update(self.versions())
        fields["version"] = str(self.revision)
        return format_signature(self.spec.base, fields)

    def settings(self) -> dict[str, str]:
        """Options and fixed settings for the signature."""
        return {name: _shown(value) for name, value in sorted(self.spec.options.items())}

    def versions(self) -> dict[str, str]:
        """Versions of the libraries that can change the scores."""
        return {}

    @abstractmethod
    def compare(self, batch: Any) -> Scores:
        """Score the batch's comparisons: float64 of shape (number of comparisons,).

        `batch.comparisons` holds candidates, references, questions and passages
        (`concord.metrics.Comparisons`); `batch.corpus` is the set, for a set-dependent metric.

        A comparison's score must not depend on other comparisons in the batch.
        """

    def corpus_statistics(self, batch: Any) -> Any:
        """Statistics of one batch of items for the corpus-level score; references are joint."""
        raise NotImplementedError(f"{self.name} has no corpus-level value")

    def aggregate(self, parts: Sequence[Any], services: Any) -> float:
        """The corpus-level score from the `corpus_statistics` of all batches, in item order."""
        raise NotImplementedError(f"{self.name} has no corpus-level value")


class MeanMetric(Metric):
    """A metric whose corpus-level score is the mean of its item scores with joint references."""

    def corpus_statistics(self, batch: Any) -> Scores:
        """What `aggregate` needs of a batch; by default the scores."""
        return self.compare(batch)

    def aggregate(self, parts: Sequence[Scores], services: Any) -> float:
        """The corpus score of the statistics of all batches; by default the mean."""
        return float(np.mean(np.concatenate(parts)))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
