"""API of the retention of workers' ids, and of erasing a worker."""

from __future__ import annotations

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.privacy.services import erasing, retention
from annotation.privacy.services.erasing import Erasure
from annotation.privacy.services.retention import RetentionPeriod
from annotation.rating.api import participation_of
from annotation.studies.api.access import owned, person, viewed
from annotation.studies.models import Study
from concord.documents.studies import ErasedDocument, RetentionDocument
from core.rest.operations import operation
from core.rest.views import ApiView


class Retention(ApiView):
    @operation(
        "Read how long ids are kept",
        scope="studies:read",
        answer=RetentionDocument,
        tag="workers",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Ids are removed this many days after a worker's last work. Ratings and names are kept."""
        return self.answer(_document(viewed(request, slug)))

    @operation(
        "Change how long ids are kept",
        scope="studies:write",
        body=RetentionPeriod,
        answer=RetentionDocument,
        changes=lambda: Retention,
        tag="workers",
        example={"days": 90},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Ids are never removed while a decision or payment is pending."""
        study = owned(request, slug)
        retention.set_days(study, self.input(RetentionPeriod).days, by=person(request))
        return self.answer(_document(owned(request, slug)))


class EraseWorker(ApiView):
    @operation(
        "Erase a worker",
        scope="studies:write",
        body=Erasure,
        answer=ErasedDocument,
        tag="workers",
        example={"confirm": "amber-otter-31", "ratings": False},
        also={409: "The worker is already erased, or their work is not reviewed or paid."},
    )
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Removes the worker's identity and texts permanently; the ratings only on request."""
        row = participation_of(owned(request, slug), worker)
        body = self.input(Erasure)
        if body.confirm != worker:
            raise serializers.ValidationError(
                {"confirm": [f"Enter {worker} to confirm: erasing cannot be undone."]}
            )
        return self.answer(
            erasing.erase(
                row,
                ratings=body.ratings,
                unpaid=body.unpaid,
                by=person(request),
                at=now(),
            )
        )


def _document(study: Study) -> dict[str, int | None]:
    workers = study.participations
    return {
        "days": study.identity_days,
        "effective_days": retention.days_of(study),
        "with_id": workers.filter(worker__identity__isnull=False).count(),
        "id_removed": workers.filter(worker__released_at__isnull=False).count(),
        "erased": workers.filter(worker__erased_at__isnull=False).count(),
    }
