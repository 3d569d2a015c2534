"""Run the work of a job and make sure that the job ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.utils.timezone import now

from concord.sentences import to_sentence
from core.database_errors import DATABASE_AWAY
from core.jobs.leases import heartbeat
from core.jobs.models import BaseJob, LeasedJob, Retryable

Result = TypeVar("Result")


class StoppedError(Exception):
    """The job was stopped, or another worker took it over."""


def perform(
    job: BaseJob,
    work: Callable[[], Result],
    *,
    parts: Sequence[Retryable] = (),
    expected_errors: tuple[type[Exception], ...] = (),
    fail: Callable[[str, Exception | None], object] | None = None,
) -> Result | None:
    """Call `work` for a job and return its result; None where it had none.

    A thread renews the leases meanwhile: that of a claimed LeasedJob, or those of `parts`.

    `work` completes the job itself; it raises StoppedError when the job was stopped or taken over.

    parts: claimed rows that the work is about, of a job without a lease.
    expected_errors: exceptions whose message becomes the reason of the failure. Any other
        exception fails the job and is raised again.
    fail: called instead of `job.fail`, with the reason and the refusal (None for other errors).

    A database error does not fail the job: the lease expires and the work starts again. A job
    whose workers died MAX_TRIES times fails.
    """
    end = fail or (lambda reason, _: job.fail(reason, at=now()))
    held = (job,) if isinstance(job, LeasedJob) else parts
    for row in held:
        if row.is_exhausted:
            end(row.exhausted_reason, None)
            return None
    try:
        with heartbeat(*held):
            return work()
    except StoppedError:
        return None
    except DATABASE_AWAY:
        raise
    except expected_errors as error:
        end(to_sentence(error), error)
    except Exception as error:
        end(f"{type(error).__name__}: {error}", None)
        raise
    return None
