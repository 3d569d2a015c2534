"""Try-outs: a person enters one answer and sees its score by each metric."""

from benchmarks.tryouts.services.requests import delete_old, quick_rows, request, tryout_for
from benchmarks.tryouts.services.scores import TRY_OUTS, select_metrics
from benchmarks.tryouts.services.texts import TryOutTexts

__all__ = [
    "TRY_OUTS",
    "TryOutTexts",
    "delete_old",
    "quick_rows",
    "request",
    "select_metrics",
    "tryout_for",
]
