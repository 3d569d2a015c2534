"""Try-outs: a person types in one answer and sees what every metric says of it."""

from benchmarks.tryouts.services.requests import (
    TryOutRefusedError,
    delete_old,
    quick_rows,
    request,
    tryout_for,
)
from benchmarks.tryouts.services.scores import chosen
from benchmarks.tryouts.services.texts import Texts
from benchmarks.tryouts.services.work import perform

__all__ = [
    "Texts",
    "TryOutRefusedError",
    "chosen",
    "delete_old",
    "perform",
    "quick_rows",
    "request",
    "tryout_for",
]
