"""What a kind of analysis consists of: parameters, computation and estimated cost."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta.inference import Progress

# A page computes an analysis itself if it takes no longer; a board has two analyses.
MAX_SECONDS_IN_PAGE = 0.5
# Opening a board starts an analysis in a worker if it takes no longer.
MAX_SECONDS_ON_OPENING = 60.0

# A TypedDict of `benchmarks.analyses.documents`.
Parameters = TypeVar("Parameters", bound=Mapping[str, object])
Result = Mapping[str, object]


class AnalysisRefusedError(ValueError):
    """The analysis cannot be computed from what there is; the message says why and what to do."""


class RunDeletedError(AnalysisRefusedError):
    """A metric run of the analysis was deleted after it was requested."""


class AnalysisPendingError(AnalysisRefusedError):
    """A worker has to compute the analysis first."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            "a worker has to compute these figures, and has not yet: open their page, or start the "
            f"analysis “{kind}”, and try again"
        )


@dataclass(frozen=True)
class Kind(Generic[Parameters]):
    """One kind of analysis.

    compute: yields its progress and returns the result as JSON. cost: estimates the seconds from
    the set, the number of metrics and the parameters. defaults: the parameters with their default
    values. allowed: the values of parameters that have few. revision: raise it when the definition
    of a figure changes. min_runs: the number of metric runs that are needed. reads_runs: whether
    the result depends on metric runs; if so, a new run makes it another analysis. has_models:
    whether a worker with models computes it. shows_systems: whether the result is about single
    systems; it is then withheld where the figures of a system are. guard: reduces the result, from
    the set and the parameters, to what a viewer from whom labels are hidden may see; its floats
    are rounded afterwards. reads_one_run: it reads only the run that its parameter `run` names, so
    that other runs do not make it another analysis. shows_candidates: the result has figures of
    single candidates or small groups, or exact figures from which single labels follow; it is
    withheld from viewers from whom labels are hidden. reads_criterion: whether it is of the set's
    chosen criterion; False where it reads no scores, or those on all criteria. normalise: turns
    parameters that mean the same into the same; raises ValueError for a value that is not allowed.
    """

    name: str
    compute: Callable[
        [JudgmentSet, Sequence[MetricRun], Parameters], Generator[Progress, None, Result]
    ]
    cost: Callable[[JudgmentSet, int, Parameters], float]
    defaults: Parameters
    allowed: dict[str, tuple[str, ...]]
    revision: int = 1
    min_runs: int = 1
    reads_runs: bool = True
    has_models: bool = False
    shows_systems: bool = False
    guard: Callable[[JudgmentSet, Mapping[str, Any], Any], Result] | None = None
    reads_one_run: bool = False
    shows_candidates: bool = False
    reads_criterion: bool = True
    normalise: Callable[[Parameters], Parameters] | None = None

    def complete_parameters(self, parameters: Mapping[str, object]) -> Parameters:
        """The parameters with defaults for the others.

        Raises AnalysisRefusedError that names a parameter or value that is not allowed.
        """
        unknown = sorted(set(parameters) - set(self.defaults))
        if unknown:
            raise AnalysisRefusedError(f"{self.name} has no parameter {', '.join(unknown)}")
        values = {**self.defaults, **parameters}
        for name, choices in self.allowed.items():
            if values[name] not in choices:
                raise AnalysisRefusedError(
                    f"{name}: '{values[name]}' is not one of {', '.join(choices)}"
                )
        for name in ("draws", "seed"):
            value = values.get(name, 1)
            if not isinstance(value, int) or not 0 <= value <= 100_000_000:
                raise AnalysisRefusedError(f"{name}: {value!r} is not from 0 to 100,000,000")
        if self.normalise is None:
            return cast(Parameters, values)
        try:
            return self.normalise(cast(Parameters, values))
        except ValueError as error:
            raise AnalysisRefusedError(str(error)) from error
