"""Candidates of a set with what people and metrics say, and its minimal pairs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.services import browsing
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import access, hidden
from benchmarks.sets.services.pseudonyms import Pseudonyms
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
        ("right", "tie", "wrong"), required=False, help_text="What that run's metric says."
    )


class CandidateDocument(serializers.Serializer[Candidate]):
    """One generated answer, with its gold score where that is not hidden from you."""

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


class StandingDocument(serializers.Serializer[Any]):
    """A score of the candidate, and the share of candidates below it."""

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

    def get_worker(self, found: Any) -> str:
        names: Pseudonyms = self.context["names"]
        return names(found.worker)


class CandidateDetailDocument(CandidateDocument):
    """A candidate with every rating and every metric's score."""

    ratings = CandidateRatingDocument(many=True)
    people = StandingDocument()
    metrics = StandingDocument(many=True)


class PairDocument(serializers.Serializer[Any]):
    """Two candidates to one instance, the first better, and what a metric says of them."""

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
        """By their place in the set."""
        asked = self.query()
        judgment_set = access.set_for(request.user, ref)
        found = judgment_set.candidates.with_instance()
        for name in ("constituent", "category", "split"):
            if name in asked:
                found = found.filter(**{f"instance__{name}": asked[name]})
        if "system" in asked:
            found = found.filter(system=asked["system"])
        self.masked = hidden.viewer_masks(judgment_set).candidates
        return self.page_of_query(found, "position")

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
        """What each rater and each complete metric says of it."""
        judgment_set = access.set_for(request.user, ref)
        found = judgment_set.candidates.with_instance().filter(key=key).first()
        if found is None:
            raise MissingError(f"{judgment_set} has no candidate “{key[:200]}”.")
        people, metrics = browsing.standings(judgment_set, found)
        ratings = [] if _is_hidden(judgment_set, found) else list(found.ratings.all())
        if _is_hidden(judgment_set, found):
            found.gold = None
        document = {
            **CandidateDocument(found).data,
            "ratings": CandidateRatingDocument(
                ratings, many=True, context={"names": Pseudonyms.stable(judgment_set)}
            ).data,
            "people": StandingDocument(people).data,
            "metrics": StandingDocument(metrics, many=True).data,
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
        """Those whose labels you may see; with `run`, what its metric says of each."""
        asked = self.query()
        judgment_set = access.set_for(request.user, ref)
        run = find_complete_run(judgment_set, asked["run"]) if "run" in asked else None
        found = browsing.verdicts(judgment_set, run, phenomenon=asked.get("phenomenon"))
        if "verdict" in asked:
            found = [one for one in found if one.verdict == asked["verdict"]]
        found.sort(key=lambda one: one.pair.position)
        return self.page_of_rows(found, lambda one: one.pair.position)


def _is_hidden(judgment_set: JudgmentSet, candidate: Candidate) -> bool:
    return bool(hidden.viewer_masks(judgment_set).candidates[candidate.position])
