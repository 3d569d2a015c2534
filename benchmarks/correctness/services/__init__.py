"""Metrics as judges of correctness (AVA 6.2, 6.5), for the page and its files.

Each process caches results, since complete runs and frozen sets do not change. A result takes about
0.1 s for 30 metrics on 1,000 candidates, and 2 s on 40,000.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache

from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.correctness.documents import BestSystem, CorrectnessResult, MetricRow
from benchmarks.correctness.services import curves as _curves
from benchmarks.correctness.services import results, survival
from benchmarks.correctness.services.curves import Curves
from benchmarks.correctness.services.options import (
    EVERY_OTHER,
    PASSAGES,
    CorrectnessRefusedError,
    Options,
    split_names,
)
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden

__all__ = [
    "EVERY_OTHER",
    "PASSAGES",
    "CorrectnessRefusedError",
    "Curves",
    "Options",
    "curves",
    "is_guarded",
    "result",
    "split_names",
]

NO_METRIC = "this set has no metric scores yet"
NO_CURVES = "withheld: a curve would reveal hidden labels one by one"
CACHED_RESULTS = 16


def is_guarded(judgment_set: JudgmentSet) -> bool:
    """Whether labels are hidden from the set's viewer.

    Options are then the defaults, figures are rounded and curves are withheld, since every choice
    of options would reveal more about the labels.
    """
    return bool(hidden.viewer_masks(judgment_set))


def result(
    judgment_set: JudgmentSet, options: Options, *, optimised: bool = True
) -> CorrectnessResult:
    """The figures of all complete runs that the viewer may see, in the order of their requests.

    optimised: adds the key "optimised", here and in each of "metrics" (see `survival`); it reads
    the candidates' texts. Raises CorrectnessRefusedError where the figures cannot be computed.
    """
    guarded = is_guarded(judgment_set)
    if guarded and hidden.WHOLE in hidden.withheld_groups(judgment_set):
        raise CorrectnessRefusedError(hidden.TOO_FEW)
    runs = _complete_runs(judgment_set)
    if not runs:
        raise CorrectnessRefusedError(NO_METRIC)
    resolved = (Options() if guarded else options).resolve(judgment_set)
    document = _result(judgment_set.pk, runs, resolved)
    if optimised:
        survivals = _survivals(judgment_set.pk, runs, resolved)
        if guarded and survival.is_withheld(judgment_set, survivals):
            survivals = survival.withhold(survivals)
        document = _add_survivals(document, survivals)
    return _guard(judgment_set, document) if guarded else document


def curves(judgment_set: JudgmentSet, options: Options, run: int) -> Curves | str:
    """The curves of a complete run that the viewer may see, or the reason why there are none."""
    if is_guarded(judgment_set):
        return NO_CURVES
    if run not in _complete_runs(judgment_set):
        return "the metric has not been scored on this set"
    return _curves_of(judgment_set.pk, run, options.resolve(judgment_set))


def _complete_runs(judgment_set: JudgmentSet) -> tuple[int, ...]:
    return tuple(run.pk for run in complete_board_runs(judgment_set))


@lru_cache(maxsize=CACHED_RESULTS)
def _result(pk: int, runs: tuple[int, ...], resolved: Options) -> CorrectnessResult:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    return results.compute(judgment_set, _with_scores(judgment_set, runs), resolved)


@lru_cache(maxsize=CACHED_RESULTS)
def _survivals(pk: int, runs: tuple[int, ...], resolved: Options) -> survival.Survivals:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    return survival.compute(judgment_set, _with_scores(judgment_set, runs), resolved)


def _add_survivals(document: CorrectnessResult, survivals: survival.Survivals) -> CorrectnessResult:
    """The result with the key "optimised"."""
    rows: list[MetricRow] = [
        {**row, "optimised": survivals.runs[row["run"]]} for row in document["metrics"]
    ]
    return {**document, "metrics": rows, "optimised": survivals.of_set}


@lru_cache(maxsize=CACHED_RESULTS)
def _curves_of(pk: int, run: int, resolved: Options) -> Curves | str:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    return _curves.compute(judgment_set, _with_scores(judgment_set, (run,))[0], resolved)


def _with_scores(judgment_set: JudgmentSet, pks: tuple[int, ...]) -> list[MetricRun]:
    """The runs with their scores, in one query."""
    runs = judgment_set.runs.filter(pk__in=pks).select_related("submission")
    by_pk = {run.pk: run for run in runs.defer(None).defer("known_scores", "statistics")}
    return [by_pk[pk] for pk in pks]


def _guard(judgment_set: JudgmentSet, document: CorrectnessResult) -> CorrectnessResult:
    """A rounded copy without systems of few labels and without counts that undo the rounding."""
    rounded: CorrectnessResult = hidden.round_floats(deepcopy(document))
    withheld = hidden.withheld_groups(judgment_set, "system")
    rounded["systems"] = [row for row in rounded["systems"] if row["system"] not in withheld]
    parts: list[BestSystem] = [rounded["reranking"]]
    if "optimised" in rounded:
        parts.append(rounded["optimised"])
    for part in parts:
        if part["system"] is not None and part["system"]["system"] in withheld:
            part["system"] = None
    for row in (rounded["always"], *rounded["metrics"]):
        row["counts"] = None
    rounded["n"]["tuning"]["correct"] = None
    rounded["n"]["reported"]["correct"] = None
    return rounded
