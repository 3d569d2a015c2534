"""Second references that are rated as candidates (MOCHA, Section 2.2).

MOCHA shows raters one reference and pairs each question with one (Figure 2, Table 2). A second
reference that becomes a candidate is therefore removed from its instance, for all its candidates.
They share HITs, so a rater who reads it as a correct answer next to one candidate would recognise
it as another candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import scorers
from annotation.studies.intake import Item
from annotation.studies.models import Study, StudyInstance
from concord.formats import InstanceRecord
from concord.protocols.packing import fold_text

SYSTEM = "reference-2"


@dataclass(frozen=True, slots=True)
class SecondReference:
    """A second reference that differs from the first: its text, and the instance without it."""

    text: str
    instance: InstanceRecord

    def item(self) -> Item:
        key = f"{self.instance.key}/{SYSTEM}"
        return Item.single(key, self.instance, self.text, SYSTEM)


def far_second_references(
    instances: Iterable[InstanceRecord], below: float | None
) -> dict[str, SecondReference]:
    """Second references whose token F1 with the first is below `below`, by the instance's key.

    Empty if `below` is None. Every reference that equals the second, ignoring case and white space,
    is removed from the instance; the first is always kept.
    """
    if below is None:
        return {}
    several = {
        instance.key: instance
        for instance in instances
        if len(instance.references) > 1
        and fold_text(instance.references[0]) != fold_text(instance.references[1])
    }
    if not several:
        return {}
    (metric,) = scorers.parse_metrics("token-f1")
    items = [scorers.Item(i.references[1], i.references[:1]) for i in several.values()]
    with scorers.Session() as session:
        overlaps = session.score(metric, items)
    return {
        instance.key: SecondReference(instance.references[1], _without_second(instance))
        for instance, overlap in zip(several.values(), overlaps.tolist(), strict=True)
        if overlap < below
    }


def not_yet_rated(
    study: Study,
    instances: Mapping[str, StudyInstance],
    second_references: Mapping[str, SecondReference],
) -> list[Item]:
    """The second references that become candidates now.

    Excluded are those of earlier files, and those of instances that the study stored with both
    references, because stored instances do not change.
    """
    earlier = set(
        study.candidates.filter(system=SYSTEM, use__in=("rated", "dropped")).values_list(
            "instance__key", flat=True
        )
    )
    return [
        one.item()
        for key, one in second_references.items()
        if key not in earlier
        and (key not in instances or tuple(instances[key].references) == one.instance.references)
    ]


def _without_second(instance: InstanceRecord) -> InstanceRecord:
    second = fold_text(instance.references[1])
    remaining = tuple(text for text in instance.references if fold_text(text) != second)
    return replace(instance, references=remaining)
