"""REST API of candidates, with their ratings and scores, and of minimal pairs."""

from __future__ import annotations

from collections.abc import Callable

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.inputs import OF_CANDIDATES, DisagreementOptions, Labels
from benchmarks.errors.services import browsing
from benchmarks.errors.services.criteria import people_on_criteria
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import Candidate, CriterionRating, JudgmentSet, Rating
from benchmarks.sets.services import access, hidden
from benchmarks.sets.services.pseudonyms import pseudonyms
from concord.documents.candidates import (
    CandidateCriterionDocument,
    CandidateDetailDocument,
    CandidateDocument,
    CandidateMarksDocument,
    CandidateRatingDocument,
    PairDocument,
    ScoreShareDocument,
)
from concord.documents.conversion import fill
from core.pages.errors import MissingError
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


class ListCandidates(Paged, DataclassSerializer):
    dataclass = Labels
    only = OF_CANDIDATES
    optional = OF_CANDIDATES


class ListPairs(Paged, DataclassSerializer):
    dataclass = DisagreementOptions
    only = ("run", "phenomenon")
    optional = only

    verdict = serializers.ChoiceField(
        ("right", "tie", "wrong"), required=False, help_text="The verdict of that run's metric."
    )


def candidate_document(row: Candidate) -> CandidateDocument:
    return fill(CandidateDocument, row.instance, row, **_of_candidate(row))


def _of_candidate(row: Candidate) -> dict[str, object]:
    """The fields that have other names, or other values, than in the tables."""
    return {"id": row.key, "candidate": row.text, "score": row.gold, "instance": row.instance.key}


def _score_share(row: browsing.ScoreShare) -> ScoreShareDocument:
    return fill(ScoreShareDocument, row, metric=row.name, run=row.run and row.run.pk)


def _rating(
    rating: Rating | CriterionRating, names: Callable[[str], str]
) -> CandidateRatingDocument:
    return fill(CandidateRatingDocument, rating, worker=names(rating.worker))


def pair_document(row: browsing.PairVerdict) -> PairDocument:
    return fill(
        PairDocument,
        row.pair,
        row.pair.instance,
        id=row.pair.key,
        metric1=row.score1,
        metric2=row.score2,
        verdict=row.verdict,
    )


class SetCandidatesView(ApiView):
    @operation(
        "List candidates",
        scope="sets:read",
        visitors=True,
        query=ListCandidates,
        answer=candidate_document,
        pages=True,
        tag="candidates",
    )
    def get(self, request: Request, ref: str) -> Response:
        """In the order of the set."""
        query = self.query()
        judgment_set = access.set_for(request.user, ref)
        candidates = judgment_set.candidates.with_instance()
        for name in ("constituent", "category", "split"):
            if name in query:
                candidates = candidates.filter(**{f"instance__{name}": query[name]})
        if "system" in query:
            candidates = candidates.filter(system=query["system"])
        self.masked = hidden.viewer_masks(judgment_set).candidates
        return self.page_of_query(candidates, "position")

    def _document(self, value: object) -> object:
        assert isinstance(value, Candidate)
        if self.masked[value.position]:
            value.gold = None
        return super()._document(value)


class OneCandidate(ApiView):
    @operation(
        "Read a candidate",
        scope="sets:read",
        visitors=True,
        answer=CandidateDetailDocument,
        tag="candidates",
    )
    def get(self, request: Request, ref: str, key: str) -> Response:
        """With every rating and the scores of all complete metrics."""
        judgment_set = access.set_for(request.user, ref)
        candidate = judgment_set.candidates.with_instance().filter(key=key).first()
        if candidate is None:
            raise MissingError(f"{judgment_set} has no candidate “{key[:200]}”.")
        people, metrics = browsing.score_shares(judgment_set, candidate)
        ratings, criteria, marks = [], [], []
        if _is_hidden(judgment_set, candidate):
            candidate.gold = None
        else:
            ratings, marks = list(candidate.ratings.all()), list(candidate.marks.all())
            criteria = people_on_criteria(candidate)
        names = pseudonyms(judgment_set)
        document = fill(
            CandidateDetailDocument,
            candidate.instance,
            candidate,
            **_of_candidate(candidate),
            ratings=[_rating(one, names) for one in ratings],
            criteria=[
                fill(
                    CandidateCriterionDocument,
                    one,
                    ratings=[_rating(rating, names) for rating in one.ratings],
                )
                for one in criteria
            ],
            marks=[fill(CandidateMarksDocument, one, worker=names(one.worker)) for one in marks],
            people=_score_share(people),
            metrics=[_score_share(one) for one in metrics],
        )
        return self.answer(document)


class ListMinimalPairs(ApiView):
    @operation(
        "List minimal pairs",
        scope="sets:read",
        visitors=True,
        query=ListPairs,
        answer=pair_document,
        pages=True,
        tag="pairs",
    )
    def get(self, request: Request, ref: str) -> Response:
        """The pairs whose labels you may see; with `run`, its metric's verdict on each."""
        query = self.query()
        judgment_set = access.set_for(request.user, ref)
        run = find_complete_run(judgment_set, query["run"]) if "run" in query else None
        verdicts = browsing.verdicts(judgment_set, run, phenomenon=query.get("phenomenon"))
        if "verdict" in query:
            verdicts = [one for one in verdicts if one.verdict == query["verdict"]]
        verdicts.sort(key=lambda one: one.pair.position)
        return self.page_of_rows(verdicts, lambda one: one.pair.position)


def _is_hidden(judgment_set: JudgmentSet, candidate: Candidate) -> bool:
    return bool(hidden.viewer_masks(judgment_set).candidates[candidate.position])
