"""ROUGE-1, ROUGE-2 and ROUGE-L of Google's package rouge-score.

The balanced F1 of unigrams, bigrams or the longest common subsequence (Lin, 2004). The package
lower-cases a text and replaces every character except a-z and 0-9 by a space. With the option
`stem=true` it stems words of more than three letters by Porter's algorithm, which by default it
does not.

Input: a candidate and its references. Range [0, 1]; higher is better. With several references
the one with the best F1 counts, both under max and under joint (the package's `score_multi`). A
text without a Latin letter or digit has no words. A candidate or a reference without words gives a
score of 0.0. There is no corpus-level value.

This is not the ROUGE-L of the COCO caption scripts (`rouge-l`): tokens and F measure differ.
Nor is it ROUGE-Lsum: a text is one sequence of words, where that one compares line with line.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, switch
from concord.metrics.signature import installed_version
from scorers.batch import Batch
from scorers.late_import import late_import

_CACHED_TEXTS = 65_536
_VARIANTS = {
    "google-rouge-1": ("rouge1", "ROUGE-1 (Google)", "unigrams"),
    "google-rouge-2": ("rouge2", "ROUGE-2 (Google)", "bigrams"),
    "google-rouge-l": ("rougeL", "ROUGE-L (Google)", "the longest common subsequence"),
}


class GoogleRouge(Metric):
    """One ROUGE variant of rouge-score; see the module."""

    def __init__(self, spec: MetricSpec) -> None:
        self._variant, title, counted = _VARIANTS[spec.base]
        super().__init__(
            spec,
            MetricInfo(
                title=title,
                summary=f"F1 of {counted}, by Google's rouge-score.",
                family="n-gram overlap",
                range=(0.0, 1.0),
            ),
        )

    def versions(self) -> dict[str, str]:
        # The stemmer is nltk's.
        packages = ("rouge-score", "nltk") if self.spec.options["stem"] else ("rouge-score",)
        return {name: installed_version(name) for name in packages}

    @cached_property
    def _scorer(self) -> Any:
        scorer = late_import("rouge_score.rouge_scorer", "RougeScorer")
        return scorer([self._variant], tokenizer=_tokenizer(self.spec.options["stem"]))

    def compare(self, batch: Batch) -> Scores:
        pairs = zip(batch.comparisons.candidates, batch.comparisons.references, strict=True)
        return np.array(
            [
                self._scorer.score_multi(references, candidate)[self._variant].fmeasure
                for candidate, references in pairs
            ],
            dtype=np.float64,
        )


class _CachingTokenizer:
    """The package's tokenizer with a cache of tokenised texts."""

    def __init__(self, stem: bool) -> None:
        tokenizer = late_import("rouge_score.tokenizers", "DefaultTokenizer")
        self.tokenize = lru_cache(maxsize=_CACHED_TEXTS)(tokenizer(stem).tokenize)


@lru_cache(maxsize=2)
def _tokenizer(stem: bool) -> _CachingTokenizer:
    """One tokenizer for all variants, so that each text is tokenised once."""
    return _CachingTokenizer(stem)


REGISTRATIONS = tuple(
    Registration(
        name, GoogleRouge, {"stem": switch(False, "true: compare Porter's stems of words")}
    )
    for name in _VARIANTS
)
