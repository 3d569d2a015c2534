"""Files into judgment sets as long work: asked for by a page or a program, done by a worker."""

from benchmarks.services.imports.requests import Given, cancel, request, stale
from benchmarks.services.imports.work import perform

__all__ = ["Given", "cancel", "perform", "request", "stale"]
