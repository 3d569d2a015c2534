"""API of the batches of adaptive pairs: what was chosen, how, and what was known then."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies.api.access import viewed
from annotation.studies.models import PairBatch
from annotation.studies.models.studies import load_pair_keys
from concord.documents.conversion import fill
from concord.documents.study_candidates import (
    PairBatchDocument,
)
from core.rest.operations import operation
from core.rest.pagination import Page
from core.rest.serializers import Paged
from core.rest.views import ApiView


def pair_batch_document(row: PairBatch) -> PairBatchDocument:
    return fill(PairBatchDocument, row, strengths=row.known_strengths, pairs=row.chosen_pairs)


class PairBatches(ApiView):
    @operation(
        "List batches of adaptive pairs",
        scope="studies:read",
        query=Paged,
        answer=pair_batch_document,
        pages=True,
        tag="study candidates",
    )
    def get(self, request: Request, slug: str) -> Response:
        """First batch first; empty where pairs are not adaptive."""
        return self.page_of_query(viewed(request, slug).pair_batches.all(), "number", "pk")

    def _page(self, page: Page) -> Response:
        load_pair_keys(page.results)
        return super()._page(page)
