"""MTurk's qualification requirements, at most ten."""

from __future__ import annotations

from annotation.crowds.providers.mturk.client import SANDBOX
from annotation.crowds.providers.provider import CrowdError, ProviderIds, PublicationSpec

APPROVAL_PERCENT = "000000000000000000L0"
APPROVED_HITS = "00000000000000000040"
LOCALE = "00000000000000000071"
MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_OF_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
MAX_REQUIREMENTS = 10


def requirements(
    spec: PublicationSpec, environment: str, provider_ids: ProviderIds
) -> list[dict[str, object]]:
    """The requirements for accepting a HIT. `provider_ids` has the ids of our own types.

    Workers without them still see the HITs, so that they can take the test; excluded workers do
    not.
    """
    conditions: list[dict[str, object]] = []
    if spec.approval_percent:
        comparator = "GreaterThan" if spec.approval_above else "GreaterThanOrEqualTo"
        rate = {"IntegerValues": [spec.approval_percent]}
        conditions.append(_requirement(APPROVAL_PERCENT, comparator) | rate)
    if spec.approved_hits:
        conditions.append(_at_least(APPROVED_HITS, spec.approved_hits))
    if spec.locales:
        locales = [_locale(name) for name in spec.locales]
        conditions.append(_requirement(LOCALE, "In") | {"LocaleValues": locales})
    if spec.offer.masters:
        conditions.append(
            _requirement(MASTERS_OF_SANDBOX if environment == SANDBOX else MASTERS, "Exists")
        )
    if spec.test is not None:
        conditions.append(_at_least(provider_ids["test"], spec.test.pass_percent))
    conditions += [_requirement(group, "Exists") for group in spec.groups]
    if spec.is_paid_test:  # who passed need not take it again
        conditions.append(_requirement(provider_ids["passed"], "DoesNotExist"))
    excluded = _requirement(provider_ids["exclusion"], "DoesNotExist")
    conditions.append(excluded | {"ActionsGuarded": "DiscoverPreviewAndAccept"})
    if len(conditions) > MAX_REQUIREMENTS:
        raise CrowdError(
            f"MTurk accepts {MAX_REQUIREMENTS} requirements; there are {len(conditions)}."
        )
    return conditions


def _requirement(qualification: str, comparator: str) -> dict[str, object]:
    return {
        "QualificationTypeId": qualification,
        "Comparator": comparator,
        "ActionsGuarded": "Accept",
    }


def _at_least(qualification: str, value: int) -> dict[str, object]:
    return _requirement(qualification, "GreaterThanOrEqualTo") | {"IntegerValues": [value]}


def _locale(name: str) -> dict[str, str]:
    country, _, part = name.strip().upper().partition("-")
    return {"Country": country} | ({"Subdivision": part} if part else {})
