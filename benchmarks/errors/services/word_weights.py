"""The importance of a candidate's words: requested on its page, computed by a worker, stored."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.db import transaction
from django.utils.timezone import now

import scorers
from benchmarks.errors.models import WordWeights
from benchmarks.runs.services import runs, weights
from benchmarks.sets.models import Candidate
from benchmarks.sets.services import frames
from concord.sentences import counted
from core.jobs import performing
from core.jobs.performing import StoppedError

# The maximum number of jobs of a set that wait or run.
MAX_ACTIVE = 20
# Metrics with the same models, whose signatures identify them.
_METRICS = "bertscore,bleu-1-kpqa"


class WeightsRefusedError(Exception):
    """The word importance cannot be computed now; the message says why."""


def find(candidate: Candidate) -> WordWeights | None:
    """The stored job of the candidate; None if nobody requested it or other models computed it."""
    job = getattr(candidate, "word_weights", None)
    try:
        return job if job and job.computed_by == _models() else None
    except scorers.ModelError:
        return None


def request(candidate: Candidate, *, at: datetime) -> WordWeights:
    """The candidate's job, created and queued if it is new; a failed one is queued again.

    Raises scorers.ModelError if a model is missing, and WeightsRefusedError while MAX_ACTIVE other
    jobs of the set wait or run, and for a set with instances without references.
    """
    if without := runs.count_without_references(candidate.judgment_set):
        raise WeightsRefusedError(
            "Word importance compares a candidate with references, and "
            f"{counted(without, 'instance has', 'instances have')} none."
        )
    models = _models()
    active = WordWeights.objects.filter(
        candidate__judgment_set=candidate.judgment_set_id, status__in=WordWeights.ACTIVE
    )
    if active.exclude(candidate=candidate).count() >= MAX_ACTIVE:
        raise WeightsRefusedError(
            f"Word importance of {MAX_ACTIVE} candidates is being computed. Try again in a minute."
        )
    with transaction.atomic():
        WordWeights.objects.filter(candidate=candidate).exclude(computed_by=models).delete()
        job, created = WordWeights.objects.get_or_create(
            candidate=candidate, defaults={"computed_by": models, "created_at": at, "sent_at": at}
        )
        if not created and job.queue_again(at=at, steps=0):
            job.refresh_from_db()
    return job


def perform(pk: int) -> None:
    """Compute the word importance unless another worker does or did."""
    job = WordWeights.claim(pk, at=now(), steps=0)
    if job is not None:
        performing.perform(job, lambda: _compute(job), expected_errors=(scorers.ModelError,))


def _compute(job: WordWeights) -> None:
    def report(done: int, total: int) -> None:
        if not job.advance(at=now(), steps=done):
            raise StoppedError

    candidate = job.candidate
    instance = candidate.instance
    item = scorers.Item(candidate.text, tuple(instance.references), instance.question)
    maps = weights.heat_maps(item, frames.corpus(candidate.judgment_set), progress=report)
    job.complete(at=now(), maps=[one.to_json() for one in maps])


def _models() -> str:
    metrics = scorers.parse_metrics(_METRICS)
    return hashlib.sha256("\n".join(one.signature() for one in metrics).encode()).hexdigest()
