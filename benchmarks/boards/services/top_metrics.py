"""The best metrics of many sets, as their boards rank them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models.fields.json import KeyTransform

from benchmarks.analyses import kinds
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import find_complete_analyses
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.viewers import PUBLIC
from concord import findings
from concord.metrics.signature import variant_suffix


@dataclass(frozen=True)
class RankedMetric:
    """A metric with its Pearson correlation and its 95% interval.

    top: whether it is not shown to differ from the best; None where the analysis that compares the
    metrics has not been computed.
    """

    run: int
    name: str
    value: float
    ci: list[float] | None
    top: bool | None


@dataclass(frozen=True)
class SetRanking:
    """The public metrics of a set that have a correlation, best first; at least one."""

    metrics: list[RankedMetric]

    @property
    def best(self) -> RankedMetric:
        return self.metrics[0]

    @property
    def top(self) -> list[RankedMetric]:
        """The metrics that are not shown to differ from the best, which is the first; if they were
        not compared, those with the highest correlation."""
        if self.is_compared:
            return [metric for metric in self.metrics if metric.top]
        return [metric for metric in self.metrics if metric.value == self.best.value]

    @property
    def is_compared(self) -> bool:
        return self.best.top is not None

    @property
    def is_weak(self) -> bool:
        """Whether even the best correlation is clearly too low."""
        return findings.is_weak(self.best.ci)


def rank_public_metrics(judgment_sets: Iterable[JudgmentSet]) -> dict[int, SetRanking]:
    """By primary key of the set, its metrics ranked by Pearson's r; sets without any, and those
    with hidden labels, are left out.

    Ranks are those of the stored analysis that the board shows; nothing is computed. The number of
    queries does not depend on the number of sets.
    """
    sets = list(judgment_sets)
    masked = hidden.sets_with_any(sets)
    visible = [one for one in sets if one.name not in masked]
    by_set: dict[int, list[MetricRun]] = {one.pk: [] for one in visible}
    of_whole_set = KeyTransform("", KeyTransform("rows", "statistics"))
    runs = (
        MetricRun.objects.filter(judgment_set__in=visible, status=MetricRun.Status.COMPLETE)
        .visible_to(PUBLIC)
        .annotate(pearson=KeyTransform("pearson", KeyTransform(0, of_whole_set)))
        .only("metric", "multi_ref", "signature", "judgment_set_id")
    )
    for run in runs:
        by_set[run.judgment_set_id].append(run)
    analyses = find_complete_analyses("agreement", {}, by_set)
    rankings = {pk: _ranked_metrics(runs, analyses.get(pk)) for pk, runs in by_set.items()}
    return {pk: SetRanking(metrics) for pk, metrics in rankings.items() if metrics}


def _ranked_metrics(runs: list[MetricRun], analysis: Analysis | None) -> list[RankedMetric]:
    rows = kinds.agreement.KIND.result_of(analysis)["metrics"] if analysis else []
    compared = {row["run"]: row for row in rows}
    metrics: list[RankedMetric] = []
    for run in runs:
        row = compared.get(run.pk)
        # A row of the analysis, or a coefficient: both have a value.
        figure: Any = row or run.pearson  # type: ignore[attr-defined]
        if figure is None or figure["value"] is None:
            continue
        name = f"{run.metric} (joint)" if run.multi_ref == "joint" else run.metric
        name += variant_suffix(run.signature)
        top = row["top"] if row else None
        metrics.append(RankedMetric(run.pk, name, figure["value"], figure.get("ci"), top))
    return sorted(metrics, key=lambda metric: (-metric.value, metric.name))
