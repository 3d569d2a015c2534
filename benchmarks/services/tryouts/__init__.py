"""Try-outs: a person types in one answer and sees what every metric says of it."""

from benchmarks.services.tryouts.requests import (
    TryOutRefusedError,
    delete_old,
    quick_rows,
    request,
    stale,
    tryout_for,
)
from benchmarks.services.tryouts.scores import chosen
from benchmarks.services.tryouts.texts import Texts
from benchmarks.services.tryouts.work import perform

__all__ = [
    "Texts",
    "TryOutRefusedError",
    "chosen",
    "delete_old",
    "perform",
    "quick_rows",
    "request",
    "stale",
    "tryout_for",
]
