"""Sending work to the workers and stopping it, with messages for the person who requested it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import capfirst

from core.jobs import send_after_commit


def send(request: HttpRequest, deliver: Callable[[], object]) -> None:
    """Call `deliver`, which sends tasks to the broker, after the transaction is committed.

    If the broker is unreachable, the page says so; workers find the waiting work when they start.
    """

    text = (
        "The request is stored, but the broker cannot be reached. Workers will find it within five "
        "minutes of their start."
    )
    send_after_commit(deliver, if_away=lambda: messages.error(request, text))


class JobWithPage(Protocol):
    """A job that has a page."""

    @property
    def status(self) -> str: ...

    def get_absolute_url(self) -> str: ...


def report_stop(request: HttpRequest, job: JobWithPage, *, is_stopped: bool) -> HttpResponse:
    """Redirect to the job's page with a message on whether a person's request stopped it."""
    name = capfirst(str(job))
    if is_stopped:
        messages.success(request, f"{name} is stopped.")
    else:
        messages.info(request, f"{name} is already {job.status}.")
    return redirect(job)
