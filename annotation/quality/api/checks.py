"""API of manual checks: spot checks, adjudication, messages."""

from __future__ import annotations

from django.http import Http404
from django.utils.timezone import now
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.api.documents import study_rating_document
from annotation.quality.inputs import (
    CRITERION,
    WHICH_QUESTION,
    AdjudicatedValue,
    Answer,
    Verdict,
    WhichQuestion,
)
from annotation.quality.models import Adjudication
from annotation.quality.services import adjudication, checking, ledgers
from annotation.quality.services.rating_data import kept_ratings
from annotation.rating.models import Message, Rating
from annotation.rating.services import correspondence
from annotation.studies.api.access import edited, person, viewed
from annotation.studies.models import Study, StudyCandidate
from concord.documents.conversion import fill
from concord.documents.ratings import (
    AdjudicationDocument,
    DisagreementDocument,
    MessageDocument,
    SpotChecksDocument,
)
from core.rest.derived import text_field
from core.rest.operations import operation
from core.rest.serializers import Flag, Paged
from core.rest.views import ApiView


def spot_checks_document(row: checking.SpotCheckQueue) -> SpotChecksDocument:
    return fill(SpotChecksDocument, row, open=[study_rating_document(one) for one in row.open])


class ListDisagreements(Paged):
    include_adjudicated = Flag(default=False, help_text="Include adjudicated candidates.")
    criterion = text_field(CRITERION, default="", help_text=WHICH_QUESTION["help"])


def disagreement_document(row: adjudication.RaterSpread) -> DisagreementDocument:
    return fill(
        DisagreementDocument,
        row,
        row.spread,
        row.candidate,
        candidate=row.candidate.key,
        question=row.candidate.instance.question,
        minority_share=row.spread.minority,
        adjudicated_value=row.adjudication and row.adjudication.value,
    )


def adjudication_document(row: Adjudication) -> AdjudicationDocument:
    return fill(
        AdjudicationDocument, row, candidate=row.candidate.key, made_by=row.made_by.username
    )


def message_document(row: Message) -> MessageDocument:
    return fill(MessageDocument, row, worker=row.participation.worker.name)


class SpotChecks(ApiView):
    @operation("Read spot checks", scope="studies:read", answer=spot_checks_document, tag="quality")
    def get(self, request: Request, slug: str) -> Response:
        """The protocol's share of the ratings, selected at random by the study's seed."""
        return self.answer(checking.spot_check_queue(viewed(request, slug)))


class SpotCheckVerdict(ApiView):
    @operation(
        "Give a verdict",
        scope="studies:write",
        body=Verdict,
        answer=study_rating_document,
        tag="quality",
        example={"verdict": "good"},
    )
    def put(self, request: Request, slug: str, rating: int) -> Response:
        """On one rating; a later verdict replaces an earlier one."""
        rows = kept_ratings(edited(request, slug)).select_related(
            "candidate", "worker", "assignment__hit__stage"
        )
        row: Rating | None = rows.filter(pk=rating).first()
        if row is None:
            raise Http404("The study has no such rating.")
        verdict = self.input(Verdict).verdict
        checking.give_verdict(row, verdict, by=person(request), at=now())
        return self.answer(row)


class RaterDisagreementsView(ApiView):
    @operation(
        "List candidates that raters disagree about",
        scope="studies:read",
        query=ListDisagreements,
        answer=disagreement_document,
        pages=True,
        tag="quality",
        also={422: "The criterion cannot be adjudicated; see `detail`."},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Candidates whose values differ after the ledger, in the order of upload. Of pairs the
        values are 1 (the first is better), 2 and 0 (a tie), of sets the number of the best
        candidate, or of the worst with its criterion, of yes and no 1 and 0."""
        query = self.query()
        study = viewed(request, slug)
        self.question = adjudication.question_of(study.current.protocol, query["criterion"])
        self.kept = adjudication.kept_values(study, self.question)
        rows = adjudication.disagreements(
            study,
            self.question,
            self.kept,
            include_adjudicated=query["include_adjudicated"],
        )
        return self.page_of_rows(sorted(rows), lambda row: row[0])

    def _document(self, value: object) -> object:
        assert isinstance(value, adjudication.Spread)
        return super()._document(adjudication.with_texts(self.question, self.kept, [value])[0])


class CandidateAdjudication(ApiView):
    @operation(
        "Adjudicate a candidate",
        scope="studies:write",
        body=AdjudicatedValue,
        answer=adjudication_document,
        tag="quality",
        example={"value": 4, "note": "the passage says so in line 3"},
    )
    def put(self, request: Request, slug: str, candidate: int) -> Response:
        """Sets a value of the question or of a criterion, which replaces the aggregate. A pair
        counts in the ranking with this choice only, a set with its best and worst: where one of
        them is set, all raters must agree on the other."""
        row = _candidate(edited(request, slug), candidate)
        body = self.input(AdjudicatedValue)
        stored = adjudication.adjudicate(
            row, body.value, body.note, body.criterion, by=person(request), at=now()
        )
        return self.answer(stored)

    @operation(
        "Remove an adjudicated value",
        scope="studies:write",
        query=WhichQuestion,
        status=204,
        tag="quality",
    )
    def delete(self, request: Request, slug: str, candidate: int) -> Response:
        """The aggregate counts again."""
        row = _candidate(edited(request, slug), candidate)
        adjudication.remove_adjudication(row, self.input(WhichQuestion).criterion)
        return Response(status=204)


class Messages(ApiView):
    @operation(
        "List messages",
        scope="studies:read",
        query=Paged,
        answer=message_document,
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
        answer=message_document,
        tag="messages",
        example={"answer": "Thank you. You were right and can continue.", "readmit": True},
    )
    def put(self, request: Request, slug: str, message: int) -> Response:
        """A later answer replaces an earlier one."""
        study = edited(request, slug)
        row = _message(study, message)
        body = self.input(Answer)
        correspondence.answer(row, body.answer, at=now())
        if body.readmit and row.kind == Message.Kind.APPEAL:
            ledgers.readmit_worker(row.participation, at=now())
        return self.answer(_message(study, message))


def _candidate(study: Study, pk: int) -> StudyCandidate:
    candidate = study.candidates.filter(pk=pk).select_related("study").first()
    if candidate is None:
        raise Http404("The study has no such candidate.")
    return candidate


def _message(study: Study, pk: int) -> Message:
    rows = Message.objects.filter(participation__study=study, pk=pk)
    message = rows.select_related("participation__worker", "participation__study").first()
    if message is None:
        raise Http404("The study has no such message.")
    return message
