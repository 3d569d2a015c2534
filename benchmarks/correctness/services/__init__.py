"""Metrics as judges of correctness (AVA 6.2, 6.5), for the page and its files.

Complete runs and frozen sets do not change. The figures of a small set are computed by the page and
cached by each process; those of a large one are a stored analysis, which a worker computes.
"""

from __future__ import annotations

from functools import lru_cache

from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.correctness.services import curves as _curves
from benchmarks.correctness.services import results, survival
from benchmarks.correctness.services.analysis import NotComputedError, find_result, is_quick
from benchmarks.correctness.services.curves import Curves
from benchmarks.correctness.services.options import (
    EVERY_OTHER,
    PASSAGES,
    CorrectnessOptions,
    CorrectnessRefusedError,
    split_names,
)
from benchmarks.correctness.services.results import CorrectnessResult
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import releasing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria

__all__ = [
    "EVERY_OTHER",
    "PASSAGES",
    "CorrectnessOptions",
    "CorrectnessRefusedError",
    "Curves",
    "NotComputedError",
    "curves",
    "result",
    "split_names",
]

NO_METRIC = "this set has no metric scores yet"
CACHED_RESULTS = 16


def result(
    judgment_set: JudgmentSet, options: CorrectnessOptions, *, optimised: bool = True
) -> CorrectnessResult:
    """The figures of all complete runs that the viewer may see, in the order of their requests.

    optimised: adds `optimised`, here and to each metric (see `survival`); such figures of a large
    set are read from its analysis. Raises CorrectnessRefusedError where the figures cannot be
    computed, NotComputedError where a worker has to compute them.
    """
    if releasing.is_withheld(judgment_set):
        raise CorrectnessRefusedError(releasing.WITHHELD)
    runs = _complete_runs(judgment_set)
    if not runs:
        raise CorrectnessRefusedError(NO_METRIC)
    resolved = options.resolve(judgment_set)
    if not optimised:
        return _result(*_key(judgment_set), runs, resolved)
    if is_quick(judgment_set, len(runs)):
        return _optimised_result(*_key(judgment_set), runs, resolved)
    return find_result(judgment_set, resolved)


def curves(judgment_set: JudgmentSet, options: CorrectnessOptions, run: int) -> Curves | str:
    """The curves of a complete run that the viewer may see, or the reason why there are none."""
    if releasing.is_withheld(judgment_set):
        return releasing.WITHHELD
    if run not in _complete_runs(judgment_set):
        return "the metric has not been scored on this set"
    return _curves_of(*_key(judgment_set), run, options.resolve(judgment_set))


def _complete_runs(judgment_set: JudgmentSet) -> tuple[int, ...]:
    return tuple(run.pk for run in complete_board_runs(judgment_set))


def _key(judgment_set: JudgmentSet) -> tuple[int, str]:
    """What `_set_of` needs to know of a set."""
    return judgment_set.pk, criteria.chosen(judgment_set)


def _set_of(pk: int, criterion: str) -> JudgmentSet:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    criteria.restore(judgment_set, criterion)
    return judgment_set


@lru_cache(maxsize=CACHED_RESULTS)
def _result(
    pk: int, criterion: str, runs: tuple[int, ...], resolved: CorrectnessOptions
) -> CorrectnessResult:
    judgment_set = _set_of(pk, criterion)
    return results.compute(judgment_set, _with_scores(judgment_set, runs), resolved)


@lru_cache(maxsize=CACHED_RESULTS)
def _optimised_result(
    pk: int, criterion: str, runs: tuple[int, ...], resolved: CorrectnessOptions
) -> CorrectnessResult:
    judgment_set = _set_of(pk, criterion)
    result = _result(pk, criterion, runs, resolved)
    return survival.add(result, judgment_set, _with_scores(judgment_set, runs), resolved)


@lru_cache(maxsize=CACHED_RESULTS)
def _curves_of(pk: int, criterion: str, run: int, resolved: CorrectnessOptions) -> Curves | str:
    judgment_set = _set_of(pk, criterion)
    return _curves.compute(judgment_set, _with_scores(judgment_set, (run,))[0], resolved)


def _with_scores(judgment_set: JudgmentSet, pks: tuple[int, ...]) -> list[MetricRun]:
    """The runs with their scores, in one query."""
    runs = judgment_set.runs.filter(pk__in=pks).select_related("submission")
    by_pk = {run.pk: run for run in runs.defer(None).defer("known_scores", "statistics")}
    return [by_pk[pk] for pk in pks]
