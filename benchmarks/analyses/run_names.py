"""How the results of analyses name a metric run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from benchmarks.runs.models import MetricRun


@dataclass(frozen=True, kw_only=True)
class RunName:
    """What names a metric run in an analysis; the base of what an analysis says of one run."""

    run: int
    metric: str
    multi_ref: str
    signature: str

    @classmethod
    def of(cls, run: MetricRun, **fields: Any) -> Self:  # noqa: ANN401 - of the subclass
        """The name of a run with the fields of a subclass."""
        return cls(
            run=run.pk,
            metric=run.metric,
            multi_ref=run.multi_ref,
            signature=run.signature,
            **fields,
        )
