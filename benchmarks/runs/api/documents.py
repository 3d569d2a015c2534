"""What the API says of judgment sets and metric runs."""

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
    illustrative = serializers.BooleanField(help_text="Nobody's judgments: made to show things.")
    source_format = serializers.CharField()
    scale = serializers.SerializerMethodField(help_text="Lowest and highest rating.")
    candidates = serializers.IntegerField(source="n_candidates")
    pairs = serializers.IntegerField(source="n_pairs", help_text="Minimal pairs.")
    content_hash = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when anybody may see it; null: members alone."
    )
    role = serializers.SerializerMethodField(help_text="Yours; null where you have none.")

    def get_ref(self, found: JudgmentSet) -> str:
        return str(found)

    def get_scale(self, found: JudgmentSet) -> list[float] | None:
        if found.scale_low is None or found.scale_high is None:
            return None
        return [found.scale_low, found.scale_high]

    def get_content_hash(self, found: JudgmentSet) -> str:
        return hidden.content_hash(found)

    def get_role(self, found: JudgmentSet) -> str | None:
        return found.viewer.role.value if found.viewer.role else None


class SetDetailDocument(SetDocument):
    """One version, with what its import read and left out."""

    report = serializers.SerializerMethodField(help_text="The import, in sentences.")
    statistics = serializers.SerializerMethodField(
        help_text="Counts by constituent and split, phenomena of the pairs."
    )
    metrics = serializers.SerializerMethodField(help_text="Metrics whose runs are complete.")

    def get_report(self, found: JudgmentSet) -> list[str]:
        return reports.report_lines(found.report)

    def get_statistics(self, found: JudgmentSet) -> dict[str, Any]:
        names = ("constituents", "total", "phenomena")
        return {name: found.statistics[name] for name in names}

    def get_metrics(self, found: JudgmentSet) -> list[str]:
        complete = visible_runs(found).filter(status=MetricRun.Status.COMPLETE)
        return list(complete.order_by("metric").values_list("metric", flat=True).distinct())


class RunDocument(WorkDocument):
    """One metric over one version of a set."""

    judgment_set = serializers.CharField(help_text="NAME@VERSION.")
    metric = serializers.CharField()
    multi_ref = serializers.CharField(help_text="How several references are combined.")
    signature = serializers.CharField(help_text="Pins everything that can change a score.")
    items = serializers.IntegerField(source="n_items")
    known = serializers.IntegerField(source="n_known", help_text="Taken from earlier runs.")
    computed = serializers.IntegerField(source="n_computed")
    seconds = serializers.FloatField()
    device = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    submission = serializers.IntegerField(source="submission_id", allow_null=True)


class RunsDocument(serializers.Serializer[Any]):
    """The runs that were asked for, in that order."""

    runs = RunDocument(many=True)


class AnalysisDocument(WorkDocument):
    """Statistics over a set and its runs that take longer than an answer may."""

    judgment_set = serializers.CharField(help_text="NAME@VERSION.")
    kind = serializers.CharField()
    parameters = serializers.DictField()
    seconds = serializers.FloatField()
    result = serializers.DictField(allow_null=True, help_text="Null until it is complete.")


class MetricDocument(serializers.Serializer[Any]):
    """A metric of this installation."""

    name = serializers.CharField()
    family = serializers.CharField()
    higher_is_better = serializers.BooleanField()
