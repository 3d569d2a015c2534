"""The crowds to choose from: what each is, what it costs, and whether it is configured."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from annotation.crowds.models import CrowdAccount
from annotation.crowds.providers.provider import Provider
from annotation.crowds.providers.registry import PROVIDERS, provider_at

# The providers whose service is named by its URL, which the site must be allowed to call.
NEEDS_HOST = ("mturk",)


@dataclass(frozen=True)
class CrowdCard:
    """A crowd. `missing` maps the settings that are needed and not set to what they are; an
    administrator can enter them on the page Crowd accounts instead."""

    provider: Provider
    missing: dict[str, str]

    @property
    def documentation(self) -> str:
        """The URL of the crowd's section in the documentation."""
        return f"{reverse('docs-page', args=['how-to/crowds.html'])}#{self.provider.section}"


def crowd_cards() -> list[CrowdCard]:
    """All crowds, in the order of the registry."""
    entered = set(CrowdAccount.objects.values_list("provider", flat=True))
    return [
        CrowdCard(provider, {} if name in entered else _missing(provider))
        for name in PROVIDERS
        for provider in [provider_at(name, "")]
    ]


def _missing(provider: Provider) -> dict[str, str]:
    missing = dict(provider.missing_credentials())
    if provider.name in NEEDS_HOST and not settings.OUTGOING_ALLOWED_HOSTS:
        missing["OUTGOING_ALLOWED_HOSTS"] = "the host of the service, or host:port"
    return missing
