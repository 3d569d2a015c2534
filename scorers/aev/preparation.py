"""Preparation of tokenised texts for AEv: removing stop words and stemming.

Stop words are removed before n-grams are formed, so a bigram may join the words on both sides of a
removed one. They are compared before stemming, so "does" is removed but "doe" is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from scorers.batch import Batch
from scorers.late_import import late_import
from scorers.ngrams import BatchTexts, NGramTable

# A stop list of English: the closed word classes, that is all forms of articles, pronouns,
# demonstratives, interrogatives, prepositions, conjunctions, auxiliaries, particles and pronominal
# adverbs. It also contains clitics, both as Penn Treebank tokens ("'s", "'ll") and attached to a
# word ("she's"). It omits words of closed classes that can answer a question alone: negators ("no",
# "not", "never", "n't"), numerals, and quantifiers ("all", "few", "more", "enough", "every").
_CLASSES = {
    "articles": "a an the",
    "personal pronouns": (
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves "
        "he him his himself she her hers herself it its itself "
        "they them their theirs themselves themself one's oneself thou thee thy thine"
    ),
    "demonstratives": "this that these those such same",
    "indefinite pronouns": (
        "some any someone somebody something anyone anybody anything another other others "
        "other's others' either whichever whatever whoever whomever"
    ),
    "interrogatives and relatives": "who whom whose which what when where why how whether",
    "prepositions": (
        "about above across after against along alongside amid amidst among amongst around as at "
        "atop before behind below beneath beside besides between beyond by concerning despite "
        "down during for from in inside into like near of off on onto opposite out outside over "
        "past per regarding since through throughout till to toward towards under underneath "
        "until unto up upon via with within"
    ),
    "conjunctions": (
        "and or but if because although though unless while whilst whereas than lest so yet "
        "provided whenever wherever"
    ),
    "forms of be, have and do": (
        "be am is are was were been being have has had having do does did done doing"
    ),
    "modals": "will would shall should can could may might must ought",
    "pronominal adverbs": (
        "here there hence thence thus therefore thereby therein thereof thereafter thereupon "
        "hereby herein hither thither then now wherein whereby whereof whereupon"
    ),
    "particles and additive adverbs": "too also even just very quite rather else however",
}
_CLITICS = ("'s", "'re", "'ve", "'ll", "'d", "'m")
_HOSTS = {
    "'m": "i",
    "'re": "we you they who there",
    "'ve": "i we you they who would should could might must",
    "'ll": "i we you he she it they who that there this",
    "'d": "i we you he she it they who there that",
    "'s": "he she it that there who what where how here when why this let",
}

#: The words, in lower case, with the straight apostrophe.
CLOSED_CLASS = frozenset(
    [word for words in _CLASSES.values() for word in words.split()]
    + list(_CLITICS)
    + [host + clitic for clitic, hosts in _HOSTS.items() for host in hosts.split()]
)


def is_stop_word(word: str) -> bool:
    """Whether a token is on the list, ignoring case and the form of its apostrophe."""
    return word.lower().replace("\u2019", "'") in CLOSED_CLASS


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
