"""Doing the work of a job that was claimed, and ending it whatever happens."""

from __future__ import annotations

from collections.abc import Callable

from django.db import OperationalError
from django.utils.timezone import now

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
    fail: Callable[[Exception | str], None] | None = None,
) -> None:
    """Do the work of a claimed job under a heartbeat.

    The work ends the job itself, and raises StoppedError where it cannot. An error of the kinds
    `refusals` fails the job with its message; any other fails it too and is raised. `fail` replaces
    how that is written. An error of the database fails nothing: the lease lapses, and the work is
    done again. A job whose workers died MAX_TRIES times fails.
    """
    end = fail or (lambda error: _fail(job, error))
    if job.is_exhausted:
        end(DIED)
        return
    try:
        with heartbeat(job):
            work()
    except StoppedError:
        return
    except OperationalError:
        raise
    except refusals as error:
        end(error)
    except Exception as error:
        end(f"{type(error).__name__}: {error}")
        raise


def sentence(error: Exception | str) -> str:
    """The message as a sentence: a capital first, a full stop last."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def _fail(job: Job, error: Exception | str) -> None:
    job.fail(sentence(error) if isinstance(error, Exception) else error, at=now())
