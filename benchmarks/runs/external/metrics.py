"""Metrics that are not of this house, in the shape of those that are.

They stand for submissions: scores that were uploaded, a Python entry point installed on the
server, an HTTP endpoint. All take an item's references together, in their own way.
"""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NotRequired, TypedDict, Unpack

import numpy as np

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from core.security.outgoing.calls import CallError, CallRules, post_json
from scorers import Item, Metric
from scorers.batch import Batch
from scorers.errors import MetricError

GROUP = "concord.metrics"
ITEMS_PER_CALL = 64


class ExternalMetricError(RuntimeError):
    """A metric of somebody else's did not give the scores it was asked for; says why."""


class SubmittedFacts(TypedDict):
    higher_is_better: bool
    summary: NotRequired[str]


class ItemRow(TypedDict):
    """An item as an endpoint is sent it."""

    candidate: str
    references: list[str]
    question: str
    passage: str


class ExternalMetric(Metric):
    """What is known of a submitted metric: its name, direction and signature."""

    #: Items that a task scores at a time: few enough that progress shows and a stop comes soon.
    chunk_items = 512

    def __init__(
        self, name: str, signature: str, *, higher_is_better: bool, summary: str = ""
    ) -> None:
        facts = MetricInfo(
            title=name,
            summary=summary,
            family="submitted",
            range=(-math.inf, math.inf),
            higher_is_better=higher_is_better,
            needs=frozenset({"question", "passage"}),
        )
        super().__init__(MetricSpec(name, name, multi_ref="joint"), facts)
        self._signature = signature

    def signature(self, corpus: Any = None) -> str:
        return self._signature


class UploadedMetric(ExternalMetric):
    """Scores that came as a file: nothing here can compute more of them."""

    def compare(self, batch: Batch) -> Scores:
        raise ExternalMetricError(f"the scores of {self.name} were uploaded; none can be computed")


class EntryPointMetric(ExternalMetric):
    """A callable installed on the server: a list of `scorers.Item` in, as many numbers out.

    An item's score may not depend on the others of its list, which come in no stated order.
    """

    def __init__(
        self, name: str, signature: str, entry_point: str, **facts: Unpack[SubmittedFacts]
    ) -> None:
        super().__init__(name, signature, **facts)
        self._entry_point = entry_point

    def compare(self, batch: Batch) -> Scores:
        function = load(self._entry_point)
        scores = np.empty(len(batch))
        for chosen in _portions(batch):
            items = [batch.comparisons.item(at) for at in chosen]
            try:
                given = list(function(items))
            except Exception as error:
                raise ExternalMetricError(
                    f"{self._entry_point} failed: {type(error).__name__}: {error}"
                ) from error
            scores[chosen] = checked(given, len(chosen), self._entry_point)
            batch.tick(len(chosen))
        return scores


class EndpointMetric(ExternalMetric):
    """A server elsewhere. It is sent, by POST, JSON such as

        {"items": [{"candidate": "...", "references": ["..."], "question": "...", "passage": ""}]}

    of at most 64 items in no stated order, and answers {"scores": [0.5]}: a number for each item,
    in the order of the items.
    """

    def __init__(
        self,
        name: str,
        signature: str,
        url: str,
        rules: CallRules,
        **facts: Unpack[SubmittedFacts],
    ) -> None:
        super().__init__(name, signature, **facts)
        self._url, self._rules = url, rules

    def compare(self, batch: Batch) -> Scores:
        scores = np.empty(len(batch))
        for chosen in _portions(batch):
            payload = {"items": [_as_json(batch.comparisons.item(at)) for at in chosen]}
            try:
                answer = post_json(
                    self._url, payload, self._rules, before_retry=lambda: batch.tick(0)
                )
            except CallError as error:
                raise ExternalMetricError(f"the endpoint gave no scores: {error}") from error
            if not isinstance(answer, dict) or not isinstance(answer.get("scores"), list):
                raise ExternalMetricError('the endpoint\'s answer is not {"scores": [...]}')
            scores[chosen] = checked(answer["scores"], len(chosen), "the endpoint")
            batch.tick(len(chosen))
        return scores


def installed() -> dict[str, EntryPoint]:
    """The entry points of the group `concord.metrics`, by name."""
    return {found.name: found for found in entry_points(group=GROUP)}


def version_of(name: str) -> str:
    """What pins an entry point: its distribution and version. MetricError where there is none."""
    found = _found(name)
    return f"{found.dist.name}-{found.dist.version}" if found.dist else found.value


def load(name: str) -> Callable[[list[Item]], Sequence[float]]:
    """The callable behind an entry point. MetricError where it is missing or cannot be loaded."""
    try:
        function: Callable[[list[Item]], Sequence[float]] = _found(name).load()
    except MetricError:
        raise
    except Exception as error:
        raise MetricError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(function):
        raise MetricError(f"{name} is no callable")
    return function


def checked(given: list[Any], expected: int, source: str) -> list[float]:
    """The numbers as floats. ExternalMetricError, naming the first, unless all are finite."""
    if len(given) != expected:
        raise ExternalMetricError(f"{source} gave {len(given):,} scores for {expected:,} items")
    numbers = []
    for at, value in enumerate(given, start=1):
        if isinstance(value, (bool, str, bytes)) or value is None:
            raise ExternalMetricError(f"{source}: score {at} of {expected} is no number")
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ExternalMetricError(f"{source}: score {at} of {expected} is no number") from None
        if not math.isfinite(number):
            raise ExternalMetricError(f"{source}: score {at} of {expected} is {number}")
        numbers.append(number)
    return numbers


def _found(name: str) -> EntryPoint:
    known = installed()
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        raise MetricError(f"no entry point {name!r} of {GROUP} is installed; there are {there}")
    return known[name]


def _portions(batch: Batch) -> Iterator[list[int]]:
    """The batch in portions, shuffled by content under a key made anew: in a set's own order the
    better member of a minimal pair comes first, which nobody should be told."""
    key = secrets.token_bytes(16)

    def place(at: int) -> bytes:
        text = batch.comparisons.candidates[at].encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text + b"\0%d" % at, key=key, digest_size=16).digest()

    order = sorted(range(len(batch)), key=place)
    for start in range(0, len(order), ITEMS_PER_CALL):
        yield order[start : start + ITEMS_PER_CALL]


def _as_json(item: Item) -> ItemRow:
    return {
        "candidate": item.candidate,
        "references": list(item.references),
        "question": item.question,
        "passage": item.passage,
    }
