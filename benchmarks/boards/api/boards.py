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
from benchmarks.analyses import services as analyses
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
        child=serializers.FloatField(),
        required=False,
        allow_null=True,
        help_text="95%. Coefficients: by Fisher's z, or weighted; shares of pairs: by Wilson.",
    )
    reason = serializers.CharField(required=False)


class BoardRowDocument(serializers.Serializer[Any]):
    """One metric, on the whole set or one group of it."""

    metric = serializers.CharField()
    run = serializers.IntegerField()
    multi_ref = serializers.CharField()
    signature = serializers.CharField()
    variant = serializers.CharField(
        help_text="How the model differs from the published one, such as “features”; or empty."
    )
    status = serializers.CharField()
    higher_is_better = serializers.BooleanField()
    group = serializers.CharField(allow_null=True)
    n = serializers.IntegerField()
    pearson = FigureDocument()
    spearman = FigureDocument()
    kendall = FigureDocument()
    pairs = serializers.DictField(help_text="Accuracy on minimal pairs.")
    standing = serializers.DictField(
        allow_null=True,
        help_text="Rank, share of human agreement, and `ci` by the bootstrap over passages.",
    )
    systems = serializers.DictField(allow_null=True, help_text="Agreement over systems.")
    correctness = serializers.DictField(allow_null=True)
    items_per_second = serializers.FloatField(
        allow_null=True, help_text="Of the metric alone, without start-up; null if not measured."
    )
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
    weighted = serializers.BooleanField(
        help_text="Whether correlations weigh by unequal probabilities of the draws."
    )
    unrated_draws = serializers.IntegerField(
        help_text="Drawn candidates without a score; their waves and later ones are left out."
    )
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
    alpha_reason = serializers.CharField(allow_null=True, help_text="Why it is undefined.")
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


class SpansQuery(Strict):
    weights = serializers.CharField(
        required=False,
        max_length=500,
        help_text="What errors cost, such as minor=1,major=5; the others have their defaults.",
    )


class SpansDocument(serializers.Serializer[Any]):
    """Error spans: metrics on them, systems and raters."""

    severities = serializers.ListField(
        child=serializers.CharField(), help_text="Of the worst error of an answer."
    )
    answers = serializers.ListField(
        child=serializers.IntegerField(), help_text="The number of answers of each severity."
    )
    metrics = serializers.ListField(
        child=serializers.DictField(),
        help_text="Correlation with the MQM score, and means by severity.",
    )
    report = serializers.DictField(help_text="As `concord spans --format json`.")


class CriteriaDocument(serializers.Serializer[Any]):
    """Agreement of raters by criterion, and halo between every two criteria."""

    raters = serializers.ListField(
        child=serializers.DictField(), help_text="Krippendorff's alpha (ordinal) by criterion."
    )
    pairs = serializers.ListField(
        child=serializers.DictField(),
        help_text="The correlation of the gold scores, and halo by group of raters.",
    )


class Leaderboard(ApiView):
    @operation(
        "Read a leaderboard",
        scope="sets:read",
        visitors=True,
        query=BoardQuery,
        answer=BoardDocument,
        tag="leaderboards",
        also={422: "The set has no such criterion."},
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


PENDING = {
    409: "A worker has to compute it first: start the analysis of the same name.",
    422: "It cannot be computed for this set; the detail says why.",
}


class Choices(ApiView):
    @operation(
        "Read people's choices",
        scope="sets:read",
        visitors=True,
        answer=ChoicesDocument,
        tag="leaderboards",
        also={409: PENDING[409]},
    )
    def get(self, request: Request, ref: str) -> Response:
        """Of the pairs that people judged: metrics on them, agreement, and systems; the counts, and
        the result of the analysis `choices`."""
        return Response(choices.document(access.set_for(request.user, ref)))


class Spans(ApiView):
    @operation(
        "Read error spans",
        scope="sets:read",
        visitors=True,
        query=SpansQuery,
        answer=SpansDocument,
        tag="analyses",
        also=PENDING,
    )
    def get(self, request: Request, ref: str) -> Response:
        """The result of the analysis `spans`."""
        judgment_set = access.set_for(request.user, ref)
        return Response(analyses.result("spans", judgment_set, self.query()))


class Criteria(ApiView):
    @operation(
        "Read the agreement of raters on criteria",
        scope="sets:read",
        visitors=True,
        answer=CriteriaDocument,
        tag="analyses",
        also=PENDING,
    )
    def get(self, request: Request, ref: str) -> Response:
        """The result of the analysis `criteria`. Criteria are different questions: no figure mixes
        them."""
        return Response(analyses.result("criteria", access.set_for(request.user, ref), {}))


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
