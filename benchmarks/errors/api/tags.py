"""REST API of tags: the reasons people give for disagreements."""

from __future__ import annotations

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.inputs import NewTag
from benchmarks.errors.models import DisagreementTag
from benchmarks.errors.services import tags
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.services import access
from concord.documents.conversion import fill
from concord.documents.disagreements import TagDocument, TalliesDocument, TallyDocument
from core.accounts.views.shared import person
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.views import ApiView

Reason = DisagreementTag.Reason


def tag_document(row: DisagreementTag) -> TagDocument:
    return fill(TagDocument, row, run=row.run_id, other=row.other_id, candidate=row.candidate.key)


def tally_document(tally: tags.ReasonCounts) -> TallyDocument:
    return fill(
        TallyDocument,
        tally,
        run=tally.run.pk,
        metric=tally.run.metric,
        other=tally.other and tally.other.pk,
        counts=dict(zip(Reason.values, tally.counts, strict=True)),
    )


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
        tallies = tags.tallies(access.set_for(request.user, ref))
        return self.answer({"tallies": [tally_document(one) for one in tallies]})

    @operation(
        "Give a reason for a disagreement",
        scope="sets:write",
        body=NewTag,
        answer=tag_document,
        status=201,
        creates=True,
        tag="disagreements",
        example={"run": 7, "candidate": "m-17", "reason": "same meaning"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """Everybody who can read the set may. An account's reason is stored once."""
        judgment_set = access.set_for(request.user, ref)
        body = self.input(NewTag)
        run = find_complete_run(judgment_set, body.run)
        other = find_complete_run(judgment_set, body.other) if body.other else None
        candidate = judgment_set.candidates.filter(key=body.candidate).first()
        if candidate is None:
            raise serializers.ValidationError(
                {"candidate": [f"{judgment_set} has no candidate with this id."]}
            )
        tag = tags.add_tag(
            candidate,
            run,
            other,
            reason=body.reason,
            note=body.note,
            user=person(request),
            at=now(),
        )
        return self.answer(tag, location=reverse("api-tags", args=[ref]))


class OneTag(ApiView):
    @operation("Delete a reason", scope="sets:write", status=204, tag="disagreements")
    def delete(self, request: Request, ref: str, tag: int) -> Response:
        """Only your own."""
        access.set_for(request.user, ref)
        if not tags.delete_tag(tag, user=person(request)):
            raise MissingError(f"You gave no reason with the id {tag}.")
        return Response(status=204)
