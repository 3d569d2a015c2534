"""Preparation of tokenised texts for AEv: removing stop words and stemming.

Stop words are removed before n-grams are formed, so a bigram may join the words on both sides of a
removed one. They are compared before stemming, so "does" is removed but "doe" is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from scorers.aev.words import is_stop_word
from scorers.batch import Batch, BatchTexts
from scorers.late_import import late_import
from scorers.ngrams import NGramTable

_CACHED_WORDS = 131_072


@dataclass(frozen=True, slots=True)
class TextPreparation:
    """The tokeniser, the stemmer and the stop list, by the names of the metric's options."""

    tokens: str = "ptb"
    stems: Literal["porter", "none"] = "porter"
    stops: Literal["none", "closed-class"] = "none"

    def texts(self, batch: Batch) -> BatchTexts:
        """The batch's prepared texts, computed once for all metrics with this preparation."""
        return batch.shared(("aev texts", self), lambda: self._prepare(batch.texts(self.tokens)))

    def _prepare(self, texts: BatchTexts) -> BatchTexts:
        if self.stems == "none" and self.stops == "none":
            return texts
        distinct = [self.words(text) for text in texts.distinct]
        return replace(texts, distinct=distinct, grams=NGramTable(distinct))

    def words(self, text: str) -> str:
        """The counted words of a tokenised text, separated by single spaces; possibly ""."""
        words = text.split()
        if self.stops == "closed-class":
            words = [word for word in words if not is_stop_word(word)]
        if self.stems == "porter":
            words = [_stem(word) for word in words]
        return " ".join(words)


@lru_cache(maxsize=_CACHED_WORDS)
def _stem(word: str) -> str:
    """Porter's stem, in lower case."""
    stem: str = _stemmer().stem(word)
    return stem


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    """Porter's algorithm (1980) as in his own program.

    It leaves words of one or two letters unchanged, and two suffixes ("-bli" and "-logi") differ
    from the paper.
    """
    stemmer = late_import("nltk.stem.porter", "PorterStemmer")

    return stemmer(mode=stemmer.MARTIN_EXTENSIONS)
