"""Documents of judgment sets and metric runs in the API."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, reports
from core.rest.work import WorkDocument


class SetDocument(serializers.Serializer[JudgmentSet]):
    """One version of a judgment set."""

    ref = serializers.SerializerMethodField(help_text="NAME@VERSION.")
    name = serializers.CharField()
    version = serializers.IntegerField()
    title = serializers.CharField()
    description = serializers.CharField()
    illustrative = serializers.BooleanField(
        help_text="An invented example: not the judgments of people."
    )
    source_format = serializers.CharField()
    scale = serializers.SerializerMethodField(help_text="Lowest and highest rating.")
    candidates = serializers.IntegerField(source="n_candidates")
    pairs = serializers.IntegerField(source="n_pairs", help_text="Minimal pairs.")
    content_hash = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(
        allow_null=True, help_text="When it became public; null if only members see it."
    )
    role = serializers.SerializerMethodField(help_text="Your role, or null.")

    def get_ref(self, judgment_set: JudgmentSet) -> str:
        return str(judgment_set)

    def get_scale(self, judgment_set: JudgmentSet) -> list[float] | None:
        return None if judgment_set.scale is None else list(judgment_set.scale)

    def get_content_hash(self, judgment_set: JudgmentSet) -> str:
        return hidden.content_hash(judgment_set)

    def get_role(self, judgment_set: JudgmentSet) -> str | None:
        return judgment_set.viewer.role.value if judgment_set.viewer.role else None


class SetDetailDocument(SetDocument):
    """One version, with the report of its import, statistics and scored metrics."""

    report = serializers.SerializerMethodField(help_text="The import, in sentences.")
    statistics = serializers.SerializerMethodField(
        help_text="Counts by constituent and split, phenomena of the pairs, "
        "criteria and marked errors."
    )
    metrics = serializers.SerializerMethodField(help_text="Metrics with complete runs.")

    def get_report(self, judgment_set: JudgmentSet) -> list[str]:
        return reports.report_lines(judgment_set.report)

    def get_statistics(self, judgment_set: JudgmentSet) -> dict[str, Any]:
        names = ("constituents", "total", "phenomena", "criteria", "marks")
        statistics = judgment_set.statistics
        return {name: statistics[name] for name in names if name in statistics}

    def get_metrics(self, judgment_set: JudgmentSet) -> list[str]:
        complete = visible_runs(judgment_set).filter(status=MetricRun.Status.COMPLETE)
        return list(complete.order_by("metric").values_list("metric", flat=True).distinct())


class RunDocument(WorkDocument):
    """The run of one metric on one version of a set."""

    judgment_set = serializers.CharField(help_text="NAME@VERSION.")
    metric = serializers.CharField()
    multi_ref = serializers.CharField(help_text="How several references are combined.")
    signature = serializers.CharField(help_text="Identifies everything that can change a score.")
    items = serializers.IntegerField(source="n_items")
    known = serializers.IntegerField(
        source="n_known", help_text="Items whose scores come from earlier runs."
    )
    computed = serializers.IntegerField(source="n_computed", help_text="Items scored so far.")
    seconds = serializers.FloatField()
    device = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    submission = serializers.IntegerField(source="submission_id", allow_null=True)


class RunsDocument(serializers.Serializer[Any]):
    """The requested runs, in the order of the request."""

    runs = RunDocument(many=True)


class AnalysisDocument(WorkDocument):
    """Statistics of a set and its runs, computed by a worker."""

    judgment_set = serializers.CharField(help_text="NAME@VERSION.")
    kind = serializers.CharField()
    parameters = serializers.DictField()
    seconds = serializers.FloatField()
    result = serializers.DictField(allow_null=True, help_text="Null until complete.")


class MetricDocument(serializers.Serializer[Any]):
    """A metric of this installation."""

    name = serializers.CharField()
    family = serializers.CharField()
    higher_is_better = serializers.BooleanField()
