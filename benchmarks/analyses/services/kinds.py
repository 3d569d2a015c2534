"""The kinds of analysis: what each is given, what it computes, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta.inference import Progress

# A page may compute what takes no more than about this many seconds; a board has two analyses.
AT_ONCE = 0.5
# Whoever reads a board may have a worker compute its analyses up to this many seconds each.
MAX_SECONDS_UNASKED = 60.0

# A TypedDict of `benchmarks.analyses.documents`.
Parameters = TypeVar("Parameters", bound=Mapping[str, object])
Result = Mapping[str, object]


class AnalysisRefusedError(ValueError):
    """What is asked for cannot be computed; the message says why and what to do."""


@dataclass(frozen=True)
class Kind(Generic[Parameters]):
    """One kind of analysis.

    defaults: its parameters with their default values; `allowed`, where a parameter is one of
    few. compute: yields its progress and returns what is stored, as JSON. cost: about how many
    seconds it takes, from the set, the number of metrics and the parameters. revision: raise it
    when a figure's definition changes. fewest: metric runs it needs. reads_runs: whether it
    reads any, so that a new run makes it another analysis.
    """

    name: str
    compute: Callable[
        [JudgmentSet, Sequence[MetricRun], Parameters], Generator[Progress, None, Result]
    ]
    cost: Callable[[JudgmentSet, int, Parameters], float]
    defaults: Parameters
    allowed: dict[str, tuple[str, ...]]
    revision: int = 1
    fewest: int = 1
    reads_runs: bool = True

    def parameters(self, asked: Mapping[str, object]) -> Parameters:
        """All parameters, checked. Raises AnalysisRefusedError naming one that is not allowed."""
        unknown = sorted(set(asked) - set(self.defaults))
        if unknown:
            raise AnalysisRefusedError(f"{self.name} has no parameter {', '.join(unknown)}")
        values = {**self.defaults, **asked}
        for name, choices in self.allowed.items():
            if values[name] not in choices:
                known = ", ".join(choices)
                raise AnalysisRefusedError(
                    f"{name}: there is no '{values[name]}'; there are {known}"
                )
        for name in ("draws", "seed"):
            value = values.get(name, 1)
            if not isinstance(value, int) or not 0 <= value <= 100_000_000:
                raise AnalysisRefusedError(f"{name}: {value!r} is no count")
        return cast(Parameters, values)
