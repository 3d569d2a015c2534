"""The metrics of sacrebleu, at its defaults for sentences: BLEU, chrF, chrF++ and TER.

- `sacrebleu`: sentence BLEU (Papineni et al., 2002; Post, 2018) with 13a tokens, exponential
  smoothing and effective order. Range [0, 100]. Corpus level: without effective order.
- `chrf`, `chrf++`: F score (beta 2) of character n-grams up to order 6, in chrF++ also of word
  n-grams up to order 2 (Popović, 2015, 2017). Range [0, 100].
- `ter`: translation edit rate, edits with shifts per reference word, times 100 (Snover et al.,
  2006). From 0 up, without bound; **lower is better**.

Input: a candidate and its references, raw. Joint references are handled by sacrebleu; for `chrf`
and `chrf++` that is the best single-reference score. An empty candidate scores 0.0 in sacrebleu,
chrf and chrf++, and 100.0 in ter, or 0.0 where the reference has no words either. The
corpus-level value is sacrebleu's, from statistics summed over the items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration
from concord.metrics.signature import installed_version
from scorers.batch import Batch, Services
from scorers.late_import import late_import

Statistics = tuple[list[str], list[tuple[str, ...]]]


def _info(
    title: str, summary: str, family: str, top: float = 100.0, *, higher_is_better: bool = True
) -> MetricInfo:
    return MetricInfo(
        title=title,
        summary=summary,
        family=family,
        range=(0.0, top),
        higher_is_better=higher_is_better,
        has_corpus_score=True,
    )


class SacrebleuMetric(Metric):
    """A metric that a sacrebleu metric object computes; see the module."""

    def settings(self) -> dict[str, str]:
        """The settings in sacrebleu's signature, without the number of references."""
        metric = self._sentence_metric
        metric.num_refs = 1
        entries = str(metric.get_signature()).split("|")
        pairs = (entry.split(":", 1) for entry in entries)
        return {key: value for key, value in pairs if key not in ("nrefs", "version")}

    def versions(self) -> dict[str, str]:
        return {"sacrebleu": installed_version("sacrebleu")}

    @cached_property
    def _sentence_metric(self) -> Any:
        raise NotImplementedError

    @cached_property
    def _corpus_metric(self) -> Any:
        return self._sentence_metric

    def compare(self, batch: Batch) -> Scores:
        pairs = zip(batch.comparisons.candidates, batch.comparisons.references, strict=True)
        score: Callable[[str, Sequence[str]], Any] = self._sentence_metric.sentence_score
        return np.array(
            [score(candidate, references).score for candidate, references in pairs],
            dtype=np.float64,
        )

    def corpus_statistics(self, batch: Batch) -> Statistics:
        """The texts, because sacrebleu counts them all at once."""
        return batch.comparisons.candidates, batch.comparisons.references

    def aggregate(self, parts: Sequence[Statistics], services: Services) -> float:
        candidates = list(chain.from_iterable(part[0] for part in parts))
        references = list(chain.from_iterable(part[1] for part in parts))
        # sacrebleu takes lists of the k-th references of all items, with None for a missing one.
        max_references = max(map(len, references))
        padded = [row + (None,) * (max_references - len(row)) for row in references]
        streams = [list(stream) for stream in zip(*padded, strict=True)]
        return float(self._corpus_metric.corpus_score(candidates, streams).score)


class SentenceBleu(SacrebleuMetric):
    """sacrebleu's sentence BLEU; see the module."""

    info = _info(
        "BLEU (sacrebleu)",
        "Sentence BLEU with 13a tokens and exponential smoothing, by sacrebleu.",
        "n-gram overlap",
    )

    @cached_property
    def _sentence_metric(self) -> Any:
        return late_import("sacrebleu.metrics.bleu", "BLEU")(effective_order=True)

    @cached_property
    def _corpus_metric(self) -> Any:
        # `force` suppresses a warning about texts that look tokenised.
        return late_import("sacrebleu.metrics.bleu", "BLEU")(force=True)


class ChrF(SacrebleuMetric):
    """chrF and chrF++; see the module."""

    seconds_per_comparison = 2e-4

    def __init__(self, spec: MetricSpec) -> None:
        self._word_order = 2 if spec.base == "chrf++" else 0
        words = " and word n-grams" if self._word_order else ""
        summary = f"F score of character n-grams{words}, recall weighted twice, by sacrebleu."
        title = "chrF++" if self._word_order else "chrF"
        super().__init__(spec, _info(title, summary, "n-gram overlap"))

    @cached_property
    def _sentence_metric(self) -> Any:
        return late_import("sacrebleu.metrics.chrf", "CHRF")(word_order=self._word_order)


class Ter(SacrebleuMetric):
    """Translation edit rate; see the module."""

    seconds_per_comparison = 5e-4

    info = _info(
        "TER",
        "Edits, shifts of phrases among them, per reference word, by sacrebleu.",
        "edit distance",
        math.inf,
        higher_is_better=False,
    )

    @cached_property
    def _sentence_metric(self) -> Any:
        return late_import("sacrebleu.metrics.ter", "TER")()


REGISTRATIONS = (
    Registration("sacrebleu", SentenceBleu),
    Registration("chrf", ChrF),
    Registration("chrf++", ChrF),
    Registration("ter", Ter),
)
