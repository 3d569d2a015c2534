"""The ledger: ordered steps that select the ratings to keep.

A step never deletes a rating, so a ledger can be replayed, and its steps can be undone. In JSON a
ledger is a list of objects, each with its `kind` and its options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from concord.bounds import InputError, find_problems, from_json
from concord.documents.set_reports import StepRow
from concord.filtering.workers import WorkerMeasure, check_worker_options
from concord.filtering.zscores import check_zscore_options
from concord.reliability import RatingsError


class LedgerError(ValueError):
    """An invalid ledger, or one that cannot be replayed; the message names the step."""


class _CheckedStep:
    """Raises LedgerError where an option has a wrong type or is out of bounds."""

    def __post_init__(self) -> None:
        for name, problem in find_problems(self).items():
            raise LedgerError(f"{name} {problem}, not {getattr(self, name)!r}")
        try:
            self._check()
        except RatingsError as error:
            raise LedgerError(str(error)) from error

    def _check(self) -> None:
        """Raise RatingsError for an option out of bounds."""


@dataclass(frozen=True)
class ZScoreFilter(_CheckedStep):
    """KPQA's filter of ratings: `zscores.zscore_filter`."""

    kind: ClassVar[str] = "zscore"
    threshold: float = 1.0
    at_most: int = 5
    ddof: int = 0
    one_sided: bool = False

    def _check(self) -> None:
        check_zscore_options(self.threshold, self.at_most, self.ddof)

    def __str__(self) -> str:
        sided = "z" if self.one_sided else "|z|"
        return f"ratings with {sided} above {self.threshold:g}, at most {self.at_most} a unit"


@dataclass(frozen=True)
class WorkerFilter(_CheckedStep):
    """Jung and Lease's filter of workers: `workers.worker_filter`."""

    kind: ClassVar[str] = "worker"
    threshold: float = 2.0
    by: WorkerMeasure = "among-workers"
    ddof: int = 0
    at_least: int = 2

    def _check(self) -> None:
        check_worker_options(self.threshold, self.by, self.ddof, self.at_least)

    def __str__(self) -> str:
        if self.by == "mean-abs-z":
            return f"workers whose mean |z| is above {self.threshold:g}"
        return f"workers whose mean |z| has a z above {self.threshold:g} among workers"


@dataclass(frozen=True)
class ExcludeWorker(_CheckedStep):
    """Exclude one worker with all ratings."""

    kind: ClassVar[str] = "exclude-worker"
    worker: str
    reason: str = ""

    def __str__(self) -> str:
        return f"worker {self.worker}"


@dataclass(frozen=True)
class MinimumSeconds(_CheckedStep):
    """Exclude ratings that took less than `seconds`; ratings of unknown time are kept."""

    kind: ClassVar[str] = "minimum-seconds"
    seconds: float

    def _check(self) -> None:
        if self.seconds <= 0:
            raise RatingsError(f"seconds must be above 0, not {self.seconds:g}")

    def __str__(self) -> str:
        return f"ratings made in less than {self.seconds:g} seconds"


@dataclass(frozen=True)
class DropRating(_CheckedStep):
    """Exclude one worker's rating of one unit."""

    kind: ClassVar[str] = "drop-rating"
    unit: str
    worker: str
    reason: str = ""

    def __str__(self) -> str:
        return f"the rating of {self.unit} by {self.worker}"


Step = ZScoreFilter | WorkerFilter | ExcludeWorker | MinimumSeconds | DropRating
STEPS: dict[str, type[Step]] = {
    step.kind: step
    for step in (ZScoreFilter, WorkerFilter, ExcludeWorker, MinimumSeconds, DropRating)
}


@dataclass(frozen=True)
class Ledger:
    """Steps in the order in which they apply."""

    steps: tuple[Step, ...] = ()

    def to_json(self) -> list[StepRow]:
        """The steps as JSON values; `from_json` restores the ledger."""
        return [{"kind": step.kind, **asdict(step)} for step in self.steps]

    @classmethod
    def from_json(cls, data: Any) -> Ledger:
        """The ledger of the output of `to_json`. Raises LedgerError for anything else."""
        if not isinstance(data, list):
            raise LedgerError("the ledger must be a list of steps")
        return cls(tuple(_step(number, row) for number, row in enumerate(data, start=1)))

    def then(self, *steps: Step) -> Ledger:
        """The ledger with `steps` appended."""
        return Ledger((*self.steps, *steps))

    def without(self, index: int) -> Ledger:
        """The ledger without the step at `index` (from 0)."""
        if not 0 <= index < len(self.steps):
            raise LedgerError(f"there is no step {index + 1}; the ledger has {len(self.steps)}")
        return Ledger(self.steps[:index] + self.steps[index + 1 :])


def _step(number: int, row: Any) -> Step:
    if not isinstance(row, Mapping):
        raise LedgerError(f"step {number} must be an object")
    kind = row.get("kind")
    step = STEPS.get(kind) if isinstance(kind, str) else None
    if step is None:
        kinds = ", ".join(STEPS)
        raise LedgerError(f"step {number}: unknown kind {kind!r}; choose one of {kinds}")
    options = {name: value for name, value in row.items() if name != "kind"}
    try:
        made: Step = from_json(step, options)
    except (InputError, LedgerError) as error:
        raise LedgerError(f"step {number}, {kind}: {error}") from error
    return made
