"""Imports of files into judgment sets: requested by a page or the API, done by a worker."""

from benchmarks.imports.services.requests import ImportParameters, cancel, request
from benchmarks.imports.services.work import perform

__all__ = ["ImportParameters", "cancel", "perform", "request"]
