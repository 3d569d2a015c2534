"""REST API of candidates, with their ratings and scores, and of minimal pairs."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.errors.inputs import OF_CANDIDATES, Labels
from benchmarks.sets.models import Candidate
from benchmarks.sets.services import access, hidden
from concord.documents.candidates import (
    CandidateDocument,
)
from concord.documents.conversion import fill
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


class ListCandidates(Paged, DataclassSerializer):
    dataclass = Labels
    only = OF_CANDIDATES
    optional = OF_CANDIDATES


def candidate_document(row: Candidate) -> CandidateDocument:
    return fill(CandidateDocument, row.instance, row, **_of_candidate(row))


def _of_candidate(row: Candidate) -> dict[str, object]:
    """The fields that have other names, or other values, than in the tables."""
    return {"id": row.key, "candidate": row.text, "score": row.gold, "instance": row.instance.key}


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
