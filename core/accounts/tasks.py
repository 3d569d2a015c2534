"""Celery tasks of accounts."""

from __future__ import annotations

from celery import shared_task
from django.contrib.auth.models import User

from core.accounts.services import password_links
from core.accounts.services.password_links import PasswordLink
from core.database_errors import DATABASE_AWAY


@shared_task(autoretry_for=(*DATABASE_AWAY, OSError), retry_backoff=True, max_retries=5)
def send_password_links(users: list[int], protocol: str, domain: str) -> None:
    """Send a link for a new password to each of these accounts.

    The page sends this task for every address, so that its time does not tell whether the address
    has an account.
    """
    for user in User.objects.filter(pk__in=users):
        password_links.send(user, PasswordLink.of(user), protocol=protocol, domain=domain)
