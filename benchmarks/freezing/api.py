"""Freezing a study: preview of its gold scores or choices, and the judgment set made from it."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies.services.access import study_for
from benchmarks.freezing import services as freezing
from benchmarks.freezing import tasks
from benchmarks.freezing.inputs import FreezeOptions
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services import FreezingPreview
from concord.documents.conversion import fill
from concord.documents.sets import FreezingDocument, FrozenDocument
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.jobs import send_after_commit
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.views import ApiView


class Freeze(DataclassSerializer):
    dataclass = FreezeOptions
    optional = ("aggregation", "stages", "name")


def frozen_document(preview: FreezingPreview) -> FrozenDocument:
    return fill(FrozenDocument, preview, reversed_pairs=[key for key, *_ in preview.reversed_pairs])


EXAMPLE = {
    "id": 3,
    "status": "complete",
    "percent": 100,
    "reason": "",
    "created_at": "2026-01-05T09:30:00Z",
    "finished_at": "2026-01-05T09:30:04Z",
    "study": "boats",
    "aggregation": "mean",
    "stages": ["full"],
    "name": "boats",
    "is_preview": False,
    "preview": {
        "candidates": 300,
        "pairs": 0,
        "ratings": 900,
        "left_out": {"no kept rating": 2},
        "unrated_pairs": 0,
        "reversed_pairs": [],
        "shared": 4,
        "settled": 1,
        "is_simulated": False,
        "judged_pairs": 0,
        "choices": 0,
    },
    "judgment_set": "boats@1",
}


def freezing_document(job: Freezing, request: Request) -> FreezingDocument:
    judgment_set = freezing.visible_set(job, request.user)
    return fill(
        FreezingDocument,
        job,
        study=job.target.slug,
        preview=job.preview and frozen_document(FreezingPreview(**job.preview)),
        judgment_set=judgment_set and str(judgment_set),
    )


class FreezeStudy(ApiView):
    @operation(
        "Freeze a study",
        scope="studies:write",
        body=Freeze,
        answer=freezing_document,
        status=202,
        creates=True,
        tag="freezing",
        also={409: "There is nothing to freeze; see `detail`."},
        example={"aggregation": "mean", "name": "my-answers"},
        answer_example=EXAMPLE
        | {"status": "queued", "percent": 0, "preview": None, "judgment_set": None},
    )
    def post(self, request: Request, slug: str) -> Response:
        """A worker makes the next version of a judgment set from the ratings that the ledger keeps:
        poll the freezing at `Location` until it has ended. The set is private. A new set has the
        study's members. Equal requests at the same time share one freezing."""
        study = study_for(request.user, slug, Role.EDITOR)
        body = self.body()
        with transaction.atomic():
            job = freezing.request(
                study,
                body.get("aggregation", study.current.protocol.aggregation),
                name=body.get("name", ""),
                stages=body.get("stages"),
                is_preview=body["is_preview"],
                by=person(request),
                at=now(),
            )
            send_after_commit(lambda: tasks.freeze_study.delay(job.pk))
        return self.accepted(job, reverse("api-freezing", args=[slug, job.pk]))


class StudyFreezing(ApiView):
    @operation(
        "Read a freezing",
        scope="studies:read",
        answer=freezing_document,
        tag="freezing",
        answer_example=EXAMPLE,
    )
    def get(self, request: Request, slug: str, freezing_id: int) -> Response:
        """Poll it until `status` is complete, failed or cancelled. With If-None-Match, an unchanged
        freezing is not sent again."""
        return self.answer(_find(request, slug, freezing_id, Role.VIEWER))


def _find(request: Request, slug: str, pk: int, needs: Role) -> Freezing:
    study = study_for(request.user, slug, needs)
    job = Freezing.objects.of(study).filter(pk=pk).first()
    if job is None:
        raise RefusedError(f"The study {slug} has no freezing {pk}.", "not-found")
    return job
