"""What a person looks at: spot checks, candidates that raters split over, messages."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.api.documents import StudyRatingDocument
from annotation.quality.bounds import ANSWER, SETTLED_NOTE, SETTLED_VALUE
from annotation.quality.models import Adjudication
from annotation.quality.services import checking, ledgers
from annotation.quality.services.collected import collected_for_gold, kept_ratings
from annotation.rating.models import Message, Rating
from annotation.rating.services import correspondence
from annotation.studies.api.access import edited, person, viewed
from annotation.studies.models import Study, StudyCandidate
from core.rest.derived import real_field, text_field
from core.rest.operations import operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.views import ApiView


class SpotChecksDocument(serializers.Serializer[checking.SpotCheckQueue]):
    """Ratings drawn at random for a look."""

    drawn = serializers.IntegerField()
    open_count = serializers.IntegerField()
    good = serializers.IntegerField()
    poor = serializers.IntegerField()
    open = StudyRatingDocument(many=True, help_text="The first of those without a verdict.")


class Verdict(Strict):
    verdict = serializers.ChoiceField(("good", "poor"))


class ListSplit(Paged):
    settled = Flag(default=False, help_text="Settled ones, too.")


class SplitDocument(serializers.Serializer[Any]):
    """A candidate its raters disagree about."""

    id = serializers.IntegerField(source="candidate.pk")
    candidate = serializers.CharField(source="candidate.key")
    text = serializers.CharField(source="candidate.text")
    question = serializers.CharField(source="candidate.instance.question")
    values = serializers.ListField(child=serializers.FloatField())
    range = serializers.FloatField()
    sd = serializers.FloatField()
    settled_at = serializers.FloatField(
        source="adjudication.value", allow_null=True, default=None, help_text="The value."
    )


class Settle(Strict):
    value = real_field(SETTLED_VALUE)
    note = text_field(SETTLED_NOTE, default="")


class AdjudicationDocument(serializers.Serializer[Adjudication]):
    """A value a person settled; it takes the aggregate's place."""

    candidate = serializers.CharField(source="candidate.key")
    value = serializers.FloatField()
    note = serializers.CharField()
    made_by = serializers.CharField(source="made_by.username")
    made_at = serializers.DateTimeField()


class MessageDocument(serializers.Serializer[Message]):
    """What a rater wrote, and the answer."""

    id = serializers.IntegerField(source="pk")
    worker = serializers.CharField(source="participation.worker.name")
    kind = serializers.ChoiceField(Message.Kind.choices)
    text = serializers.CharField()
    created_at = serializers.DateTimeField()
    answer = serializers.CharField()
    answered_at = serializers.DateTimeField(allow_null=True)


class Answer(Strict):
    answer = serializers.CharField(max_length=ANSWER.max_chars)
    readmit = Flag(default=False, help_text="Of an appeal: let them in again.")


class SpotChecks(ApiView):
    @operation("Read spot checks", scope="studies:read", answer=SpotChecksDocument, tag="quality")
    def get(self, request: Request, slug: str) -> Response:
        """The protocol's share of the kept ratings, drawn by the study's seed."""
        return self.answer(checking.spot_check_queue(viewed(request, slug)))


class SpotCheckVerdict(ApiView):
    @operation(
        "Give a verdict",
        scope="studies:write",
        body=Verdict,
        answer=StudyRatingDocument,
        tag="quality",
        example={"verdict": "good"},
    )
    def put(self, request: Request, slug: str, rating: int) -> Response:
        """Of one rating; a later verdict replaces an earlier one."""
        rows = kept_ratings(edited(request, slug)).select_related(
            "candidate", "worker", "assignment__hit__stage"
        )
        found: Rating | None = rows.filter(pk=rating).first()
        if found is None:
            raise Http404("The study has no such rating.")
        verdict = self.body()["verdict"]
        checking.give_verdict(found, verdict, by=person(request), at=now())
        return self.answer(found)


class SplitCandidates(ApiView):
    @operation(
        "List candidates that raters split over",
        scope="studies:read",
        query=ListSplit,
        answer=SplitDocument,
        pages=True,
        tag="quality",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Those whose kept ratings differ, in the order they were taken in."""
        asked = self.query()
        study = viewed(request, slug)
        found = collected_for_gold(study)
        kept = found.keep(ledgers.ledger_report(study, found).kept)
        self.kept = kept
        _, rows = checking.split_candidates(study, kept, settled=asked["settled"])
        return self.page_of_rows(sorted(rows), lambda row: row[0])

    def _document(self, value: Any) -> Any:
        return super()._document(checking.with_texts(self.kept, [value])[0])


class Settlement(ApiView):
    @operation(
        "Settle a candidate's value",
        scope="studies:write",
        body=Settle,
        answer=AdjudicationDocument,
        tag="quality",
        example={"value": 4, "note": "the passage says so in line 3"},
    )
    def put(self, request: Request, slug: str, candidate: int) -> Response:
        """By hand, in the aggregate's place."""
        found = _candidate(edited(request, slug), candidate)
        given = self.body()
        made = checking.adjudicate(
            found, given["value"], given["note"], by=person(request), at=now()
        )
        return self.answer(made)

    @operation("Take a settled value back", scope="studies:write", status=204, tag="quality")
    def delete(self, request: Request, slug: str, candidate: int) -> Response:
        """The aggregate counts again."""
        checking.unsettle(_candidate(edited(request, slug), candidate))
        return Response(status=204)


class Messages(ApiView):
    @operation(
        "List messages",
        scope="studies:read",
        query=Paged,
        answer=MessageDocument,
        pages=True,
        tag="messages",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Latest first."""
        rows = Message.objects.filter(participation__study=viewed(request, slug))
        return self.page_of_query(
            rows.select_related("participation__worker"), "-created_at", "-pk"
        )


class AnswerMessage(ApiView):
    @operation(
        "Answer a message",
        scope="studies:write",
        body=Answer,
        answer=MessageDocument,
        tag="messages",
        example={"answer": "Thank you; you were right, and are let in again.", "readmit": True},
    )
    def put(self, request: Request, slug: str, message: int) -> Response:
        """A later answer replaces an earlier one."""
        study = edited(request, slug)
        found = _message(study, message)
        given = self.body()
        correspondence.answer(found, given["answer"], at=now())
        if given["readmit"] and found.kind == Message.Kind.APPEAL:
            ledgers.readmit_worker(found.participation, at=now())
        return self.answer(_message(study, message))


def _candidate(study: Study, pk: int) -> StudyCandidate:
    found = study.candidates.filter(pk=pk).select_related("study").first()
    if found is None:
        raise Http404("The study has no such candidate.")
    return found


def _message(study: Study, pk: int) -> Message:
    rows = Message.objects.filter(participation__study=study, pk=pk)
    found = rows.select_related("participation__worker", "participation__study").first()
    if found is None:
        raise Http404("The study has no such message.")
    return found
