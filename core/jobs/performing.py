"""Doing the work of a job that was claimed, and ending it whatever happens."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.timezone import now

from concord.sentences import sentence
from core.database_errors import DATABASE_AWAY
from core.jobs.leases import heartbeat
from core.jobs.models import MAX_TRIES, Job

DIED = f"Its worker died {MAX_TRIES} times; see the worker's log."


class StoppedError(Exception):
    """The job was stopped, or another worker took it over."""


def perform(
    job: Job,
    work: Callable[[], None],
    *,
    refusals: tuple[type[Exception], ...] = (),
    fail: Callable[[str, Exception | None], object] | None = None,
) -> None:
    """Do the work of a claimed job under a heartbeat.

    The work ends the job itself, and raises StoppedError where it cannot. An error of the kinds
    `refusals` fails the job with its message; any other fails it too and is raised. `fail`, called
    with the reason and the refusal, if it was one, replaces `job.fail`. An error of the database
    fails nothing: the lease lapses, and the work is done again. A job whose workers died MAX_TRIES
    times fails.
    """
    end = fail or (lambda reason, _: job.fail(reason, at=now()))
    if job.is_exhausted:
        end(DIED, None)
        return
    try:
        with heartbeat(job):
            work()
    except StoppedError:
        return
    except DATABASE_AWAY:
        raise
    except refusals as error:
        end(sentence(error), error)
    except Exception as error:
        end(f"{type(error).__name__}: {error}", None)
        raise
