"""Frozen sets as arrays and scorer items. A set never changes, so what is built is kept."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import Instance, JudgmentSet
from benchmarks.stats import SetFrame
from benchmarks.stats.board import GROUPINGS
from scorers import Corpus, Item, parse_metrics

KEPT_SETS = 8


def corpus(judgment_set: JudgmentSet) -> Corpus:
    """The references of all candidates of the set: a document each, as the COCO scripts count."""
    return _corpus(judgment_set.pk)


def frame(judgment_set: JudgmentSet) -> SetFrame:
    """The set's gold scores, clusters and labels."""
    return _frame(judgment_set.pk)


def items(judgment_set: JudgmentSet, positions: Iterable[int]) -> list[Item]:
    """The texts at `positions`, in their order; past the candidates lie the pairs' members."""
    wanted = [int(position) for position in positions]
    n = judgment_set.n_candidates
    found = _candidate_items(judgment_set, [p for p in wanted if p < n])
    found.update(_pair_items(judgment_set, [p for p in wanted if p >= n]))
    return [found[position] for position in wanted]


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
    return Corpus.of(rows.values_list("instance__references", flat=True).iterator(chunk_size=5000))


@lru_cache(maxsize=KEPT_SETS)
def _frame(pk: int) -> SetFrame:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    columns = ("constituent", "category", "split")
    rows = judgment_set.candidates.order_by("position").values_list(
        "system", "instance__passage_key", *(f"instance__{column}" for column in columns)
    )
    values = list(zip(*rows, strict=True)) or [()] * (2 + len(columns))
    labels = {"system": np.array(values[0], dtype=np.str_)}
    labels |= {name: np.array(values[at + 2], dtype=np.str_) for at, name in enumerate(columns)}
    assert set(labels) == set(GROUPINGS)
    pairs = judgment_set.pairs.order_by("position").values_list(
        "phenomenon", *(f"instance__{column}" for column in columns)
    )
    pair_values = list(zip(*pairs, strict=True)) or [()] * (1 + len(columns))
    return SetFrame(
        gold=np.frombuffer(bytes(judgment_set.gold_scores), dtype="<f8"),
        clusters=np.unique(np.array(values[1], dtype=np.str_), return_inverse=True)[1],
        labels=labels,
        pair_labels={
            name: np.array(pair_values[at], dtype=np.str_)
            for at, name in enumerate(("phenomenon", *columns))
        },
    )


def _candidate_items(judgment_set: JudgmentSet, positions: list[int]) -> dict[int, Item]:
    rows = judgment_set.candidates.filter(position__in=positions).values_list(
        "position", "text", "instance_id"
    )
    texts = list(rows)
    instances = _instances({row[2] for row in texts})
    return {position: _item(text, instances[instance]) for position, text, instance in texts}


def _pair_items(judgment_set: JudgmentSet, positions: list[int]) -> dict[int, Item]:
    n = judgment_set.n_candidates
    numbers = {(position - n) // 2 for position in positions}
    pairs = judgment_set.pairs.filter(position__in=numbers).select_related("instance")
    by_number = {pair.position: pair for pair in pairs}
    found = {}
    for position in positions:
        number, second = divmod(position - n, 2)
        pair = by_number[number]
        found[position] = _item(pair.candidate2 if second else pair.candidate1, pair.instance)
    return found


def _instances(pks: set[int]) -> dict[int, Instance]:
    return Instance.objects.only("references", "question", "passage").in_bulk(pks)


def _item(text: str, instance: Instance) -> Item:
    return Item(text, tuple(instance.references), instance.question, instance.passage)
