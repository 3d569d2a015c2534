"""Files into judgment sets as long work: asked for by a page or a program, done by a worker."""

from benchmarks.imports.services.requests import Given, cancel, request
from benchmarks.imports.services.work import perform

__all__ = ["Given", "cancel", "perform", "request"]
