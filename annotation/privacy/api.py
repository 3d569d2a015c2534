"""For how long a study keeps who its workers are, and the erasing of one of them."""

from __future__ import annotations

from typing import Any

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.privacy.services import erasing, retention
from annotation.privacy.services.retention import LONGEST_DAYS
from annotation.rating.api import participation_of
from annotation.studies.api.access import owned, person, viewed
from annotation.studies.models import Study
from core.rest.operations import operation
from core.rest.serializers import Flag, Strict
from core.rest.views import ApiView


class RetentionDocument(serializers.Serializer[Any]):
    """`days` is the study's own term, null where the installation's holds; `in_force` is the one
    that counts. The others are numbers of workers."""

    days = serializers.IntegerField(allow_null=True)
    in_force = serializers.IntegerField(help_text="days after a worker's last work")
    known = serializers.IntegerField(help_text="whose id is kept")
    dropped = serializers.IntegerField(help_text="whose term was over")
    erased = serializers.IntegerField()


class NewTerm(Strict):
    days = serializers.IntegerField(
        min_value=0,
        max_value=LONGEST_DAYS,
        allow_null=True,
        help_text="after a worker's last work; null: the installation's own term",
    )


class Erasure(Strict):
    """`confirm` is the worker's name once more: erasing cannot be undone."""

    confirm = serializers.CharField(max_length=100)
    ratings = Flag(default=False, help_text="remove their ratings too")
    unpaid = Flag(default=False, help_text="even if their work is not decided on or paid")


class ErasedDocument(serializers.Serializer[Any]):
    """What was removed, in counts, and what stays: `name` is the anonymous worker's."""

    name = serializers.CharField()
    messages = serializers.IntegerField()
    comments = serializers.IntegerField()
    documents = serializers.IntegerField(help_text="answers of the platform")
    ratings_removed = serializers.IntegerField()
    ratings_kept = serializers.IntegerField()
    frozen = serializers.ListField(
        child=serializers.CharField(), help_text="judgment sets made before, and unchanged"
    )
    sentence = serializers.CharField()


class Retention(ApiView):
    @operation(
        "Read how long ids are kept",
        scope="studies:read",
        answer=RetentionDocument,
        tag="workers",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Ids are dropped so many days after a worker's last work, ratings and names stay."""
        return self.answer(_kept(viewed(request, slug)))

    @operation(
        "Change how long ids are kept",
        scope="studies:write",
        body=NewTerm,
        answer=RetentionDocument,
        changes=lambda: Retention,
        tag="workers",
        example={"days": 90},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Never while a decision or a payment is to come."""
        study = owned(request, slug)
        retention.set_days(study, self.body()["days"], by=person(request))
        return self.answer(_kept(owned(request, slug)))


class EraseWorker(ApiView):
    @operation(
        "Erase a worker",
        scope="studies:write",
        body=Erasure,
        answer=ErasedDocument,
        tag="workers",
        example={"confirm": "amber-otter-31", "ratings": False},
        also={409: "They are erased already, or work of theirs waits to be decided on or paid."},
    )
    def post(self, request: Request, slug: str, worker: str) -> Response:
        """Who they are, and all they wrote but their ratings, is removed for good."""
        found = participation_of(owned(request, slug), worker)
        given = self.body()
        if given["confirm"] != worker:
            raise serializers.ValidationError({"confirm": [f"Give {worker}: it cannot be undone."]})
        return self.answer(
            erasing.erase(
                found,
                ratings=given["ratings"],
                unpaid=given["unpaid"],
                by=person(request),
                at=now(),
            )
        )


def _kept(study: Study) -> dict[str, int | None]:
    workers = study.participations
    return {
        "days": study.identity_days,
        "in_force": retention.days_of(study),
        "known": workers.filter(worker__identity__isnull=False).count(),
        "dropped": workers.filter(worker__released_at__isnull=False).count(),
        "erased": workers.filter(worker__erased_at__isnull=False).count(),
    }
