"""Publish a study or judgment set (a row with `published_at`), or make it private again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Unpack

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest

from core import audit


def publish(
    row: Any,  # noqa: ANN401 - a model with `published_at`
    kind: str,
    *,
    at: datetime,
    announce: Callable[[], None] = lambda: None,
    **scope: Unpack[audit.AuditScope],
) -> None:
    """Make a row public. A public row keeps its first date of publication.

    kind: the beginning of the audit action. announce: called in the same transaction. scope:
    further arguments of `audit.record`.
    """
    if row.published_at is not None:
        return
    with transaction.atomic():
        row.published_at = at
        row.save(update_fields=["published_at"])
        announce()
        audit.record(None, f"{kind}.published", row, **scope)


def unpublish(
    row: Any,  # noqa: ANN401 - a model with `published_at`
    kind: str,
    **scope: Unpack[audit.AuditScope],
) -> None:
    """Make a row visible to its members only."""
    with transaction.atomic():
        row.published_at = None
        row.save(update_fields=["published_at"])
        audit.record(None, f"{kind}.made private", row, **scope)


def handle_publish_form(
    request: HttpRequest,
    name: str,
    *,
    may_own: bool,
    publish: Callable[[], None],
    unpublish: Callable[[], None],
) -> None:
    """Publish or unpublish as the posted form says, and add a message that begins with `name`.

    Raises PermissionDenied unless the user is an owner.
    """
    if not may_own:
        raise PermissionDenied("Only owners can publish this or make it private.")
    action = request.POST.get("do", "")
    if action == "publish":
        publish()
        messages.success(request, f"{name} is public.")
    elif action == "take-back":
        unpublish()
        messages.success(request, f"{name} is private again. Copies that people downloaded remain.")
    else:
        messages.error(request, "Unknown action. Use the buttons on the page.")
