"""Downloads of a set, streamed."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from benchmarks.exports import views as downloads
from benchmarks.exports.inputs import DatasetOptions, LabelOptions, PreferenceOptions
from benchmarks.exports.services import exports
from benchmarks.sets.services import access, criteria
from benchmarks.sets.views import attachments
from benchmarks.sets.views.attachments import JSON_LINES, attachment, media_type
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView

CSV, LINES, TSV = (media_type(kind) for kind in (attachments.CSV, JSON_LINES, attachments.TSV))


class ScoresQuery(Strict):
    metrics = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="Names of metrics, in the order of the file; by default all complete ones.",
    )


class JudgmentsView(ApiView):
    @operation("Download judgments", scope="sets:read", visitors=True, sends=LINES, tag="downloads")
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """concord-judgments JSON Lines. Importing them makes the same set. Workers have
        pseudonyms."""
        return downloads.judgments_jsonl(request._request, ref)


class JudgmentsParquet(ApiView):
    @operation(
        "Download judgments as Parquet",
        scope="sets:read",
        visitors=True,
        sends=attachments.PARQUET,
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """The fields of concord-judgments as columns. Importing it makes the same set. Workers have
        pseudonyms."""
        return downloads.judgments_parquet(request._request, ref)


class Dataset(ApiView):
    @operation(
        "Download a dataset folder",
        scope="sets:read",
        visitors=True,
        query=DatasetOptions,
        sends=attachments.ZIP,
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """A zip archive in the form of the Hugging Face hub: a dataset card, and Parquet files of
        judgments and minimal pairs by split. Importing it makes the same set. Workers have
        pseudonyms."""
        self.query()
        return downloads.dataset_zip(request._request, ref)


class MinimalPairs(ApiView):
    @operation(
        "Download minimal pairs", scope="sets:read", visitors=True, sends=LINES, tag="downloads"
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """concord-pairs JSON Lines."""
        return downloads.pairs_jsonl(request._request, ref)


class Preferences(ApiView):
    @operation(
        "Download preference pairs",
        scope="sets:read",
        visitors=True,
        query=PreferenceOptions,
        sends=LINES,
        tag="downloads",
        also={
            409: "The set has no preferences of this source.",
            422: "The set has no such criterion.",
        },
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """JSON Lines of prompt, chosen, rejected and margin, for preference training."""
        chosen = self.input(PreferenceOptions)
        judgment_set = access.set_for(request.user, ref)
        if chosen.by == "scores":
            criteria.choose(judgment_set, chosen.criterion)
        return downloads.preferences_response(judgment_set, chosen.by, chosen.min_gap)


class LabelStudioTasks(ApiView):
    @operation(
        "Download tasks for Label Studio",
        scope="sets:read",
        visitors=True,
        sends="application/json",
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """A list of tasks with the ratings as annotations. Workers have pseudonyms."""
        return downloads.tool_file(request._request, ref, "label-studio")


class LabelStudioConfiguration(ApiView):
    @operation(
        "Download the labelling configuration for Label Studio",
        scope="sets:read",
        visitors=True,
        sends="application/xml",
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """XML of a project for the tasks: texts, and a number for the score and each criterion."""
        return downloads.tool_file(request._request, ref, "label-studio-config")


class PotatoItems(ApiView):
    @operation(
        "Download items for Potato", scope="sets:read", visitors=True, sends=LINES, tag="downloads"
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """JSON Lines of id and text, without ratings."""
        return downloads.tool_file(request._request, ref, "potato")


class SetRatingsView(ApiView):
    @operation("Download ratings", scope="sets:read", visitors=True, sends=CSV, tag="downloads")
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """CSV with a line for each rating. Workers have pseudonyms."""
        return downloads.ratings_csv(request._request, ref)


class ScoresTable(ApiView):
    @operation(
        "Download scores as CSV", scope="sets:read", visitors=True, sends=CSV, tag="downloads"
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """CSV with a line for each candidate and a column for each complete metric."""
        return downloads.scores_csv(request._request, ref)


class Scores(ApiView):
    @operation(
        "Download scores",
        scope="sets:read",
        visitors=True,
        query=ScoresQuery,
        sends=LINES,
        tag="downloads",
        also={409: "One of the metrics has no complete run."},
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """JSON Lines of id, system, gold score and `scores` by metric, null where undefined."""
        metrics = self.query().get("metrics")
        judgment_set = access.set_for(request.user, ref)
        runs = exports.select_runs(judgment_set, metrics)
        lines = exports.scores_jsonl(judgment_set, runs)
        response = StreamingHttpResponse(lines, content_type=JSON_LINES)
        return attachment(response, judgment_set, "scores.jsonl")


class LabelsView(ApiView):
    @operation(
        "Download labels",
        scope="sets:read",
        visitors=True,
        query=LabelOptions,
        sends=TSV,
        tag="downloads",
        also={409: "AVA has not scored the set, or all candidates are judged."},
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """The unjudged candidates with labels by AVA: a table of question, sentence, label,
        probability, verdict, threshold, signature and id. AVA can be trained on it as `tsv`."""
        chosen = self.input(LabelOptions)
        judgment_set = access.set_for(request.user, ref)
        return downloads.labels_response(judgment_set, chosen.metric, chosen.threshold)
