"""A session: where items meet metrics."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from concord.metrics.comparisons import build_comparisons, check_items
from concord.metrics.items import Corpus, Item
from concord.metrics.metric import Metric, MultiRef, Scores
from scorers.batch import Batch
from scorers.document_frequencies import DocumentFrequencies, document_frequencies
from scorers.encoders import Device
from scorers.forks import renew_after_fork
from scorers.services import Services

if TYPE_CHECKING:
    from scorers.explaining import WeighedText

Progress = Callable[[int, int], None]

# Items scored at a time: enough for the arrays to pay, few enough for memory and progress.
_ITEMS_PER_BATCH = 2048
_CORPORA_KEPT = 8

FrequencyKey = tuple[str, str, MultiRef]


class Session:
    """Scores items, keeping alive what is dear to start and remembering what is dear to compute.

    A session owns the encoders, on `device`, and the two Java helper processes, unless `java` is
    the address of a server of helpers that several processes share. Each is started when first
    needed. It has bounded caches of tokenised texts, METEOR results, hidden states, keyphrase
    weights and corpus statistics. Use it in a `with` statement, or call `close`; a session left
    open is closed at exit. Any number of threads may share one, and a forked process may go on
    using it: it starts helpers of its own.

    An item's score never depends on what else is scored with it, on its place, or on the process.
    """

    def __init__(self, device: Device = "auto", java: str | None = None) -> None:
        self._services = Services(device, java)
        self._frequencies: dict[FrequencyKey, tuple[DocumentFrequencies, ...]] = {}
        self._lock = threading.Lock()
        renew_after_fork(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the helper processes. Scoring again afterwards would start them afresh."""
        self._services.close()

    def after_fork(self) -> None:
        """In a forked child, take a lock no thread of the parent can hold."""
        self._lock = threading.Lock()

    def score(
        self,
        metric: Metric,
        items: Sequence[Item],
        corpus: Corpus | None = None,
        progress: Progress | None = None,
    ) -> Scores:
        """Score each item: float64 of shape (n items,), within `metric.range`.

        `corpus` is the set a set-dependent metric draws its statistics from; by default, the
        items themselves. `progress(done, total)` is called as items are done, and while a model is
        at work; an exception it raises ends the scoring. Raises ValueError
        for an item without references, JavaError when a Java helper fails for good.
        """
        return self.score_all([metric], items, corpus, progress)[metric.name]

    def score_all(
        self,
        metrics: Sequence[Metric],
        items: Sequence[Item],
        corpus: Corpus | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Scores]:
        """Score each item with each metric, tokenising each text once: by metric name.

        As `score`; `progress` counts scores, of which there are items times metrics. Raises
        ValueError when two metrics have the same name.
        """
        check_items(items)
        scores = {metric.name: np.empty(len(items)) for metric in metrics}
        if len(scores) < len(metrics):
            raise ValueError("two metrics have the same name; score them one after the other")
        self._services.models.want(
            (metric.encoder, metric.layers) for metric in metrics if metric.encoder
        )
        done, total = 0, len(items) * len(metrics)
        for start, batches in self._batches(metrics, items, corpus):
            for metric in metrics:
                batch = batches[metric.multi_ref]
                if progress:
                    batch.heartbeat = partial(progress, done, total)
                part = batch.comparisons.best(
                    metric.compare(batch), higher_is_better=metric.higher_is_better
                )
                scores[metric.name][start : start + len(part)] = part
                done += len(part)
                if progress:
                    progress(done, total)
        return scores

    def weigh(
        self, item: Item, corpus: Corpus, progress: Progress | None = None
    ) -> tuple[WeighedText, list[WeighedText]]:
        """The weights of a candidate's words and its references'; see `scorers.explaining`."""
        from scorers.explaining import weigh

        return weigh(self._services.models, item, corpus, progress)

    def device(self, metric: Metric) -> str:
        """Where a metric is computed: "cpu", or "cuda" for one with a model on a GPU."""
        return self.model_device if metric.has_model else "cpu"

    @property
    def model_device(self) -> str:
        """Where models run: "cpu" or "cuda"."""
        return self._services.models.device

    def corpus_score(self, metric: Metric, items: Sequence[Item]) -> float | None:
        """The metric's own value for the items taken together; None when it has none.

        References are joint, whatever the metric's `multi_ref`, and the items are the corpus.
        Raises ValueError without items.
        """
        if not metric.has_corpus_score:
            return None
        if not items:
            raise ValueError("a corpus-level value needs at least one item")
        check_items(items)
        parts = [
            metric.corpus_statistics(batches["joint"])
            for _, batches in self._batches([metric], items, None, handling="joint")
        ]
        return metric.aggregate(parts, self._services)

    def _batches(
        self,
        metrics: Sequence[Metric],
        items: Sequence[Item],
        corpus: Corpus | None,
        handling: MultiRef | None = None,
    ) -> Iterator[tuple[int, dict[MultiRef, Batch]]]:
        """The items in slices, as batches for each way of handling references that is used.

        A second thread tokenises the next slice (in the helper process) meanwhile.
        """
        handlings: set[MultiRef] = {handling or metric.multi_ref for metric in metrics}
        tokenisers = {metric.tokeniser for metric in metrics if metric.tokeniser}
        with ThreadPoolExecutor(max_workers=1) as ahead:

            def prepare(start: int) -> tuple[Sequence[Item], dict[str, dict[str, str]]]:
                part = items[start : start + _ITEMS_PER_BATCH]
                return part, {name: self._tokens(name, part) for name in tokenisers}

            coming = ahead.submit(prepare, 0)
            frequencies = {
                way: self._frequencies_for(metrics, items, corpus, way) for way in handlings
            }
            if corpus is None and items and any(metric.set_dependent for metric in metrics):
                corpus = Corpus.of(item.references for item in items)
            for start in range(0, len(items), _ITEMS_PER_BATCH):
                part, tokens = coming.result()
                coming = ahead.submit(prepare, start + _ITEMS_PER_BATCH)  # past the end: nothing
                batches: dict[MultiRef, Batch] = {}
                for way in handlings:
                    comparisons = build_comparisons(part, way)
                    batches[way] = Batch(
                        comparisons, self._services, tokens, frequencies[way], corpus
                    )
                yield start, batches

    def _tokens(self, tokeniser: str, items: Iterable[Item]) -> dict[str, str]:
        texts = (text for item in items for text in (item.candidate, *item.references))
        return self._services.tokenise(tokeniser, texts)

    def _frequencies_for(
        self,
        metrics: Sequence[Metric],
        items: Sequence[Item],
        corpus: Corpus | None,
        handling: MultiRef,
    ) -> Mapping[str, tuple[DocumentFrequencies, ...]]:
        """Document frequencies for each tokeniser a set-dependent metric uses."""
        tokenisers = {m.tokeniser for m in metrics if m.set_dependent and m.tokeniser}
        if not tokenisers or not items:
            return {}
        if corpus is None:
            corpus = Corpus.of(item.references for item in items)
            compute = self._compute_frequencies
        else:
            compute = self._known_frequencies
        return {name: compute(corpus, name, handling) for name in tokenisers}

    def _known_frequencies(
        self, corpus: Corpus, tokeniser: str, handling: MultiRef
    ) -> tuple[DocumentFrequencies, ...]:
        """A given corpus's document frequencies, remembered for the chunks still to come."""
        key = (corpus.fingerprint, tokeniser, handling)
        with self._lock:
            known = self._frequencies.pop(key, None)
            if known is not None:
                self._frequencies[key] = known
                return known
        computed = self._compute_frequencies(corpus, tokeniser, handling)
        with self._lock:
            self._frequencies[key] = computed
            while len(self._frequencies) > _CORPORA_KEPT:
                del self._frequencies[next(iter(self._frequencies))]
        return computed

    def _compute_frequencies(
        self, corpus: Corpus, tokeniser: str, handling: MultiRef
    ) -> tuple[DocumentFrequencies, ...]:
        tokens = self._services.tokenise(
            tokeniser, (text for document in corpus.documents for text in document)
        )
        return document_frequencies(corpus, tokens, handling)
