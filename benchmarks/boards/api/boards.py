"""REST API of leaderboards: the JSON of `manage.py leaderboard --format json`."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.analyses import leaderboards, tasks
from benchmarks.boards.services import boards, choices
from benchmarks.sets.services import access, criteria
from concord.meta.board import GROUPINGS
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class BoardQuery(Strict):
    criterion = serializers.CharField(
        required=False, max_length=500, help_text="Of a set with several; by default the score."
    )
    by = serializers.ChoiceField(GROUPINGS, required=False, help_text="Rows for each group.")
    group = serializers.CharField(
        required=False,
        max_length=500,
        trim_whitespace=False,
        help_text="The group to rank.",
    )
    coefficient = serializers.ChoiceField(
        tuple(boards.COEFFICIENTS), default="pearson", help_text="The coefficient that ranks."
    )


class FigureDocument(serializers.Serializer[Any]):
    """A number with its interval, or the reason why it is undefined."""

    value = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(required=False, allow_null=True)
    ci = serializers.ListField(
        child=serializers.FloatField(), required=False, allow_null=True, help_text="95%."
    )
    reason = serializers.CharField(required=False)


class BoardRowDocument(serializers.Serializer[Any]):
    """One metric, on the whole set or one group of it."""

    metric = serializers.CharField()
    run = serializers.IntegerField()
    multi_ref = serializers.CharField()
    signature = serializers.CharField()
    status = serializers.CharField()
    higher_is_better = serializers.BooleanField()
    group = serializers.CharField(allow_null=True)
    n = serializers.IntegerField()
    pearson = FigureDocument()
    spearman = FigureDocument()
    kendall = FigureDocument()
    pairs = serializers.DictField(help_text="Accuracy on minimal pairs.")
    standing = serializers.DictField(
        allow_null=True, help_text="Rank and share of human agreement."
    )
    systems = serializers.DictField(allow_null=True, help_text="Agreement over systems.")
    correctness = serializers.DictField(allow_null=True)
    items_per_second = serializers.FloatField(allow_null=True)
    device = serializers.CharField()
    submission = serializers.DictField(allow_null=True)
    training = serializers.DictField(
        required=False,
        help_text="For metrics that learn from judgments: OOD or AD, and the number of these items "
        "in their training data.",
    )


class BoardDocument(serializers.Serializer[Any]):
    """A leaderboard; rows by group, then by Pearson's r, best first."""

    judgment_set = serializers.CharField()
    version = serializers.IntegerField()
    content_hash = serializers.CharField()
    illustrative = serializers.BooleanField()
    criterion = serializers.CharField(allow_null=True)
    n = serializers.IntegerField()
    by = serializers.CharField(allow_null=True)
    rows = BoardRowDocument(many=True)
    standings = serializers.DictField(allow_null=True)


class SystemBoardDocument(serializers.Serializer[Any]):
    """Each system's mean human score and its mean by every metric."""

    metrics = serializers.ListField(child=serializers.DictField())
    systems = serializers.ListField(child=serializers.DictField())


class ChoicesDocument(serializers.Serializer[Any]):
    """People's choices between two answers, metrics on them, and the ranking of systems by them.
    All but the counts is null or empty where labels are hidden from you."""

    pairs = serializers.IntegerField()
    choices = serializers.IntegerField()
    tied = serializers.IntegerField(allow_null=True, help_text="Pairs without a majority.")
    alpha = serializers.FloatField(
        allow_null=True, help_text="Krippendorff's alpha (nominal) on the same two answers."
    )
    first_wins = serializers.FloatField(
        allow_null=True,
        help_text="Share of decided choices for the answer that was shown first; of sets, whose "
        "best was shown before the worst.",
    )
    first_wins_p = serializers.FloatField(allow_null=True)
    metrics = serializers.ListField(
        child=serializers.DictField(),
        help_text="Accuracy on pairs with a majority, by the majority's share, and with ties.",
    )
    ranking = serializers.DictField(
        allow_null=True, help_text="As `concord ranking --format json`."
    )


class Leaderboard(ApiView):
    @operation(
        "Read a leaderboard",
        scope="sets:read",
        visitors=True,
        query=BoardQuery,
        answer=BoardDocument,
        tag="leaderboards",
    )
    def get(self, request: Request, ref: str) -> Response:
        """The same JSON as the page's download and the command.

        Ranks that take a while are null at first; reading them starts their computation.
        """
        query, at = self.query(), now()
        judgment_set = access.set_for(request.user, ref)
        criteria.choose(judgment_set, query.get("criterion"))
        by, group = query.get("by"), query.get("group", "")
        with transaction.atomic():
            board, pending = boards.read_board_with_analyses(
                judgment_set, by, group, query["coefficient"], request_at=at
            )
            for analysis in pending:
                if analysis.created_at == at:
                    deliver = partial(tasks.compute_analysis.delay, analysis.pk)
                    # Workers find the waiting analysis, too, if the broker is away now.
                    transaction.on_commit(deliver, robust=True)
        return Response(board)


class Choices(ApiView):
    @operation(
        "Read people's choices",
        scope="sets:read",
        visitors=True,
        answer=ChoicesDocument,
        tag="leaderboards",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Of the pairs that people judged: metrics on them, agreement, and systems."""
        return Response(choices.document(access.set_for(request.user, ref)))


class SystemBoard(ApiView):
    @operation(
        "Read the board of systems",
        scope="sets:read",
        visitors=True,
        answer=SystemBoardDocument,
        tag="leaderboards",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Sorted by the mean human score, best first. The key of a metric's mean is its run."""
        return Response(leaderboards.system_board(access.set_for(request.user, ref)))
