"""Run the work of a claimed job and make sure that the job ends."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.timezone import now

from concord.sentences import to_sentence
from core.database_errors import DATABASE_AWAY
from core.jobs.leases import heartbeat
from core.jobs.models import MAX_TRIES, Job

EXHAUSTED = f"Its worker died {MAX_TRIES} times; see the worker's log."


class StoppedError(Exception):
    """The job was stopped, or another worker took it over."""


def perform(
    job: Job,
    work: Callable[[], None],
    *,
    expected_errors: tuple[type[Exception], ...] = (),
    fail: Callable[[str, Exception | None], object] | None = None,
) -> None:
    """Call `work` for a claimed job while a thread renews its lease.

    `work` completes the job itself; it raises StoppedError when the job was stopped or taken over.

    expected_errors: exceptions whose message becomes the reason of the failure. Any other
        exception fails the job and is raised again.
    fail: called instead of `job.fail`, with the reason and the refusal (None for other errors).

    A database error does not fail the job: the lease expires and the work starts again. A job
    whose workers died MAX_TRIES times fails.
    """
    end = fail or (lambda reason, _: job.fail(reason, at=now()))
    if job.is_exhausted:
        end(EXHAUSTED, None)
        return
    try:
        with heartbeat(job):
            work()
    except StoppedError:
        return
    except DATABASE_AWAY:
        raise
    except expected_errors as error:
        end(to_sentence(error), error)
    except Exception as error:
        end(f"{type(error).__name__}: {error}", None)
        raise
