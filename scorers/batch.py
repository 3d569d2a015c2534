"""What a metric gets to score: a batch of comparisons, and the services of its session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from concord.metrics.comparisons import Comparisons, build_comparisons
from concord.metrics.items import Corpus, Item
from concord.metrics.metric import MultiRef
from scorers.caches import LRU, Once
from scorers.encoders import Device
from scorers.java.client import JavaClient
from scorers.models import Models
from scorers.ngrams import BatchTexts, DocumentFrequencies, document_frequencies, index_texts
from scorers.tokens import mocha_tokens, one_line, squad_tokens

#: Items of a batch: enough for efficient arrays, few enough for memory and progress reports.
ITEMS_PER_BATCH = 2048

# Sizes of a request to a helper process; METEOR takes about a millisecond for each comparison.
_TEXTS_PER_REQUEST = 8192
_COMPARISONS_PER_REQUEST = 64
# Capacities of the caches in characters.
_TOKENS_CAPACITY = 64_000_000
_METEOR_CAPACITY = 32_000_000
_MAX_CORPORA = 8

# Characters that the jar's command line trims from a segment (Java's String.trim).
_TRIMMED = "".join(map(chr, range(0x21)))

Entry = TypeVar("Entry")
Result = TypeVar("Result")
_FrequencyKey = tuple[Corpus, str, MultiRef]


class Services:
    """Tokenisers, METEOR and models; each result is computed once while the caches hold it.

    `java` is the address of a server of Java helpers (`scorers.java.sharing`); without it, the
    services start their own helper processes. All methods are thread-safe.
    """

    def __init__(self, device: Device = "auto", java: str | None = None) -> None:
        self.models = Models(device)
        self._ptb = JavaClient("ptb", java)
        self._meteor = JavaClient("meteor", java)
        self._tokens = {
            name: LRU[str, str](_TOKENS_CAPACITY, lambda text, tokens: len(text) + len(tokens))
            for name in ("ptb", "mocha", "squad")
        }
        self._meteor_results = LRU[tuple[str, tuple[str, ...]], tuple[float, str]](
            _METEOR_CAPACITY,
            lambda key, result: len(key[0]) + sum(map(len, key[1])) + len(result[1]),
        )
        self._frequencies = Once[_FrequencyKey, tuple[DocumentFrequencies, ...]](_MAX_CORPORA)

    def close(self) -> None:
        """End the helper processes. A later call starts them again."""
        self._ptb.close()
        self._meteor.close()

    def tokenise(self, tokeniser: str, texts: Iterable[str]) -> dict[str, str]:
        """Map each distinct text to its tokens, by the tokeniser "ptb", "mocha" or "squad"."""
        distinct = dict.fromkeys(texts)
        cache = self._tokens[tokeniser]
        tokens = cache.get_many(distinct)
        missing = [text for text in distinct if text not in tokens]
        for texts_part in _parts(missing, _TEXTS_PER_REQUEST):
            new_tokens = dict(zip(texts_part, self._run(tokeniser, texts_part), strict=True))
            cache.put_many(new_tokens.items())
            tokens.update(new_tokens)
        return tokens

    def _run(self, tokeniser: str, texts: Sequence[str]) -> list[str]:
        if tokeniser == "ptb":
            tokens: list[str] = self._ptb.request([one_line(text) for text in texts])
            return tokens
        function: Callable[[str], str] = {"mocha": mocha_tokens, "squad": squad_tokens}[tokeniser]
        return [function(text) for text in texts]

    def document_frequencies(
        self, corpus: Corpus, tokeniser: str, multi_ref: MultiRef
    ) -> tuple[DocumentFrequencies, ...]:
        """A corpus's document frequencies; see `scorers.ngrams.document_frequencies`."""

        def compute() -> tuple[DocumentFrequencies, ...]:
            texts = (text for document in corpus.documents for text in document)
            return document_frequencies(corpus, self.tokenise(tokeniser, texts), multi_ref)

        return self._frequencies.get((corpus, tokeniser, multi_ref), compute)

    def meteor(self, comparisons: Sequence[tuple[str, tuple[str, ...]]]) -> list[tuple[float, str]]:
        """METEOR's score and statistics line for each tokenised (candidate, references)."""
        results = self._meteor_results.get_many(comparisons)
        missing = list(dict.fromkeys(key for key in comparisons if key not in results))
        for part in _parts(missing, _COMPARISONS_PER_REQUEST):
            request = [
                (_segment(candidate), [_segment(reference) for reference in references])
                for candidate, references in part
            ]
            answers = self._meteor.request({"score": request})
            new_results = [
                (key, (float(score), str(line)))
                for key, (score, line) in zip(part, answers, strict=True)
            ]
            self._meteor_results.put_many(new_results)
            results.update(new_results)
        return [results[key] for key in comparisons]

    def meteor_aggregate(self, lines: Sequence[str]) -> float:
        """METEOR's score of the sum of statistics lines."""
        return float(self._meteor.request({"aggregate": list(lines)}))


def _segment(text: str) -> str:
    """A text as METEOR's command line receives it, without `|||`.

    `|||` is the separator of METEOR's text protocol. The COCO scripts remove it from the hypothesis
    only, so a reference with `|||` is split in two. Concord does not use that protocol and removes
    `|||` from both, so that equal texts stay equal.
    """
    return one_line(text).replace("|||", "").replace("  ", " ").strip(_TRIMMED)


def _parts(entries: Sequence[Entry], size: int) -> Iterator[Sequence[Entry]]:
    for start in range(0, len(entries), size):
        yield entries[start : start + size]


class Batch:
    """Comparisons to score, with the values that the metrics share.

    corpus: the set, if a metric depends on it.
    """

    def __init__(
        self,
        comparisons: Comparisons,
        services: Services,
        multi_ref: MultiRef = "joint",
        corpus: Corpus | None = None,
    ) -> None:
        self.comparisons = comparisons
        self.services = services
        self.corpus = corpus
        self._multi_ref = multi_ref
        self._shared: dict[object, Any] = {}
        self.heartbeat: Callable[[], None] | None = None

    @classmethod
    def of(
        cls,
        items: Sequence[Item],
        services: Services,
        multi_ref: MultiRef = "joint",
        corpus: Corpus | None = None,
    ) -> Batch:
        """The comparisons of some items."""
        return cls(build_comparisons(items, multi_ref), services, multi_ref, corpus)

    def __len__(self) -> int:
        return len(self.comparisons)

    def tick(self, _count: int) -> None:
        """Report that the work goes on; an exception raised by the heartbeat ends it."""
        if self.heartbeat:
            self.heartbeat()

    def shared(self, key: object, compute: Callable[[], Result]) -> Result:
        """Compute a value once for all metrics of this batch."""
        if key not in self._shared:
            self._shared[key] = compute()
        result: Result = self._shared[key]
        return result

    def texts(self, tokeniser: str) -> BatchTexts:
        """The comparisons' texts, tokenised."""

        def compute() -> BatchTexts:
            comparisons = self.comparisons
            texts = [*comparisons.candidates]
            texts += (text for texts in comparisons.references for text in texts)
            tokens = self.services.tokenise(tokeniser, texts)
            return index_texts(comparisons, tokens)

        return self.shared(("texts", tokeniser), compute)

    def frequencies(self, tokeniser: str) -> tuple[DocumentFrequencies, ...]:
        """The document frequencies of the corpus, one per reference position under "max" and one
        under "joint"."""
        assert self.corpus is not None
        return self.services.document_frequencies(self.corpus, tokeniser, self._multi_ref)
