"""Exports to annotation tools: Label Studio and Potato."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet
from concord.formats import label_studio, potato

Names = Callable[[str], str]


def label_studio_tasks(judgment_set: JudgmentSet, names: Names) -> Iterator[str]:
    """A JSON list of tasks with annotations, which Label Studio imports, in parts."""
    rows = label_studio.task_rows(exports.visible_candidates(judgment_set), names)
    yield "["
    for number, row in enumerate(rows):
        yield (",\n" if number else "\n") + json.dumps(row, ensure_ascii=False)
    yield "\n]\n"


def potato_items(judgment_set: JudgmentSet, names: Names) -> Iterator[str]:
    """JSON Lines of items for `data_files`; items have no ratings."""
    del names
    rows: Iterable[object] = potato.item_rows(exports.visible_candidates(judgment_set))
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMATS: dict[str, Callable[[JudgmentSet, Names], Iterator[str]]] = {
    "label-studio": label_studio_tasks,
    "potato": potato_items,
}
