"""The tasks and periodic jobs of every feature, where Celery looks for an app's."""

from benchmarks.analyses import tasks as analyses
from benchmarks.freezing import tasks as freezing
from benchmarks.imports import tasks as imports
from benchmarks.judging import tasks as judging
from benchmarks.runs import tasks as runs
from benchmarks.tryouts import tasks as tryouts

__all__ = ["analyses", "freezing", "imports", "judging", "runs", "tryouts"]
