"""Sending work to the workers, and telling the person who asked for it."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest
from kombu.exceptions import OperationalError


def send(request: HttpRequest, deliver: Callable[[], object]) -> None:
    """Call `deliver`, which hands tasks to the broker, once what they work on is committed.

    Without a broker nothing is lost: workers look for what waits when they start. The page says so.
    """

    def sent() -> None:
        try:
            deliver()
        except OperationalError as error:
            messages.error(
                request,
                f"It is noted, but the broker cannot be reached ({error}): workers take it up "
                "within five minutes of their start.",
            )

    transaction.on_commit(sent)
