"""The Celery task of analyses."""

from __future__ import annotations

from benchmarks.analyses import services as analyses
from core.jobs import queues, row_task


@row_task("benchmarks.tasks.compute_analysis", queue=queues.ANALYSES)
def compute_analysis(analysis_id: int) -> None:
    """Compute one analysis and store its result, or the reason why there is none.

    One that needs a model is passed on to the workers that have them.
    """
    if analyses.has_models(analysis_id):
        compute_with_models.delay(analysis_id)
    else:
        analyses.ANALYSES.perform(analysis_id)


@row_task("benchmarks.tasks.compute_analysis_with_models", queue=queues.ENCODER)
def compute_with_models(analysis_id: int) -> None:
    """Compute one analysis that needs a model."""
    analyses.ANALYSES.perform(analysis_id)


analyses.ANALYSES.sent_by(compute_analysis)
