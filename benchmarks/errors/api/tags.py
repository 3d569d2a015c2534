"""REST API of tags: the reasons people give for disagreements."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.api.disagreements import NUMBER
from benchmarks.errors.models import DisagreementTag
from benchmarks.errors.services import tags
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.services import access
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView

Reason = DisagreementTag.Reason


class NewTag(Strict):
    run = serializers.IntegerField(**NUMBER, help_text="A complete metric run.")
    other = serializers.IntegerField(
        **NUMBER, required=False, help_text="Another complete run, instead of people."
    )
    candidate = serializers.CharField(max_length=500, help_text="Its id.")
    reason = serializers.ChoiceField(Reason.choices)
    note = serializers.CharField(
        max_length=tags.MAX_CHARACTERS,
        default="",
        allow_blank=True,
        help_text=f"Required with {Reason.OTHER.value}.",
    )


class TagDocument(serializers.Serializer[DisagreementTag]):
    """A reason for a disagreement; `other` is null for a disagreement with people."""

    id = serializers.IntegerField(source="pk")
    run = serializers.IntegerField(source="run_id")
    other = serializers.IntegerField(source="other_id", allow_null=True)
    candidate = serializers.CharField(source="candidate.key")
    reason = serializers.CharField()
    note = serializers.CharField()


class TallyDocument(serializers.Serializer[tags.Tally]):
    """How many candidates have each reason, for one metric against people or another metric."""

    run = serializers.IntegerField(source="run.pk")
    metric = serializers.CharField(source="run.metric")
    other = serializers.IntegerField(source="other.pk", allow_null=True, default=None)
    tagged = serializers.IntegerField(help_text="Candidates with any reason; one may have several.")
    counts = serializers.SerializerMethodField(help_text="By reason.")

    def get_counts(self, tally: tags.Tally) -> dict[str, int]:
        return dict(zip(Reason.values, tally.counts, strict=True))


class TalliesDocument(serializers.Serializer[Any]):
    """Most tagged candidates first."""

    tallies = TallyDocument(many=True)


class Tags(ApiView):
    @operation(
        "Count the reasons for disagreements",
        scope="sets:read",
        visitors=True,
        answer=TalliesDocument,
        tag="disagreements",
    )
    def get(self, request: Request, ref: str) -> Response:
        """The same reason from two people for one candidate counts once."""
        return self.answer({"tallies": tags.tallies(access.set_for(request.user, ref))})

    @operation(
        "Give a reason for a disagreement",
        scope="sets:write",
        body=NewTag,
        answer=TagDocument,
        status=201,
        creates=True,
        tag="disagreements",
        example={"run": 7, "candidate": "m-17", "reason": "same meaning"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """Everybody who can read the set may. An account's reason is stored once."""
        judgment_set = access.set_for(request.user, ref)
        body = self.body()
        run = find_complete_run(judgment_set, body["run"])
        other = find_complete_run(judgment_set, body["other"]) if "other" in body else None
        candidate = judgment_set.candidates.filter(key=body["candidate"]).first()
        if candidate is None:
            raise serializers.ValidationError(
                {"candidate": [f"{judgment_set} has no candidate with this id."]}
            )
        tag = tags.add_tag(
            candidate,
            run,
            other,
            reason=body["reason"],
            note=body["note"],
            user=request.user,
            at=now(),
        )
        return self.answer(tag, location=reverse("api-tags", args=[ref]))


class OneTag(ApiView):
    @operation("Delete a reason", scope="sets:write", status=204, tag="disagreements")
    def delete(self, request: Request, ref: str, tag: int) -> Response:
        """Only your own."""
        access.set_for(request.user, ref)
        if not tags.delete_tag(tag, user=request.user):
            raise MissingError(f"You gave no reason with the id {tag}.")
        return Response(status=204)
