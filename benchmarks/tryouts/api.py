"""Try-outs: one answer scored by all metrics whose models are available."""

from __future__ import annotations

from dataclasses import asdict

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import TryOutTexts, texts
from benchmarks.tryouts.services.texts import NewTryOut
from concord.documents.conversion import fill
from concord.documents.tryouts import TryOutDocument
from core.accounts.views.shared import person
from core.jobs import send_after_commit
from core.rest.derived import serializer_of
from core.rest.operations import operation
from core.rest.views import ApiView

START = serializer_of(NewTryOut, name="StartTryOut")


def try_out_document(tryout: TryOut) -> TryOutDocument:
    return fill(TryOutDocument, tryout, tryout.texts)


class TryOutsView(ApiView):
    @operation(
        "Try the metrics on one answer",
        scope="runs:write",
        body=START,
        answer=try_out_document,
        status=202,
        creates=True,
        tag="metrics",
        example=texts.EXAMPLE,
        also={409: "Too many of your answers are still being scored."},
    )
    def post(self, request: Request) -> Response:
        """The response has the scores of the metrics without a model. A worker computes the others
        and the word weights: poll the try-out at `Location` until it has ended."""
        body = self.input(NewTryOut)
        user = person(request)
        metrics = tryouts.select_metrics(body.metrics, user)
        with transaction.atomic():
            tryout = tryouts.request(
                TryOutTexts.from_values(asdict(body)), metrics, by=user, at=now()
            )
            if tryout.is_active:
                send_after_commit(lambda: tasks.score_tryout.delay(tryout.pk))
        return self.answer(tryout, location=reverse("api-tryout", args=[tryout.pk]))


class OneTryOut(ApiView):
    @operation("Read a try-out", scope="sets:read", answer=try_out_document, tag="metrics")
    def get(self, request: Request, tryout: int) -> Response:
        """One of your try-outs with its scores. Poll it until `status` is complete or failed."""
        return self.answer(tryouts.tryout_for(request.user, tryout))
