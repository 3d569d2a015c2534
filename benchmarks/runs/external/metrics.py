"""External metrics, with the interface of the built-in ones.

They represent submissions: uploaded scores, a Python entry point that is installed on the server,
or an HTTP endpoint. Each decides itself how to combine an item's references.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NotRequired, TypedDict, Unpack

import numpy as np

from concord.documents.conversation import ConversationFields
from concord.formats.concord_writer import conversation_fields
from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from core.security.outgoing.calls import CallError, CallRules, post_json
from scorers import Item, Metric
from scorers.batch import Batch
from scorers.errors import MetricError

GROUP = "concord.metrics"
ITEMS_PER_CALL = 64


class ExternalMetricError(RuntimeError):
    """An external metric did not return valid scores; the message says why."""


class ExternalMetricInfo(TypedDict):
    higher_is_better: bool
    summary: NotRequired[str]


class ItemRow(ConversationFields):
    """An item in the JSON that endpoints receive. Of a conversation `question` is the last turn of
    the user."""

    candidate: str
    references: list[str]
    question: str
    passage: str


class ExternalMetric(Metric):
    """A submitted metric with its name, direction and signature."""

    #: Items that a task scores, so that progress is visible and a stop takes effect soon.
    chunk_items = 512

    def __init__(
        self, name: str, signature: str, *, higher_is_better: bool, summary: str = ""
    ) -> None:
        info = MetricInfo(
            title=name,
            summary=summary,
            family="submitted",
            range=(-math.inf, math.inf),
            higher_is_better=higher_is_better,
            needs=frozenset({"question", "passage"}),
            reads_references=False,
        )
        super().__init__(MetricSpec(name, name, multi_ref="joint"), info)
        self._signature = signature

    def signature(self, corpus: object = None) -> str:
        return self._signature


class UploadedMetric(ExternalMetric):
    """A metric whose scores were uploaded; no others can be computed."""

    def compare(self, batch: Batch) -> Scores:
        raise ExternalMetricError(f"the scores of {self.name} were uploaded: none can be computed")


class EntryPointMetric(ExternalMetric):
    """A callable that is installed on the server: from a list of `scorers.Item` to as many numbers.

    The score of an item must not depend on the other items, whose order is random.
    """

    def __init__(
        self, name: str, signature: str, entry_point: str, **info: Unpack[ExternalMetricInfo]
    ) -> None:
        super().__init__(name, signature, **info)
        self._entry_point = entry_point

    def compare(self, batch: Batch) -> Scores:
        function = load(self._entry_point)
        scores = np.empty(len(batch))
        for indices in _shuffled_batches(batch):
            items = [batch.comparisons.item(index) for index in indices]
            try:
                values = list(function(items))
            except Exception as error:
                raise ExternalMetricError(
                    f"{self._entry_point} failed: {type(error).__name__}: {error}"
                ) from error
            scores[indices] = validate_scores(values, len(indices), self._entry_point)
            batch.tick(len(indices))
        return scores


class EndpointMetric(ExternalMetric):
    """An HTTP endpoint on another server. It receives POST requests with JSON such as

        {"items": [{"candidate": "...", "references": ["..."], "question": "...", "passage": ""}]}

    of at most 64 items in random order, those of conversations with their "messages", and answers
    {"scores": [0.5]}: a number for each item, in the order of the items.
    """

    def __init__(
        self,
        name: str,
        signature: str,
        url: str,
        rules: CallRules,
        **info: Unpack[ExternalMetricInfo],
    ) -> None:
        super().__init__(name, signature, **info)
        self._url, self._rules = url, rules

    def compare(self, batch: Batch) -> Scores:
        scores = np.empty(len(batch))
        for indices in _shuffled_batches(batch):
            payload = {"items": [_as_json(batch.comparisons.item(index)) for index in indices]}
            try:
                answer = post_json(
                    self._url, payload, self._rules, before_retry=lambda: batch.tick(0)
                )
            except CallError as error:
                raise ExternalMetricError(f"the endpoint returned no scores: {error}") from error
            if not isinstance(answer, dict) or not isinstance(answer.get("scores"), list):
                raise ExternalMetricError('the endpoint\'s answer is not {"scores": [...]}')
            scores[indices] = validate_scores(answer["scores"], len(indices), "the endpoint")
            batch.tick(len(indices))
        return scores


def installed_entry_points() -> dict[str, EntryPoint]:
    """The entry points of the group `concord.metrics`, by name."""
    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def entry_point_version(name: str) -> str:
    """The distribution and version of an entry point. Raises MetricError if it is missing."""
    entry_point = _entry_point(name)
    distribution = entry_point.dist
    return f"{distribution.name}-{distribution.version}" if distribution else entry_point.value


def load(name: str) -> Callable[[list[Item]], Sequence[float]]:
    """The callable of an entry point. Raises MetricError if it is missing or cannot be loaded."""
    try:
        function: Callable[[list[Item]], Sequence[float]] = _entry_point(name).load()
    except MetricError:
        raise
    except Exception as error:
        raise MetricError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise MetricError(f"{name} is not callable")
    return function


# values: of another program, so that they may be anything.
def validate_scores(values: Sequence[Any], expected: int, source: str) -> list[float]:
    """The values as floats. Raises ExternalMetricError for the first that is not a finite number,
    or for another count than `expected`."""
    if len(values) != expected:
        raise ExternalMetricError(f"{source} gave {len(values):,} scores for {expected:,} items")
    numbers = []
    for position, value in enumerate(values, start=1):
        name = f"{source}: score {position} of {expected}"
        if isinstance(value, (bool, str, bytes)) or value is None:
            raise ExternalMetricError(f"{name} is not a number")
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ExternalMetricError(f"{name} is not a number") from None
        if not math.isfinite(number):
            raise ExternalMetricError(f"{name} is {number}")
        numbers.append(number)
    return numbers


def _entry_point(name: str) -> EntryPoint:
    entry_points = installed_entry_points()
    if name not in entry_points:
        names = ", ".join(sorted(entry_points)) or "none"
        raise MetricError(
            f"no entry point {name!r} of {GROUP} is installed; installed entry points: {names}"
        )
    return entry_points[name]


def _shuffled_batches(batch: Batch) -> Iterator[list[int]]:
    """Lists of indices of the batch, in an order that depends on the texts and a random key.

    In the set's own order the better member of a minimal pair comes first, which would reveal the
    label.
    """
    key = secrets.token_bytes(16)

    def sort_key(index: int) -> bytes:
        text = batch.comparisons.candidates[index].encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text + b"\0%d" % index, key=key, digest_size=16).digest()

    order = sorted(range(len(batch)), key=sort_key)
    for start in range(0, len(order), ITEMS_PER_CALL):
        yield order[start : start + ITEMS_PER_CALL]


def _as_json(item: Item) -> ItemRow:
    return {
        "candidate": item.candidate,
        "references": list(item.references),
        "question": item.question,
        "passage": item.passage,
        **conversation_fields(item.conversation),
    }
