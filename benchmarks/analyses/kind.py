"""The description of an analysis: everything that differs between one kind and another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from benchmarks.analyses.models import Analysis
from benchmarks.analyses.page import AnalysisPage
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.bounds import BoundedField, Number, bounded_fields, find_problems, from_json
from concord.documents.conversion import from_json as result_from_json
from concord.meta.inference import Progress
from core.refusals import RefusedError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# A page computes an analysis itself if it takes no longer; a board has two analyses.
MAX_SECONDS_IN_PAGE = 0.5
# Opening a board starts an analysis in a worker if it takes no longer.
MAX_SECONDS_ON_OPENING = 60.0

Source = Literal["runs", "run", "criterion", "models"]
P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class AnalysisKind(Generic[P, R]):
    """One kind of analysis.

    parameters: a dataclass with bounds and defaults; the query of the page and the check of the API
    are derived from it. compute: yields its progress and returns the result. document: the type of
    the result, a dataclass that is stored as its JSON. cost: estimates the seconds from the set,
    the number of metrics and the parameters.

    reads: what the result depends on. "runs": all metric runs, so that a new one makes it another
    analysis; "run": only the run that the parameter `run` names; "criterion": the set's chosen
    criterion, not on all criteria or none; "models": it needs a worker with models. min_runs: the
    number of metric runs that are needed.

    revision: raise it when the definition of a figure changes. normalise: turns parameters that
    mean the same into the same; raises ValueError for a value that is not allowed. resolve: fills
    in the defaults of a set; raises RefusedError. page: None
    where it has none; every analysis can be started and read by the API's operations on analyses.
    """

    name: str
    parameters: type[P]
    compute: Callable[[JudgmentSet, Sequence[MetricRun], P], Generator[Progress, None, R]]
    document: type[R]
    cost: Callable[[JudgmentSet, int, P], float]
    reads: frozenset[Source] = frozenset({"runs", "criterion"})
    min_runs: int = 1
    revision: int = 1
    normalise: Callable[[P], P] | None = None
    resolve: Callable[[JudgmentSet, P], P] | None = None
    page: AnalysisPage[R] | None = None

    def read(self, parameters: Mapping[str, object]) -> P:
        """The parameters with defaults for the others.

        Raises RefusedError that names a parameter or value that is not allowed.
        """
        fields = {field.name: field for field in bounded_fields(self.parameters)}
        if unknown := sorted(set(parameters) - set(fields)):
            raise RefusedError(
                f"{self.name} has no parameter {', '.join(unknown)}", "analysis-refused"
            )
        values = self.parameters(**parameters)
        for name, problem in find_problems(values).items():
            message = _problem(fields[name], getattr(values, name)) or problem
            raise RefusedError(f"{name}: {message}", "analysis-refused")
        if self.normalise is None:
            return values
        try:
            return self.normalise(values)
        except ValueError as error:
            raise RefusedError(str(error), "analysis-refused") from error

    def parameters_of(self, analysis: Analysis) -> P:
        """The parameters of a stored analysis of this kind; its criterion is not among them."""
        stored = {name: value for name, value in analysis.parameters.items() if name != "criterion"}
        return cast(P, from_json(self.parameters, stored))

    def result_of(self, analysis: Analysis) -> R:
        """The result of a complete analysis of this kind."""
        return cast(R, result_from_json(self.document, analysis.result))


# Of the metadata of a parameter that analyses did not have from the start.
ADDED_LATER = "added_later"
# A kind of any parameters and result; functions take their types of its own attributes.
AnyAnalysisKind = AnalysisKind[Any, Any]


def as_json(parameters: DataclassInstance) -> dict[str, object]:
    """The parameters as they are stored; a part of the analysis' fingerprint.

    One with ADDED_LATER is absent where it has its default, so that earlier analyses are found.
    """
    later = [one for one in dataclasses.fields(parameters) if ADDED_LATER in one.metadata]
    usual = {one.name for one in later if getattr(parameters, one.name) == one.default}
    values = dataclasses.asdict(parameters)
    return {name: value for name, value in values.items() if name not in usual}


def _problem(field: BoundedField, value: object) -> str:
    """What is wrong with a value that was found to be wrong; "" for other than these bounds."""
    if field.choices:
        return f"'{value}' is not one of {', '.join(field.choices)}"
    if isinstance(field.bound, Number):
        return f"{value!r} is not from {field.bound.minimum:,} to {field.bound.maximum:,}"
    return ""
