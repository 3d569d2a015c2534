"""Accounts at crowd platforms: credentials that an administrator entered on a page.

They win over those of the process's environment, and are sent only to the service for which they
were entered. Removing them leaves those of the environment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.db import transaction

from annotation.crowds.models import CrowdAccount
from annotation.crowds.providers.mturk.client import PRODUCTION
from annotation.crowds.providers.provider import AccountError, CrowdError, Provider
from annotation.crowds.providers.registry import PROVIDERS, provider_at
from core import audit
from core.security import sealing

PURPOSE = "crowd credentials"


@dataclass(frozen=True)
class AccountTest:
    """What a service answered: why it refused, or the balance; None where it states none."""

    problem: str = ""
    balance: Decimal | None = None


def provider_in(name: str, environment: str) -> Provider:
    """The provider `name` in one of its environments, with the credentials entered for it.

    Raises CrowdError for an unknown name.
    """
    provider = provider_at(name, environment)
    if provider.credentials:
        account = CrowdAccount.objects.filter(provider=name, service=provider.service).first()
        if account is not None:
            provider.sign_in_by(partial(_open, account))
    return provider


def providers_with_accounts() -> list[Provider]:
    """The providers that need credentials, in the order of the registry."""
    providers = [provider_at(name, "") for name in PROVIDERS]
    return [provider for provider in providers if provider.credentials]


def allowed_hosts() -> set[str]:
    """The hosts, with their ports, of the services for which credentials were entered."""
    services = CrowdAccount.objects.exclude(service="").values_list("service", flat=True)
    return {urlsplit(service).netloc for service in services}


def enter(
    name: str, service: str, credentials: Mapping[str, str], *, by: User, at: datetime
) -> CrowdAccount:
    """Store credentials for a service, in place of earlier ones.

    service: its URL; empty for the platform's own. Raises CrowdError for an unknown name.
    """
    provider = provider_at(name, service)
    values = {
        "sealed": sealing.seal(json.dumps(dict(credentials)), PURPOSE),
        "entered_by": by,
        "entered_at": at,
        "tested_at": None,
        "problem": "",
    }
    with transaction.atomic():
        account, _ = CrowdAccount.objects.update_or_create(
            provider=name, service=provider.service, defaults=values
        )
        audit.record(by, "crowd_account.entered", account)
    return account


def remove(account: CrowdAccount, *, by: User) -> None:
    """Delete the credentials. Calls then use those of the environment, if there are any."""
    with transaction.atomic():
        audit.record(by, "crowd_account.removed", account)
        account.delete()


def test(account: CrowdAccount, *, by: User, at: datetime) -> AccountTest:
    """Ask the service for the balance by the credentials. Changes nothing there."""
    provider = provider_in(account.provider, account.service or PRODUCTION)
    try:
        result = AccountTest(balance=provider.balance())
    except CrowdError as error:
        result = AccountTest(problem=str(error))
    with transaction.atomic():
        account.tested_at, account.problem = at, result.problem
        account.save(update_fields=["tested_at", "problem"])
        outcome = "refused" if result.problem else "accepted"
        audit.record(by, "crowd_account.tested", account, after={"outcome": outcome})
    return result


def _open(account: CrowdAccount) -> Mapping[str, str]:
    try:
        credentials: Mapping[str, str] = json.loads(sealing.unseal(account.sealed, PURPOSE))
    except sealing.SealError as error:
        raise AccountError(f"The credentials of {account}: {error}") from error
    return credentials
