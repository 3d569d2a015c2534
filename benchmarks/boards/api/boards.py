"""REST API of leaderboards: the JSON of `manage.py leaderboard --format json`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.analyses import leaderboards, tasks
from benchmarks.analyses import services as analyses
from benchmarks.analyses.api import PENDING
from benchmarks.analyses.kinds.choices import ChoicesAnalysis
from benchmarks.analyses.leaderboards import SystemBoard
from benchmarks.boards.services import boards, findings
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, criteria, hidden
from concord.documents.board import BoardDocument
from concord.documents.description import SetStatistics
from concord.documents.findings import FindingsDocument
from concord.meta.board import GROUPINGS
from core.jobs import send_after_commit
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


@dataclass(frozen=True, kw_only=True)
class ChoicesDocument(ChoicesAnalysis):
    """People's choices between two answers, metrics on them, and the ranking of systems by them.
    All but the counts is null or empty where labels are hidden from you."""

    pairs: int
    choices: int


def choices_document(judgment_set: JudgmentSet) -> ChoicesDocument:
    """The choices as JSON: counts only without judged pairs, and where labels are hidden from the
    set's viewer. Raises RefusedError where a worker has to compute the figures first."""
    statistics: SetStatistics = judgment_set.statistics
    counts = statistics.get("judged_pairs")
    if counts and not hidden.viewer_masks(judgment_set):
        result = analyses.result("choices", judgment_set, {})
    else:
        result = ChoicesAnalysis(
            tied=None, alpha=None, alpha_reason=None, first_wins=None, first_wins_p=None,
            side_note="", metrics=[], ranking=None,
        )  # fmt: skip
    pairs, choices = (counts["pairs"], counts["choices"]) if counts else (0, 0)
    return ChoicesDocument(pairs=pairs, choices=choices, **vars(result))


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


class LeaderboardView(ApiView):
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

        Ranks that take a while are null at first; an account that reads them starts their
        computation.
        """
        query = self.query()
        at = now() if request.user.is_authenticated else None
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
                    send_after_commit(deliver)
        return self.answer(board)


class FindingsView(ApiView):
    @operation(
        "Read what a set shows",
        scope="sets:read",
        visitors=True,
        answer=FindingsDocument,
        tag="leaderboards",
    )
    def get(self, request: Request, ref: str) -> Response:
        """The sentences of the set's first page, from analyses that are computed already. A
        sentence with `missing` says what is not."""
        judgment_set = access.set_for(request.user, ref)
        return self.answer({"findings": findings.find(judgment_set).rows})


class SystemChoicesView(ApiView):
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
        return self.answer(choices_document(access.set_for(request.user, ref)))


class Systems(ApiView):
    @operation(
        "Read the board of systems",
        scope="sets:read",
        visitors=True,
        answer=SystemBoard,
        tag="leaderboards",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Sorted by the mean human score, best first. The key of a metric's mean is its run."""
        return self.answer(leaderboards.system_board(access.set_for(request.user, ref)))
