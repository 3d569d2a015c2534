"""What people enter to start metric runs, on the page and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.requested_metrics import MAX_METRICS
from concord.bounds import REQUIRED, Text, choice, items
from core.column_bounds import max_length


@dataclass(frozen=True, slots=True)
class NewRuns:
    """The metrics to run, and how they take several references."""

    metrics: tuple[str, ...] = field(
        metadata=items(
            MAX_METRICS,
            min_items=1,
            unit="metrics",
            each=Text(max_length(MetricRun, "metric"), REQUIRED),
            help="Names, with options in parentheses: `aev(alpha=0.3,n=2)`.",
        )
    )
    multi_ref: Literal["max", "joint"] = field(
        default="max",
        metadata=choice({"max": "the best single reference", "joint": "the metric's own way"}),
    )
