"""Publishing: a row with `published_at` is shown to everybody, or to its members again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest

from core import audit


def publish(
    row: Any,
    kind: str,
    *,
    at: datetime,
    announce: Callable[[], None] = lambda: None,
    **about: Any,
) -> None:
    """Show a row to everybody; one that is public stays public since when it was first.

    `kind` begins the audit action, `about` says what the event is of, and `announce` is called in
    the same transaction.
    """
    if row.published_at is not None:
        return
    with transaction.atomic():
        row.published_at = at
        row.save(update_fields=["published_at"])
        announce()
        audit.record(None, f"{kind}.published", row, **about)


def unpublish(row: Any, kind: str, **about: Any) -> None:
    """Show a row to its members alone; what was read and downloaded is not undone."""
    with transaction.atomic():
        row.published_at = None
        row.save(update_fields=["published_at"])
        audit.record(None, f"{kind}.made private", row, **about)


def answer(
    request: HttpRequest,
    name: str,
    *,
    may_own: bool,
    publish: Callable[[], None],
    unpublish: Callable[[], None],
) -> None:
    """Do what the form of a publishing page asks, and say so. `name` begins the sentence. Raises
    PermissionDenied for others than owners."""
    if not may_own:
        raise PermissionDenied("Only owners publish this and take it back.")
    do = request.POST.get("do", "")
    if do == "publish":
        publish()
        messages.success(request, f"{name} is public.")
    elif do == "take-back":
        unpublish()
        messages.success(request, f"{name} is private again. What was downloaded stays so.")
    else:
        messages.error(request, "There is nothing of that name to be done.")
