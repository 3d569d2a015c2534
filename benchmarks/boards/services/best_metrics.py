"""The best metric of each of many sets."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import FloatField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.viewers import PUBLIC

COMPLETE = MetricRun.Status.COMPLETE


def best_metrics(judgment_sets: Iterable[JudgmentSet]) -> dict[int, MetricRun]:
    """Each set's complete public run with the highest Pearson correlation, as `run.best`."""
    whole = KeyTransform("", KeyTransform("rows", "statistics"))
    value = KeyTextTransform("value", KeyTransform("pearson", KeyTransform(0, whole)))
    sets = list(judgment_sets)
    masked = hidden.sets_with_any(sets)
    visible = [one for one in sets if one.name not in masked or not hidden.withheld_groups(one)]
    runs = MetricRun.objects.filter(judgment_set__in=visible, status=COMPLETE)
    best = (
        runs.visible_to(PUBLIC)
        .annotate(best=Cast(value, FloatField()))
        .filter(best__isnull=False)
        .order_by("judgment_set_id", "-best", "pk")
        .distinct("judgment_set_id")
        .only("metric", "multi_ref", "judgment_set_id")
    )
    return {run.judgment_set_id: run for run in best}
