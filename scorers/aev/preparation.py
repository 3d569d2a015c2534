"""From tokenised texts to the words AEv counts: stop words out where asked, the rest stemmed.

Stop words go before n-grams are formed, so that a bigram joins the words on either side of a gap;
they are looked up as written, not as stems, so that "doe" stays when "does" goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from scorers.aev.words import is_stop_word
from scorers.batch import Batch, Texts
from scorers.late_import import late_import
from scorers.ngrams import NGramTable

_CACHED_WORDS = 131_072


@dataclass(frozen=True, slots=True)
class Preparation:
    """The tokeniser, the stemmer and the stop list, by the names of the metric's options."""

    tokens: str = "ptb"
    stems: Literal["porter", "none"] = "porter"
    stops: Literal["none", "closed-class"] = "none"

    def texts(self, batch: Batch) -> Texts:
        """The batch's texts, prepared once for all metrics that prepare them so."""
        return batch.shared(("aev texts", self), lambda: self._prepare(batch.texts(self.tokens)))

    def _prepare(self, texts: Texts) -> Texts:
        if self.stems == "none" and self.stops == "none":
            return texts
        distinct = [self.words(text) for text in texts.distinct]
        return replace(texts, distinct=distinct, grams=NGramTable(distinct))

    def words(self, text: str) -> str:
        """The words of a tokenised text that are counted, apart by single spaces; may be ""."""
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
    """Porter's algorithm (1980) as his own program has it: words of one or two letters are left
    alone, and two suffixes differ from the paper ("-bli" and "-logi")."""
    stemmer = late_import("nltk.stem.porter", "PorterStemmer")

    return stemmer(mode=stemmer.MARTIN_EXTENSIONS)
