"""Frozen sets as arrays and scorer items. A set never changes, so what is built is kept."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.sets.models import Instance, JudgmentSet
from concord.meta import SetArrays
from concord.meta.board import GROUPINGS
from concord.meta.breakdowns import answer_length, question_type, reference_count
from scorers import Corpus, Item, parse_metrics

KEPT_SETS = 8
BLOCK = 2000
KEPT_BLOCKS = 64

# The fields of an Item after its references, in their order.
_CONTEXT = ("question", "passage", "short_answer")


def corpus(judgment_set: JudgmentSet) -> Corpus:
    """The references of all candidates of the set: a document each, as the COCO scripts count."""
    return _corpus(judgment_set.pk)


def frame(judgment_set: JudgmentSet) -> SetArrays:
    """The set's gold scores, clusters and labels."""
    return _frame(judgment_set.pk)


def items(
    judgment_set: JudgmentSet, positions: Iterable[int], *, context: bool = True
) -> list[Item]:
    """The texts at `positions`, in their order; past the candidates lie the pairs' members.

    Without `context` questions, passages and short answers are left empty, which saves reading them
    for metrics that do not use them. Blocks of items are cached for the next metric.
    """
    wanted = [int(position) for position in positions]
    blocks = {
        number: _block(judgment_set.pk, number, context)
        for number in sorted({position // BLOCK for position in wanted})
    }
    return [blocks[position // BLOCK][position % BLOCK] for position in wanted]


def system_positions(judgment_set: JudgmentSet) -> dict[str, NDArray[np.int64]]:
    """Each system's candidates, by position."""
    systems = frame(judgment_set).labels["system"]
    return {
        str(system): np.flatnonzero(systems == system) for system in np.unique(systems) if system
    }


@lru_cache(maxsize=512)
def sees_context(metric: str) -> bool:
    """Whether a metric reads the question or the passage, so that they name its items too."""
    return bool(parse_metrics(metric)[0].needs)


@lru_cache(maxsize=KEPT_SETS)
def _corpus(pk: int) -> Corpus:
    rows = JudgmentSet.objects.get(pk=pk).candidates.order_by("position")
    return Corpus.from_references(
        rows.values_list("instance__references", flat=True).iterator(chunk_size=5000)
    )


@lru_cache(maxsize=KEPT_SETS)
def _frame(pk: int) -> SetArrays:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    columns = ("constituent", "category", "split")
    # Each grouping's label of an instance; the passage stands before them.
    named = ("type", "references", *columns)
    instances = {
        pk: (passage, question_type(question, category), reference_count(count), *rest)
        for pk, passage, question, category, count, *rest in judgment_set.instances.values_list(
            "pk", "passage_key", "question", "category", "references__len", *columns
        ).iterator(chunk_size=5000)
    }
    row_of = {pk: row for row, pk in enumerate(instances)}
    by_instance = list(zip(*instances.values(), strict=True)) or [()] * (1 + len(named))
    of, systems, lengths = [], [], []
    candidates = judgment_set.candidates.order_by("position")
    for pk, system, text in candidates.values_list("instance_id", "system", "text").iterator(
        chunk_size=5000
    ):
        of.append(row_of[pk])
        systems.append(sys.intern(system))
        lengths.append(answer_length(text))
    rows = np.array(of, dtype=np.intp)
    passages = np.unique(np.array(by_instance[0], dtype=np.str_), return_inverse=True)[1]
    labels = {
        name: np.array(by_instance[at], dtype=np.str_)[rows] for at, name in enumerate(named, 1)
    }
    labels["system"] = np.array(systems, dtype=np.str_)
    labels["length"] = np.array(lengths, dtype=np.str_)
    assert set(labels) == set(GROUPINGS)
    pairs = judgment_set.pairs.order_by("position").values_list("phenomenon", "instance_id")
    pair_values = [(phenomenon, *instances[pk][1:]) for phenomenon, pk in pairs]
    pair_columns = list(zip(*pair_values, strict=True)) or [()] * (1 + len(named))
    return SetArrays(
        gold=np.frombuffer(bytes(judgment_set.gold_scores), dtype="<f8"),
        clusters=np.unique(passages[rows], return_inverse=True)[1],
        labels=labels,
        pair_labels={
            name: np.array(pair_columns[at], dtype=np.str_)
            for at, name in enumerate(("phenomenon", *named))
        },
    )


@lru_cache(maxsize=KEPT_BLOCKS)
def _block(pk: int, number: int, context: bool) -> list[Item]:
    """Items `number * BLOCK` to the next block's first, or the set's last."""
    judgment_set = JudgmentSet.objects.get(pk=pk)
    start, n = number * BLOCK, judgment_set.n_candidates
    stop = min(start + BLOCK, judgment_set.n_items)
    found = _candidate_items(judgment_set, start, min(stop, n), context)
    # A block may begin with the second member of a pair.
    first, last = max(0, start - n) // 2, max(0, stop - n + 1) // 2
    members = _pair_items(judgment_set, first, last, context)
    skipped = max(0, start - n) % 2
    return found + members[skipped : skipped + stop - start - len(found)]


def _candidate_items(judgment_set: JudgmentSet, start: int, stop: int, context: bool) -> list[Item]:
    rows = judgment_set.candidates.filter(position__gte=start, position__lt=stop)
    texts = list(rows.order_by("position").values_list("text", "instance_id"))
    fields = ("references", *(_CONTEXT if context else ()))
    instances = Instance.objects.filter(pk__in={pk for _, pk in texts}).values_list("pk", *fields)
    found = {pk: (tuple(references), *rest) for pk, references, *rest in instances}
    return [Item(text, *found[pk]) for text, pk in texts]


def _pair_items(judgment_set: JudgmentSet, first: int, last: int, context: bool) -> list[Item]:
    """Both members of pairs `first` to `last` - 1."""
    found = []
    pairs = judgment_set.pairs.filter(position__gte=first, position__lt=last)
    for pair in pairs.order_by("position").select_related("instance"):
        instance = pair.instance
        rest = [getattr(instance, name) for name in _CONTEXT] if context else []
        for text in (pair.candidate1, pair.candidate2):
            found.append(Item(text, tuple(instance.references), *rest))
    return found
