"""Judgment sets as arrays and scorer items, cached: a version of a set never changes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import Criterion, Instance, JudgmentSet
from benchmarks.sets.services import designs
from concord.estimation import EstimationError
from concord.meta import SetArrays
from concord.meta.board import GROUPINGS
from concord.meta.breakdowns import answer_length, question_type, reference_count
from concord.sampling.stored import candidate_weights, count_unrated
from scorers import Corpus, Item, parse_metrics

MAX_CACHED_SETS = 8
BLOCK_ITEMS = 2000
MAX_CACHED_BLOCKS = 64

# The fields of an Item after its references, in order.
_CONTEXT = ("question", "passage", "short_answer", "conversation")


def corpus(judgment_set: JudgmentSet) -> Corpus:
    """The references of the set's candidates; those of one candidate are one document, as in the
    COCO scripts."""
    return _corpus(judgment_set.pk)


def frame(judgment_set: JudgmentSet) -> SetArrays:
    """The gold scores, on the chosen criterion if any, with the set's clusters and labels.

    No gold scores where candidates were drawn with unequal probabilities: figures that do not weigh
    by them would be biased. Estimates read `CandidateSampling`, boards `board_frame`.
    """
    criterion = judgment_set.criterion
    if criterion is None:
        return _frame(judgment_set.pk)
    return _criterion_frame(judgment_set.pk, criterion.pk)


def board_frame(judgment_set: JudgmentSet) -> SetArrays:
    """`frame`, for the figures of a board: with the gold scores and design weights where candidates
    were drawn with unequal probabilities. Where the design is not complete, `reason` says why there
    are no weights."""
    if not judgment_set.has_unequal_sampling:
        return frame(judgment_set)
    criterion = judgment_set.criterion
    return _weighted_frame(judgment_set.pk, None if criterion is None else criterion.pk)


def items(
    judgment_set: JudgmentSet, positions: Iterable[int], *, context: bool = True
) -> list[Item]:
    """The items at `positions`, in this order; the pairs' members follow the candidates.

    context: whether to read questions, passages, short answers and turns; without, they are empty.
    Blocks of items are cached for the next metric.
    """
    indices = [int(position) for position in positions]
    blocks = {
        number: _block(judgment_set.pk, number, context)
        for number in sorted({index // BLOCK_ITEMS for index in indices})
    }
    return [blocks[index // BLOCK_ITEMS][index % BLOCK_ITEMS] for index in indices]


def system_positions(judgment_set: JudgmentSet) -> dict[str, NDArray[np.int64]]:
    """Each system's candidates, by position."""
    systems = frame(judgment_set).labels["system"]
    return {
        str(system): np.flatnonzero(systems == system) for system in np.unique(systems) if system
    }


@lru_cache(maxsize=512)
def reads_context(metric: str) -> bool:
    """Whether a metric reads the question or passage, which then are part of its items' keys."""
    return bool(parse_metrics(metric, "joint")[0].needs)  # "joint" accepts every option


@lru_cache(maxsize=MAX_CACHED_SETS)
def _corpus(pk: int) -> Corpus:
    rows = JudgmentSet.objects.get(pk=pk).candidates.order_by("position")
    return Corpus.from_references(
        rows.values_list("instance__references", flat=True).iterator(chunk_size=5000)
    )


@lru_cache(maxsize=MAX_CACHED_SETS)
def _frame(pk: int) -> SetArrays:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    columns = ("constituent", "category", "split")
    # Labels of an instance by grouping; in `instances` the passage key comes first.
    groupings = ("type", "references", *columns)
    instances = {
        pk: (passage, question_type(question, category), reference_count(count), *rest)
        for pk, passage, question, category, count, *rest in judgment_set.instances.values_list(
            "pk", "passage_key", "question", "category", "references__len", *columns
        ).iterator(chunk_size=5000)
    }
    instance_rows = {pk: row for row, pk in enumerate(instances)}
    by_instance = list(zip(*instances.values(), strict=True)) or [()] * (1 + len(groupings))
    candidate_rows, systems, lengths = [], [], []
    candidates = judgment_set.candidates.order_by("position")
    for pk, system, text in candidates.values_list("instance_id", "system", "text").iterator(
        chunk_size=5000
    ):
        candidate_rows.append(instance_rows[pk])
        systems.append(sys.intern(system))
        lengths.append(answer_length(text))
    rows = np.array(candidate_rows, dtype=np.intp)
    passages = np.unique(np.array(by_instance[0], dtype=np.str_), return_inverse=True)[1]
    labels = {
        name: np.array(by_instance[column], dtype=np.str_)[rows]
        for column, name in enumerate(groupings, 1)
    }
    labels["system"] = np.array(systems, dtype=np.str_)
    labels["length"] = np.array(lengths, dtype=np.str_)
    assert set(labels) == set(GROUPINGS)
    pairs = list(judgment_set.pairs.order_by("position").values_list("phenomenon", "instance_id"))
    pair_values = [(phenomenon, *instances[pk][1:]) for phenomenon, pk in pairs]
    pair_columns = list(zip(*pair_values, strict=True)) or [()] * (1 + len(groupings))
    gold = judgment_set.gold_array
    if judgment_set.has_unequal_sampling:
        gold = np.full(len(gold), np.nan)
    return SetArrays(
        gold=gold,
        clusters=np.unique(passages[rows], return_inverse=True)[1],
        labels=labels,
        pair_labels={
            name: np.array(pair_columns[column], dtype=np.str_)
            for column, name in enumerate(("phenomenon", *groupings))
        },
        pair_clusters=passages[np.array([instance_rows[pk] for _, pk in pairs], dtype=np.intp)],
    )


@lru_cache(maxsize=MAX_CACHED_SETS)
def _criterion_frame(pk: int, criterion: int) -> SetArrays:
    frame = _frame(pk)
    if JudgmentSet.objects.get(pk=pk).has_unequal_sampling:
        return frame
    return replace(frame, gold=Criterion.objects.defer(None).get(pk=criterion).gold_array)


@lru_cache(maxsize=MAX_CACHED_SETS)
def _weighted_frame(pk: int, criterion: int | None) -> SetArrays:
    frame, judgment_set = _frame(pk), JudgmentSet.objects.get(pk=pk)
    gold = judgment_set.gold_array
    if criterion is not None:
        gold = Criterion.objects.defer(None).get(pk=criterion).gold_array
    records = designs.sampling_records(judgment_set)
    frame = replace(frame, unrated_draws=count_unrated(records, gold))
    try:
        weights = candidate_weights(records, gold, frame.clusters)
    except EstimationError as error:
        return replace(frame, reason=str(error))
    return replace(frame, gold=np.where(weights > 0, gold, np.nan), weights=weights)


@lru_cache(maxsize=MAX_CACHED_BLOCKS)
def _block(pk: int, number: int, context: bool) -> list[Item]:
    """Block `number` of the set's items; the last block may be shorter."""
    judgment_set = JudgmentSet.objects.get(pk=pk)
    start, n = number * BLOCK_ITEMS, judgment_set.n_candidates
    stop = min(start + BLOCK_ITEMS, judgment_set.n_items)
    candidates = _candidate_items(judgment_set, start, min(stop, n), context)
    # A block may begin with the second member of a pair.
    first, last = max(0, start - n) // 2, max(0, stop - n + 1) // 2
    members = _pair_items(judgment_set, first, last, context)
    skipped = max(0, start - n) % 2
    return candidates + members[skipped : skipped + stop - start - len(candidates)]


def _candidate_items(judgment_set: JudgmentSet, start: int, stop: int, context: bool) -> list[Item]:
    rows = judgment_set.candidates.filter(position__gte=start, position__lt=stop)
    texts = list(rows.order_by("position").values_list("text", "instance_id"))
    fields = ("references", *(_CONTEXT if context else ()))
    instances = Instance.objects.filter(pk__in={pk for _, pk in texts}).values_list("pk", *fields)
    contexts = {pk: (tuple(references), *rest) for pk, references, *rest in instances}
    return [Item(text, *contexts[pk]) for text, pk in texts]


def _pair_items(judgment_set: JudgmentSet, first: int, last: int, context: bool) -> list[Item]:
    """Both members of pairs `first` to `last` - 1."""
    items = []
    pairs = judgment_set.pairs.filter(position__gte=first, position__lt=last)
    for pair in pairs.order_by("position").select_related("instance"):
        instance = pair.instance
        rest = [getattr(instance, name) for name in _CONTEXT] if context else []
        for text in (pair.candidate1, pair.candidate2):
            items.append(Item(text, tuple(instance.references), *rest))
    return items
