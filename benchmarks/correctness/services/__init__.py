"""Metrics as judges of correctness (AVA 6.2, 6.5): what the page and its files show.

A result is computed when first asked for and kept by this process, since complete runs and frozen
sets do not change; it costs about a tenth of a second for 30 metrics over 1,000 candidates, about
two over 40,000.
"""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache

from benchmarks.analyses.leaderboards import board_runs
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
NO_CURVES = "withheld: a curve would tell hidden labels one by one"
KEPT = 16


def is_guarded(judgment_set: JudgmentSet) -> bool:
    """Whether labels are hidden from the set's viewer: options are then the set's own, figures
    rounded, and curves withheld, since each choice of them is another question about the labels."""
    return bool(hidden.viewer_masks(judgment_set))


def result(
    judgment_set: JudgmentSet, options: Options, *, optimised: bool = True
) -> CorrectnessResult:
    """All complete runs that the viewer may see, in the order they were asked for.

    With `optimised`, which reads the candidates' texts, also "optimised", here and in each of
    "metrics"; see `survival`. Raises CorrectnessRefusedError where nothing can be said.
    """
    guarded = is_guarded(judgment_set)
    if guarded and hidden.WHOLE in hidden.withheld_groups(judgment_set):
        raise CorrectnessRefusedError(hidden.TOO_FEW)
    runs = _complete(judgment_set)
    if not runs:
        raise CorrectnessRefusedError(NO_METRIC)
    settled = (Options() if guarded else options).settled(judgment_set)
    found = _result(judgment_set.pk, runs, settled)
    if optimised:
        known = _survival(judgment_set.pk, runs, settled)
        if guarded and survival.is_withheld(judgment_set, known):
            known = survival.withheld(known)
        found = _with_survival(found, known)
    return _guarded(judgment_set, found) if guarded else found


def curves(judgment_set: JudgmentSet, options: Options, run: int) -> Curves | str:
    """The curves of one complete run that the viewer may see, or why there are none."""
    if is_guarded(judgment_set):
        return NO_CURVES
    if run not in _complete(judgment_set):
        return "the metric has not been scored on this set"
    return _curves_of(judgment_set.pk, run, options.settled(judgment_set))


def _complete(judgment_set: JudgmentSet) -> tuple[int, ...]:
    complete = MetricRun.Status.COMPLETE
    return tuple(run.pk for run in board_runs(judgment_set) if run.status == complete)


@lru_cache(maxsize=KEPT)
def _result(pk: int, runs: tuple[int, ...], settled: Options) -> CorrectnessResult:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    return results.compute(judgment_set, _with_scores(judgment_set, runs), settled)


@lru_cache(maxsize=KEPT)
def _survival(pk: int, runs: tuple[int, ...], settled: Options) -> survival.Survivals:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    return survival.compute(judgment_set, _with_scores(judgment_set, runs), settled)


def _with_survival(found: CorrectnessResult, known: survival.Survivals) -> CorrectnessResult:
    """A result with what becomes of its metrics when a system is tuned to them."""
    rows: list[MetricRow] = [
        {**row, "optimised": known.runs[row["run"]]} for row in found["metrics"]
    ]
    return {**found, "metrics": rows, "optimised": known.of_set}


@lru_cache(maxsize=KEPT)
def _curves_of(pk: int, run: int, settled: Options) -> Curves | str:
    judgment_set = JudgmentSet.objects.get(pk=pk)
    return _curves.compute(judgment_set, _with_scores(judgment_set, (run,))[0], settled)


def _with_scores(judgment_set: JudgmentSet, pks: tuple[int, ...]) -> list[MetricRun]:
    """The runs with their scores, in one query."""
    found = judgment_set.runs.filter(pk__in=pks).select_related("submission")
    by_pk = {run.pk: run for run in found.defer(None).defer("known_scores", "statistics")}
    return [by_pk[pk] for pk in pks]


def _guarded(judgment_set: JudgmentSet, found: CorrectnessResult) -> CorrectnessResult:
    """Rounded, without the counts that would undo the rounding, nor systems of few labels."""
    shown: CorrectnessResult = hidden.round_floats(deepcopy(found))
    withheld = hidden.withheld_groups(judgment_set, "system")
    shown["systems"] = [row for row in shown["systems"] if row["system"] not in withheld]
    parts: list[BestSystem] = [shown["reranking"]]
    if "optimised" in shown:
        parts.append(shown["optimised"])
    for part in parts:
        if part["system"] is not None and part["system"]["system"] in withheld:
            part["system"] = None
    for row in (shown["always"], *shown["metrics"]):
        row["counts"] = None
    shown["n"]["tuning"]["correct"] = None
    shown["n"]["reported"]["correct"] = None
    return shown
