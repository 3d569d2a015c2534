"""A session scores items with metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from concord.metrics.comparisons import check_items
from concord.metrics.items import Corpus, Item
from concord.metrics.metric import Metric, MultiRef, Scores
from scorers.batch import ITEMS_PER_BATCH, Batch, Services
from scorers.encoders import Device
from scorers.speed import items_per_second

if TYPE_CHECKING:
    from scorers.word_importance import WordImportance

Progress = Callable[[int, int], None]


class Session:
    """Scores items, and keeps models, helper processes and expensive results for later calls.

    A session owns the encoders, on `device`, and two Java helper processes, unless `java` is the
    address of a server of helpers that several processes share. Each is started at its first use.
    Bounded caches store tokenised texts, METEOR results, hidden states, keyphrase weights and
    corpus statistics. Use a session in a `with` statement, or call `close`; an open session is
    closed at exit. Threads may share a session. A forked process may go on using it and starts its
    own helpers.

    An item's score never depends on the other items, on its position or on the process.
    """

    def __init__(self, device: Device = "auto", java: str | None = None) -> None:
        self.services = Services(device, java)

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
        """End the helper processes. A later call starts them again."""
        self.services.close()

    def score(
        self,
        metric: Metric,
        items: Sequence[Item],
        corpus: Corpus | None = None,
        progress: Progress | None = None,
    ) -> Scores:
        """Score each item: float64 of shape (n items,), within `metric.range`.

        `corpus` is the set from which a set-dependent metric takes its statistics, by default the
        items. `progress(done, total)` is called as items are scored and while a model runs; an
        exception it raises ends the scoring. Raises ValueError for an item without references,
        JavaError when a Java helper fails again after a restart.
        """
        return self.score_all([metric], items, corpus, progress)[metric.name]

    def items_per_second(
        self, metric: Metric, items: Sequence[Item], corpus: Corpus | None = None
    ) -> float:
        """How many items a second the metric scores alone, without start-up; `scorers.speed`.

        It takes about half a second, more for slow metrics. `items`: one or more, of which some are
        scored. `corpus` as in `score`; its statistics count as start-up.
        """
        if corpus is None and metric.facts.reads_references:
            corpus = Corpus.from_references(item.references for item in items)
        return items_per_second(lambda sample: self.score(metric, sample, corpus), items)

    def score_all(
        self,
        metrics: Sequence[Metric],
        items: Sequence[Item],
        corpus: Corpus | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Scores]:
        """Score each item with each metric, tokenising each text once: scores by metric name.

        See `score`; `progress` counts scores, that is items times metrics. Raises ValueError when
        two metrics have the same name.
        """
        if any(metric.facts.reads_references for metric in metrics):
            check_items(items)
        scores = {metric.name: np.empty(len(items)) for metric in metrics}
        if len(scores) < len(metrics):
            raise ValueError("two metrics have the same name: score them in separate calls")
        self.services.models.request_layers(
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

    def word_importance(
        self, item: Item, corpus: Corpus, progress: Progress | None = None
    ) -> tuple[WordImportance, list[WordImportance]]:
        """The word importance of a candidate and its references; see `scorers.word_importance`."""
        from scorers.word_importance import word_importance

        return word_importance(self.services.models, item, corpus, progress)

    def embeddings(self, metric: Metric, texts: Sequence[str]) -> NDArray[np.float64]:
        """The embeddings of texts by a metric's encoder; see `scorers.sentence_similarity`."""
        from scorers.sentence_similarity import embeddings

        return embeddings(self.services.models, metric, texts)

    def device(self, metric: Metric) -> str:
        """The device of a metric: "cuda" if its model runs on a GPU, otherwise "cpu"."""
        return self.model_device if metric.has_model else "cpu"

    @property
    def model_device(self) -> str:
        """The device of models: "cpu" or "cuda"."""
        return self.services.models.device

    def corpus_score(self, metric: Metric, items: Sequence[Item]) -> float | None:
        """The metric's corpus-level value for the items; None if it has none.

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
            for _, batches in self._batches([metric], items, None, override="joint")
        ]
        return metric.aggregate(parts, self.services)

    def _batches(
        self,
        metrics: Sequence[Metric],
        items: Sequence[Item],
        corpus: Corpus | None,
        override: MultiRef | None = None,
    ) -> Iterator[tuple[int, dict[MultiRef, Batch]]]:
        """Batches of items for each value of `multi_ref` that the metrics use.

        Meanwhile a second thread tokenises the next batch in the helper process.
        """
        multi_refs: set[MultiRef] = {override or metric.multi_ref for metric in metrics}
        tokenised = {(override or metric.multi_ref, metric.tokeniser)
                     for metric in metrics if metric.tokeniser}  # fmt: skip
        services = self.services
        if corpus is None and items and any(metric.set_dependent for metric in metrics):
            corpus = Corpus.from_references(item.references for item in items)
        with ThreadPoolExecutor(max_workers=1) as executor:

            def prepare(start: int) -> dict[MultiRef, Batch]:
                part = items[start : start + ITEMS_PER_BATCH]
                batches = {one: Batch.of(part, services, one, corpus) for one in multi_refs}
                for multi_ref, tokeniser in tokenised:
                    batches[multi_ref].texts(tokeniser)
                return batches

            next_batches = executor.submit(prepare, 0)
            # Computed while the helper tokenises the first batch; the batches take them from there.
            for metric in metrics:
                if corpus is not None and metric.set_dependent and metric.tokeniser:
                    multi_ref = override or metric.multi_ref
                    services.document_frequencies(corpus, metric.tokeniser, multi_ref)
            for start in range(0, len(items), ITEMS_PER_BATCH):
                batches = next_batches.result()
                next_batches = executor.submit(prepare, start + ITEMS_PER_BATCH)  # may be empty
                yield start, batches
