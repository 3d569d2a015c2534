"""Try-outs: one answer scored by every metric whose model is at hand."""

from __future__ import annotations

import logging
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from kombu.exceptions import OperationalError
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import Texts, TryOutRefusedError, texts
from core.rest.operations import operation
from core.rest.problems import register
from core.rest.serializers import Strict
from core.rest.views import ApiView
from core.rest.work import WorkDocument

logger = logging.getLogger(__name__)

register(TryOutRefusedError, "too-many-tryouts", 409, "Too many of yours are being scored")


class StartTryOut(Strict):
    candidate = serializers.CharField(max_length=texts.MAX_CANDIDATE, help_text="The answer.")
    references = serializers.ListField(
        child=serializers.CharField(max_length=texts.MAX_REFERENCE),
        min_length=1,
        max_length=texts.MAX_REFERENCES,
        help_text="Correct answers; line breaks in one become spaces.",
    )
    question = serializers.CharField(
        required=False, allow_blank=True, max_length=texts.MAX_QUESTION
    )
    passage = serializers.CharField(required=False, allow_blank=True, max_length=texts.MAX_PASSAGE)
    metrics = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=texts.MAX_METRICS,
        help_text="Names apart by commas, with options in parentheses; by default every metric.",
    )

    def validate_references(self, references: list[str]) -> tuple[str, ...]:
        found = texts.one_line_each(references)
        try:
            texts.refuse_references(found)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error
        return found


class ScoreDocument(serializers.Serializer[Any]):
    """What one metric says of the answer."""

    metric = serializers.CharField()
    title = serializers.CharField()
    family = serializers.CharField()
    range = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="Null where it is not bounded."
    )
    higher_is_better = serializers.BooleanField()
    score = serializers.FloatField(allow_null=True, help_text="Null where `note` says why.")
    signature = serializers.CharField(help_text="Pins everything that can change the score.")
    threshold = serializers.FloatField(
        allow_null=True, help_text="The score from which an answer counts as correct."
    )
    note = serializers.CharField()


class TryOutDocument(WorkDocument):
    """One answer and its scores; it is deleted after a day."""

    candidate = serializers.CharField(source="texts.candidate")
    references = serializers.ListField(source="texts.references", child=serializers.CharField())
    question = serializers.CharField(source="texts.question")
    passage = serializers.CharField(source="texts.passage")
    scores = ScoreDocument(many=True)
    weights = serializers.ListField(
        child=serializers.DictField(),
        allow_null=True,
        help_text="Of the words of the references and the candidate; null until it is complete.",
    )


class TryOuts(ApiView):
    @operation(
        "Try the metrics on one answer",
        scope="runs:write",
        body=StartTryOut,
        answer=TryOutDocument,
        status=202,
        creates=True,
        tag="metrics",
        example=texts.EXAMPLE,
        also={409: "Too many answers of yours are still being scored."},
    )
    def post(self, request: Request) -> Response:
        """The scores of the metrics without a model are in the answer. A worker computes the
        others and the words' weights: ask again, at `Location`, until it has ended."""
        given = self.body()
        user = cast(User, request.user)
        metrics = tryouts.chosen(given.get("metrics", ""), user)
        with transaction.atomic():
            made = tryouts.request(Texts.of(given), metrics, by=user, at=now())
            if made.is_active:
                transaction.on_commit(lambda: _send(made))
        return self.answer(made, location=reverse("api-tryout", args=[made.pk]))


class OneTryOut(ApiView):
    @operation("Read a try-out", scope="sets:read", answer=TryOutDocument, tag="metrics")
    def get(self, request: Request, tryout: int) -> Response:
        """One of yours, with the scores so far; ask again until `status` is complete or failed."""
        return self.answer(tryouts.tryout_for(request.user, tryout))


def _send(tryout: TryOut) -> None:
    """Without a broker it waits: workers look for such when they start."""
    try:
        tasks.score_tryout.delay(tryout.pk)
    except OperationalError:
        logger.warning("no broker: try-out %s waits for a worker's sweep", tryout.pk)
