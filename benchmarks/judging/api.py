"""REST API of the models that judge a set."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.judging import services as judging
from benchmarks.judging import tasks
from benchmarks.judging.models import MAX_TEMPLATE, ModelJudge
from benchmarks.judging.services import (
    MAX_BUDGET,
    MAX_COMPLETION,
    MAX_KEY,
    MAX_MONEY,
    MAX_REPEATS,
    MAX_SEED,
    MAX_SHOTS,
    MAX_THREADS,
    PAIRS,
    TEMPLATES,
    TRAIN,
    JudgeSpec,
    Quote,
)
from benchmarks.sets.services import access
from concord.documents.conversion import fill
from concord.documents.model_judges import JudgeQuoteDocument, ModelJudgeDocument
from concord.judges.chat.probes import INPUT_PROBES
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.views import ApiView


def judge_quote_document(row: Quote) -> JudgeQuoteDocument:
    return fill(JudgeQuoteDocument, row, fields_sent=row.fields)


def model_judge_document(judge: ModelJudge) -> ModelJudgeDocument:
    is_complete = judge.status == ModelJudge.Status.COMPLETE
    return fill(
        ModelJudgeDocument,
        judge,
        template=judge.template_name,
        template_hash=judge.parsed_template.hash,
        scale=[judge.low, judge.high],
        previous=judge.previous_id,
        answers=judge.answers.count(),
        quote=None if is_complete else judge_quote_document(judging.quote(judge)),
        submission=judge.submission_id,
    )


class JudgeBudget(Strict):
    """The most that a judge may use, with what it used before."""

    max_tokens = serializers.IntegerField(min_value=1, max_value=MAX_BUDGET)
    max_cost = serializers.FloatField(
        min_value=0, max_value=MAX_MONEY, allow_null=True, default=None
    )


class DraftJudge(JudgeBudget):
    """A model, its server, the prompt, and the budget."""

    name = serializers.CharField(max_length=max_length(ModelJudge, "name"))
    endpoint = serializers.CharField(
        default="", allow_blank=True, max_length=max_length(ModelJudge, "endpoint")
    )
    model = serializers.CharField(
        default="", allow_blank=True, max_length=max_length(ModelJudge, "model")
    )
    local_model = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=max_length(ModelJudge, "model"),
        help_text="A model on the site, of those that its operator offers, in the place of a"
        " server: no endpoint, model, key or prices.",
    )
    key = serializers.CharField(default="", allow_blank=True, max_length=MAX_KEY)
    template = serializers.ChoiceField(tuple(TEMPLATES), default="rating")
    own_template = serializers.CharField(default="", allow_blank=True, max_length=MAX_TEMPLATE)
    pairs = serializers.ChoiceField(
        tuple(PAIRS),
        default="",
        allow_blank=True,
        help_text="For a template of pairs; empty: the minimal pairs if the set has any, else the"
        " pairs that people judged.",
    )
    scale = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=2,
        max_length=2,
        allow_null=True,
        default=None,
        help_text="[lowest, highest]; null: the set's.",
    )
    temperature = serializers.FloatField(default=0.0, min_value=0, max_value=2)
    max_completion = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MAX_COMPLETION
    )
    logprobs = Flag(default=True)
    shots = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=MAX_SHOTS,
        help_text="Examples of the train split, whose candidates are not judged.",
    )
    train_split = serializers.CharField(
        default=TRAIN, max_length=max_length(ModelJudge, "train_split")
    )
    seed = serializers.IntegerField(default=0, min_value=0, max_value=MAX_SEED)
    probes = serializers.ListField(
        child=serializers.ChoiceField(tuple(INPUT_PROBES)),
        default=list,
        max_length=len(INPUT_PROBES),
        help_text="Each is asked once about each candidate.",
    )
    json_schema = Flag(default=False)
    previous = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=2**62,
        help_text="The judge of which it is a new version.",
    )
    repeats = serializers.IntegerField(default=1, min_value=1, max_value=MAX_REPEATS)
    threads = serializers.IntegerField(default=4, min_value=1, max_value=MAX_THREADS)
    prompt_price = serializers.FloatField(default=0.0, min_value=0, max_value=MAX_MONEY)
    completion_price = serializers.FloatField(default=0.0, min_value=0, max_value=MAX_MONEY)


class ModelJudges(ApiView):
    @operation(
        "List a set's model judges",
        scope="sets:read",
        query=Paged,
        answer=model_judge_document,
        pages=True,
        tag="model judges",
    )
    def get(self, request: Request, ref: str) -> Response:
        """For editors of the set, latest first."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        rows = ModelJudge.objects.filter(judgment_set=judgment_set)
        return self.page_of_query(rows.select_related("judgment_set"), "-created_at", "-pk")

    @operation(
        "Draft a model judge",
        scope="runs:write",
        body=DraftJudge,
        answer=model_judge_document,
        status=201,
        creates=True,
        tag="model judges",
        example={
            "name": "my judge",
            "endpoint": "https://api.openai.com/v1",
            "model": "gpt-4o-mini",
            "key": "...",
            "max_tokens": 2_000_000,
        },
    )
    def post(self, request: Request, ref: str) -> Response:
        """Nothing is sent: `quote` says what would be, and confirming it sends."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        body = self.body()
        scale, previous = body.pop("scale"), body.pop("previous")
        spec = JudgeSpec(
            **body,
            scale=None if scale is None else (scale[0], scale[1]),
            previous=None if previous is None else _find(request, ref, previous),
        )
        judge = judging.draft(judgment_set, spec, owner=request.user, at=now())
        return self.answer(judge, location=reverse("api-model-judge", args=[ref, judge.pk]))


class OneModelJudge(ApiView):
    @operation(
        "Read a model judge",
        scope="sets:read",
        answer=model_judge_document,
        tag="model judges",
    )
    def get(self, request: Request, ref: str, model_judge: int) -> Response:
        return self.answer(_find(request, ref, model_judge))

    @operation("Delete a model judge", scope="runs:write", status=204, tag="model judges")
    def delete(self, request: Request, ref: str, model_judge: int) -> Response:
        """With its key and answers; a submission made of them stays. Only by its owner."""
        judging.discard(_find(request, ref, model_judge), by=request.user)
        return Response(status=204)


class ConfirmJudge(ApiView):
    @operation(
        "Confirm a model judge",
        scope="runs:write",
        answer=model_judge_document,
        changes=lambda: OneModelJudge,
        tag="model judges",
        also={422: "It is confirmed already; see `detail`."},
    )
    def post(self, request: Request, ref: str, model_judge: int) -> Response:
        """Send what `quote` says, within the budget. Only by its owner."""
        judge = _find(request, ref, model_judge)
        with transaction.atomic():
            judging.confirm(judge, by=request.user, at=now())
            transaction.on_commit(tasks.sender(judge))
        return self.answer(_find(request, ref, model_judge))


class StopJudge(ApiView):
    @operation(
        "Stop a model judge",
        scope="runs:write",
        answer=model_judge_document,
        changes=lambda: OneModelJudge,
        tag="model judges",
    )
    def post(self, request: Request, ref: str, model_judge: int) -> Response:
        """What is answered is kept."""
        judging.stop(_find(request, ref, model_judge), by=request.user, at=now())
        return self.answer(_find(request, ref, model_judge))


class ResumeJudge(ApiView):
    @operation(
        "Resume a model judge",
        scope="runs:write",
        body=JudgeBudget,
        answer=model_judge_document,
        changes=lambda: OneModelJudge,
        tag="model judges",
        also={422: "It has not stopped, or more is spent already; see `detail`."},
        example={"max_tokens": 4_000_000},
    )
    def post(self, request: Request, ref: str, model_judge: int) -> Response:
        """Go on within this budget. Only by its owner."""
        judge = _find(request, ref, model_judge)
        body = self.body()
        with transaction.atomic():
            judging.resume(judge, **body, by=request.user, at=now())
            transaction.on_commit(tasks.sender(judge))
        return self.answer(_find(request, ref, model_judge))


def _find(request: Request, ref: str, pk: int) -> ModelJudge:
    judgment_set = access.set_for(request.user, ref, Role.EDITOR)
    rows = ModelJudge.objects.select_related("judgment_set", "owner")
    judge = rows.filter(judgment_set=judgment_set, pk=pk).first()
    if judge is None:
        raise MissingError(f"{judgment_set} has no model judge {pk}.")
    return judge
