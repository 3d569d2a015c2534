"""Imports of files into judgment sets: requested by a page or the API, done by a worker."""

from benchmarks.imports.services.drafts import (
    choose_columns,
    confirm,
    discard,
    preview,
    proposed_columns,
)
from benchmarks.imports.services.parameters import ATTACHED, ImportFiles, ImportParameters
from benchmarks.imports.services.requests import again, cancel, request, store_refused
from benchmarks.imports.services.work import SET_IMPORTS

__all__ = [
    "ATTACHED",
    "SET_IMPORTS",
    "ImportFiles",
    "ImportParameters",
    "again",
    "cancel",
    "choose_columns",
    "confirm",
    "discard",
    "preview",
    "proposed_columns",
    "request",
    "store_refused",
]
