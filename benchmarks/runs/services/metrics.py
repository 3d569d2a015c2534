"""What a run's metric is: one of the registry, or a submission's."""

from __future__ import annotations

from django.conf import settings

import scorers
from benchmarks.runs.external.metrics import (
    EndpointMetric,
    EntryPointMetric,
    ExternalMetric,
    SubmittedFacts,
    UploadedMetric,
)
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.services import frames
from core.security.outgoing.calls import CallRules
from scorers import Metric

# In place of max or joint: what submitters do with several references is their own affair.
OWN = "own"
Kind = Submission.Kind


def metric_of(run: MetricRun) -> Metric:
    """The metric a run names, with its options and its way with several references."""
    if run.submission is not None:
        return submitted(run.submission, run.signature)
    return scorers.parse_metrics(run.metric, multi_ref=run.multi_ref)[0]


def reads_context(run: MetricRun) -> bool:
    """Whether the run's metric reads the question or the passage, so that they name its items."""
    return run.submission_id is not None or frames.reads_context(run.metric)


def submitted(submission: Submission, signature: str) -> ExternalMetric:
    """A submission's metric. Nothing is loaded or called before it scores."""
    facts: SubmittedFacts = {
        "higher_is_better": submission.higher_is_better,
        "summary": submission.note,
    }
    match submission.kind:
        case Kind.ENTRY_POINT:
            return EntryPointMetric(submission.name, signature, submission.source, **facts)
        case Kind.ENDPOINT:
            return EndpointMetric(
                submission.name, signature, submission.source, call_rules(), **facts
            )
        case _:
            return UploadedMetric(submission.name, signature, **facts)


def call_rules() -> CallRules:
    """How far this installation lets a call to another's server go."""
    return CallRules(
        allowed_hosts=frozenset(settings.OUTGOING_ALLOWED_HOSTS),
        timeout_seconds=settings.OUTGOING_TIMEOUT_SECONDS,
        max_bytes=settings.OUTGOING_MAX_BYTES,
    )
