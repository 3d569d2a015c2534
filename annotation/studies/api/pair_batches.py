"""API of the batches of adaptive pairs: what was chosen, how, and what was known then."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies.api.access import viewed
from annotation.studies.models import PairBatch
from annotation.studies.models.studies import load_pair_keys
from core.rest.operations import operation
from core.rest.pagination import Page
from core.rest.serializers import Paged
from core.rest.views import ApiView


class BatchStrengthDocument(serializers.Serializer[Any]):
    """What was known of a system."""

    system = serializers.CharField()
    log_strength = serializers.FloatField()
    sd = serializers.FloatField(help_text="Standard deviation of the log strength.")


class BatchPairDocument(serializers.Serializer[Any]):
    """A chosen pair."""

    pair = serializers.CharField(help_text="Key of the pair.")
    systems_probability = serializers.FloatField(
        help_text="Probability with which its two systems were drawn, given the earlier pairs."
    )
    question_probability = serializers.FloatField(
        help_text="Probability of its question, given the systems."
    )
    information = serializers.FloatField(
        help_text="Variance of the difference of log strengths times p (1 - p)."
    )


class PairBatchDocument(serializers.Serializer[PairBatch]):
    """Pairs that were chosen together."""

    number = serializers.IntegerField()
    seed = serializers.IntegerField()
    choices = serializers.IntegerField(help_text="Number of choices that were known.")
    strengths = BatchStrengthDocument(many=True, source="known_strengths")
    pairs = BatchPairDocument(many=True, source="chosen_pairs")
    is_last = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class PairBatches(ApiView):
    @operation(
        "List batches of adaptive pairs",
        scope="studies:read",
        query=Paged,
        answer=PairBatchDocument,
        pages=True,
        tag="study candidates",
    )
    def get(self, request: Request, slug: str) -> Response:
        """First batch first; empty where pairs are not adaptive."""
        return self.page_of_query(viewed(request, slug).pair_batches.all(), "number", "pk")

    def _page(self, page: Page) -> Response:
        load_pair_keys(page.results)
        return super()._page(page)
