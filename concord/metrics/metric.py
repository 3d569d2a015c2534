"""What every metric is: its facts, its options, its signature, and how it is computed."""

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
    """What is true of a metric whatever its options.

    `range` bounds its scores (inclusive; infinity where there is no bound). `needs` names the
    item fields it reads beside candidate and references: "question", "passage". A
    `set_dependent` metric's score of an item depends on the set the item belongs to.
    """

    title: str
    summary: str
    family: str
    range: tuple[float, float]
    higher_is_better: bool = True
    needs: frozenset[str] = frozenset()
    set_dependent: bool = False
    has_corpus_score: bool = False


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric as asked for: base name, canonical name, all options' values, references' handling.

    `name` is the base name followed by the options that are not at their default, in
    alphabetical order: `bleu-1(tokens=mocha)`.
    """

    base: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    multi_ref: MultiRef = "max"


class Metric(ABC):
    """A named scorer with its options fixed.

    With `multi_ref` "max" an item's score is the best of its single-reference scores (the lowest
    where lower is better); with "joint" it is the metric's own way with several references. With
    one reference the two agree, but for set-dependent metrics' statistics.

    A subclass computes `compare`; where it has a corpus-level value, also `corpus_statistics`
    and `aggregate`.
    """

    #: Which tokeniser's output the metric reads from its batch; None when it reads raw texts.
    tokeniser: str | None = None
    #: The encoder it reads hidden states of, by (name, precision), and the layers it reads.
    encoder: EncoderKey | None = None
    layers: tuple[int, ...] = ()
    #: Whether a network computes it, which a GPU would speed up.
    has_model: bool = False
    #: Roughly how long one comparison takes on one core. Schedulers take cheap metrics first and
    #: cut slow ones into shorter parts.
    seconds_per_comparison: float = 5e-5
    #: Raised whenever our own code changes a score; part of the signature.
    revision: int = 1

    def __init__(self, spec: MetricSpec, facts: MetricInfo) -> None:
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
        """One sentence on the checkpoint that gives the scores; empty where there is none.

        Raises CheckpointError where the checkpoint cannot be read.
        """
        return ""

    def signature(self, corpus: Corpus | None = None) -> str:
        """Everything that can change a score, in one line, in the manner of sacrebleu.

        Two scores compare only when their signatures are equal. A set-dependent metric's
        signature holds the fingerprint of `corpus`; without one it raises ValueError.
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
        """Options and fixed settings, as the signature shows them."""
        return {name: _shown(value) for name, value in sorted(self.spec.options.items())}

    def versions(self) -> dict[str, str]:
        """Versions of the libraries whose behaviour the scores rest on."""
        return {}

    @abstractmethod
    def compare(self, batch: Any) -> Scores:
        """Score the batch's comparisons: float64 of shape (number of comparisons,).

        `batch.comparisons` holds candidates, references, questions and passages
        (`concord.metrics.Comparisons`); `batch.corpus` is the set, for a set-dependent metric.

        A comparison's score may depend on nothing in the batch but itself and the corpus.
        """

    def corpus_statistics(self, batch: Any) -> Any:
        """What the corpus-level value needs to know of one batch of items, references joint."""
        raise NotImplementedError(f"{self.name} has no corpus-level value")

    def aggregate(self, parts: Sequence[Any], services: Any) -> float:
        """The corpus-level value from the `corpus_statistics` of all batches, in item order."""
        raise NotImplementedError(f"{self.name} has no corpus-level value")


class MeanMetric(Metric):
    """A metric whose corpus-level value is the mean of its item scores, references joint."""

    def corpus_statistics(self, batch: Any) -> Scores:
        return self.compare(batch)

    def aggregate(self, parts: Sequence[Scores], services: Any) -> float:
        return float(np.mean(np.concatenate(parts)))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
