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
from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import JudgeQuote, JudgeSpec
from benchmarks.sets.services import access
from concord.documents.conversion import fill
from concord.documents.model_judges import (
    JudgeQuoteDocument,
    ModelJudgeDocument,
)
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.jobs import send_after_commit
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer, value_of
from core.rest.operations import operation
from core.rest.views import ApiView


def judge_quote_document(row: JudgeQuote) -> JudgeQuoteDocument:
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


class DraftJudge(DataclassSerializer):
    """A model, its server, the prompt, and the budget."""

    dataclass = JudgeSpec

    scale = serializers.ListField(
        child=serializers.IntegerField(),
        min_length=2,
        max_length=2,
        allow_null=True,
        default=None,
        help_text="[lowest, highest]; null: the set's.",
    )


class ModelJudgesView(ApiView):
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
        if body["previous"] is not None:
            body["previous"] = _find(request, ref, body["previous"])
        spec = value_of(JudgeSpec, body)
        judge = judging.draft(judgment_set, spec, owner=person(request), at=now())
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
            judging.confirm(judge, by=person(request), at=now())
            send_after_commit(tasks.sender(judge))
        return self.answer(_find(request, ref, model_judge))


def _find(request: Request, ref: str, pk: int) -> ModelJudge:
    judgment_set = access.set_for(request.user, ref, Role.EDITOR)
    rows = ModelJudge.objects.select_related("judgment_set", "owner")
    judge = rows.filter(judgment_set=judgment_set, pk=pk).first()
    if judge is None:
        raise RefusedError(f"{judgment_set} has no model judge {pk}.", "not-found")
    return judge
