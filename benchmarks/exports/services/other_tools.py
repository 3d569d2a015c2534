"""Exports to annotation tools: Label Studio and Potato."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from benchmarks.sets.services.pseudonyms import pseudonyms
from concord.formats import label_studio, potato


def label_studio_tasks(judgment_set: JudgmentSet) -> Iterator[str]:
    """A JSON list of tasks with annotations, which Label Studio imports, in parts."""
    rows = label_studio.task_rows(
        exports.visible_candidates(judgment_set), pseudonyms(judgment_set)
    )
    yield "["
    for number, row in enumerate(rows):
        yield (",\n" if number else "\n") + json.dumps(row, ensure_ascii=False)
    yield "\n]\n"


def label_studio_configuration(judgment_set: JudgmentSet) -> Iterator[str]:
    """The labelling configuration of a project for these tasks: texts, and a Number control for the
    score and each criterion."""
    scales = {"": judgment_set.scale} if criteria.has_score(judgment_set) else {}
    for one in judgment_set.statistics.get("criteria", ()):
        scales[one["name"]] = one["scale"] and tuple(one["scale"])
    instances = judgment_set.instances
    texts = ["candidate"]
    texts += [one for one in ("passage", "question") if instances.exclude(**{one: ""}).exists()]
    yield label_studio.labelling_configuration(scales or {"": judgment_set.scale}, texts)


def potato_items(judgment_set: JudgmentSet) -> Iterator[str]:
    """JSON Lines of items for `data_files`; items have no ratings."""
    rows: Iterable[object] = potato.item_rows(exports.visible_candidates(judgment_set))
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMATS = {
    "label-studio": label_studio_tasks,
    "label-studio-config": label_studio_configuration,
    "potato": potato_items,
}
