"""People's choices between two answers as the API shows them."""

from __future__ import annotations

from typing import cast

from benchmarks.analyses import services as analyses
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.choices import ChoicesAnalysis, ChoicesDocument
from concord.documents.description import SetStatistics


def document(judgment_set: JudgmentSet) -> ChoicesDocument:
    """The choices as JSON: counts only without judged pairs, and where labels are hidden from the
    set's viewer. Raises AnalysisPendingError where a worker has to compute the figures first."""
    statistics: SetStatistics = judgment_set.statistics
    counts = statistics.get("judged_pairs")
    answer: ChoicesDocument = {
        "pairs": counts["pairs"] if counts else 0,
        "choices": counts["choices"] if counts else 0,
        "tied": None,
        "alpha": None,
        "alpha_reason": None,
        "first_wins": None,
        "first_wins_p": None,
        "metrics": [],
        "ranking": None,
    }
    if not counts or hidden.viewer_masks(judgment_set):
        return answer
    result = cast(ChoicesAnalysis, analyses.result("choices", judgment_set, {}))
    return {**answer, **result}
