"""REST API of candidates, with their ratings and scores, and of minimal pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.services import browsing
from benchmarks.errors.services.criteria import people_on_criteria
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import access, hidden
from benchmarks.sets.services.pseudonyms import pseudonyms
from core.pages.errors import MissingError
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


class ListCandidates(Paged):
    system = serializers.CharField(required=False, max_length=500)
    constituent = serializers.CharField(required=False, max_length=500)
    category = serializers.CharField(required=False, max_length=500)
    split = serializers.CharField(required=False, max_length=500)


class ListPairs(Paged):
    run = serializers.IntegerField(
        required=False, min_value=1, max_value=2**62, help_text="A complete metric run."
    )
    phenomenon = serializers.CharField(required=False, max_length=500)
    verdict = serializers.ChoiceField(
        ("right", "tie", "wrong"), required=False, help_text="The verdict of that run's metric."
    )


class CandidateDocument(serializers.Serializer[Candidate]):
    """One generated answer; its gold score is null if it is hidden from you."""

    id = serializers.CharField(source="key")
    candidate = serializers.CharField(source="text")
    system = serializers.CharField()
    score = serializers.FloatField(source="gold", allow_null=True)
    instance = serializers.CharField(source="instance.key")  # type: ignore[assignment]
    passage = serializers.CharField(source="instance.passage")
    question = serializers.CharField(source="instance.question")
    references = serializers.ListField(child=serializers.CharField(), source="instance.references")
    constituent = serializers.CharField(source="instance.constituent")
    category = serializers.CharField(source="instance.category")
    split = serializers.CharField(source="instance.split")


class ScoreShareDocument(serializers.Serializer[Any]):
    """A score of the candidate and the share of candidates below it."""

    metric = serializers.CharField(source="name")
    run = serializers.IntegerField(source="run.pk", allow_null=True, default=None)
    score = serializers.FloatField(allow_null=True)
    above = serializers.FloatField(allow_null=True)
    higher_is_better = serializers.BooleanField()


class CandidateRatingDocument(serializers.Serializer[Any]):
    """One worker's value."""

    worker = serializers.SerializerMethodField(help_text="A pseudonym, as on the set's pages.")
    group = serializers.CharField()
    value = serializers.FloatField()
    simulated = serializers.BooleanField()

    def get_worker(self, rating: Any) -> str:
        names: Callable[[str], str] = self.context["names"]
        return names(rating.worker)


class CandidateCriterionDocument(serializers.Serializer[Any]):
    """The candidate on one criterion."""

    name = serializers.CharField()
    scale = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="The lowest and highest value."
    )
    score = serializers.FloatField(allow_null=True)
    ratings = CandidateRatingDocument(many=True)


class CandidateMarksDocument(serializers.Serializer[Any]):
    """The errors that one worker marked."""

    worker = serializers.SerializerMethodField(help_text="A pseudonym, as on the set's pages.")
    group = serializers.CharField()
    simulated = serializers.BooleanField()
    spans = serializers.ListField(
        child=serializers.DictField(),
        help_text="As in the format concord: start, end, severity and categories.",
    )

    def get_worker(self, marks: Any) -> str:
        names: Callable[[str], str] = self.context["names"]
        return names(marks.worker)


class CandidateDetailDocument(CandidateDocument):
    """A candidate with every rating and every metric's score."""

    ratings = CandidateRatingDocument(many=True)
    criteria = CandidateCriterionDocument(many=True)
    marks = CandidateMarksDocument(many=True)
    people = ScoreShareDocument()
    metrics = ScoreShareDocument(many=True)


class PairDocument(serializers.Serializer[Any]):
    """Two candidates to one instance, the first better, and a metric's verdict."""

    id = serializers.CharField(source="pair.key")
    phenomenon = serializers.CharField(source="pair.phenomenon")
    passage = serializers.CharField(source="pair.instance.passage")
    question = serializers.CharField(source="pair.instance.question")
    references = serializers.ListField(
        child=serializers.CharField(), source="pair.instance.references"
    )
    candidate1 = serializers.CharField(source="pair.candidate1")
    score1 = serializers.FloatField(source="pair.score1", help_text="By people.")
    candidate2 = serializers.CharField(source="pair.candidate2")
    score2 = serializers.FloatField(source="pair.score2", help_text="By people.")
    metric1 = serializers.FloatField(source="score1", allow_null=True, help_text="By the metric.")
    metric2 = serializers.FloatField(source="score2", allow_null=True, help_text="By the metric.")
    verdict = serializers.ChoiceField(("right", "tie", "wrong", "none"))


class Candidates(ApiView):
    @operation(
        "List candidates",
        scope="sets:read",
        visitors=True,
        query=ListCandidates,
        answer=CandidateDocument,
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

    def _document(self, value: Candidate) -> Any:
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
        names = {"names": pseudonyms(judgment_set)}
        document = {
            **CandidateDocument(candidate).data,
            "ratings": CandidateRatingDocument(ratings, many=True, context=names).data,
            "criteria": CandidateCriterionDocument(criteria, many=True, context=names).data,
            "marks": CandidateMarksDocument(marks, many=True, context=names).data,
            "people": ScoreShareDocument(people).data,
            "metrics": ScoreShareDocument(metrics, many=True).data,
        }
        return Response(document)


class ListMinimalPairs(ApiView):
    @operation(
        "List minimal pairs",
        scope="sets:read",
        visitors=True,
        query=ListPairs,
        answer=PairDocument,
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
