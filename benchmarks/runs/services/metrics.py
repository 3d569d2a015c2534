"""The metric of a run: a registered one, or that of a submission."""

from __future__ import annotations

from django.conf import settings

import scorers
from benchmarks.runs.external.metrics import (
    EndpointMetric,
    EntryPointMetric,
    ExternalMetric,
    ExternalMetricInfo,
    UploadedMetric,
)
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.services import frames
from core.security.outgoing.calls import CallRules
from scorers import Metric

# `multi_ref` of submissions, which combine several references in their own way.
OWN = "own"
Kind = Submission.Kind


def metric_of(run: MetricRun) -> Metric:
    """The metric of a run, with its options and `multi_ref`."""
    if run.submission is not None:
        return submission_metric(run.submission, run.signature)
    return scorers.parse_metrics(run.metric, multi_ref=run.multi_ref)[0]


def reads_context(run: MetricRun) -> bool:
    """Whether the run's metric reads the question or passage (see `frames.reads_context`)."""
    return run.submission_id is not None or frames.reads_context(run.metric)


def submission_metric(submission: Submission, signature: str) -> ExternalMetric:
    """The metric of a submission. It loads or calls nothing before it scores."""
    info: ExternalMetricInfo = {
        "higher_is_better": submission.higher_is_better,
        "summary": submission.note,
    }
    match submission.kind:
        case Kind.ENTRY_POINT:
            return EntryPointMetric(submission.name, signature, submission.source, **info)
        case Kind.ENDPOINT:
            return EndpointMetric(
                submission.name, signature, submission.source, call_rules(), **info
            )
        case _:
            return UploadedMetric(submission.name, signature, **info)


def call_rules() -> CallRules:
    """The limits of calls to other servers, from the settings."""
    return CallRules(
        allowed_hosts=frozenset(settings.OUTGOING_ALLOWED_HOSTS),
        timeout_seconds=settings.OUTGOING_TIMEOUT_SECONDS,
        max_bytes=settings.OUTGOING_MAX_BYTES,
    )
