"""Files of a set, streamed as its pages stream them."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from benchmarks.exports import views as downloads
from benchmarks.exports.services import exports
from benchmarks.sets.services import access
from benchmarks.sets.views import attachments
from benchmarks.sets.views.attachments import JSON_LINES, SPREADSHEET, attachment, media_type
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView

CSV, LINES, TSV = (media_type(kind) for kind in (attachments.CSV, JSON_LINES, attachments.TSV))


class ScoresQuery(Strict):
    metrics = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="Only these, in this order; all that are complete by default.",
    )


class Judgments(ApiView):
    @operation("Download judgments", scope="sets:read", visitors=True, sends=LINES, tag="downloads")
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """concord-judgments JSON Lines: imported again, the same set. Workers are pseudonyms."""
        return downloads.judgments_jsonl(request._request, ref)


class MinimalPairs(ApiView):
    @operation(
        "Download minimal pairs", scope="sets:read", visitors=True, sends=LINES, tag="downloads"
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """concord-pairs JSON Lines."""
        return downloads.pairs_jsonl(request._request, ref)


class Ratings(ApiView):
    @operation("Download ratings", scope="sets:read", visitors=True, sends=CSV, tag="downloads")
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """CSV, a line a single rating; workers are pseudonyms."""
        return downloads.ratings_csv(request._request, ref)


class ScoresTable(ApiView):
    @operation(
        "Download scores as CSV", scope="sets:read", visitors=True, sends=CSV, tag="downloads"
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """CSV, a line a candidate, a column a complete metric."""
        return downloads.scores_csv(request._request, ref)


class ScoresSheet(ApiView):
    @operation(
        "Download scores as a spreadsheet",
        scope="sets:read",
        visitors=True,
        sends=SPREADSHEET,
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """XLSX with the texts, the scores, the ratings and what was computed how."""
        return downloads.scores_xlsx(request._request, ref)


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
        runs = exports.chosen_runs(judgment_set, metrics)
        lines = exports.scores_jsonl(judgment_set, runs)
        response = StreamingHttpResponse(lines, content_type=JSON_LINES)
        return attachment(response, judgment_set, "scores.jsonl")


class LabelsQuery(Strict):
    metric = serializers.CharField(
        required=False,
        max_length=200,
        help_text="`ava` or a checkpoint of it that has scored the set; the latest by default.",
    )
    threshold = serializers.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        help_text="Probability from which an answer is correct; the checkpoint's by default.",
    )


class Labels(ApiView):
    @operation(
        "Download labels",
        scope="sets:read",
        visitors=True,
        query=LabelsQuery,
        sends=TSV,
        tag="downloads",
        also={409: "AVA has not scored the set, or every candidate is judged."},
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """The candidates that nobody judged, labelled by AVA: a table of question, sentence, label,
        probability, verdict, threshold, signature and id, which AVA can be trained on as `tsv`."""
        asked = self.query()
        judgment_set = access.set_for(request.user, ref)
        return downloads.labels_response(judgment_set, asked.get("metric"), asked.get("threshold"))
