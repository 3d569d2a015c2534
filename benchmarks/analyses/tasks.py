"""The Celery task of analyses."""

from __future__ import annotations

from benchmarks.analyses import services as analyses
from benchmarks.analyses.models import Analysis
from core.jobs import resend, row_task


@row_task("benchmarks.tasks.compute_analysis")
def compute_analysis(analysis_id: int) -> None:
    """Compute one analysis and store its result, or the reason why there is none."""
    analyses.perform(analysis_id)


resend(compute_analysis, Analysis.stale)
