"""Whom MTurk lets in: qualification requirements, ten at most."""

from __future__ import annotations

from typing import Any

from annotation.crowds.providers.mturk.client import SANDBOX
from annotation.crowds.providers.provider import CrowdError, Known, Order

APPROVAL_PERCENT = "000000000000000000L0"
APPROVED_HITS = "00000000000000000040"
LOCALE = "00000000000000000071"
MASTERS = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_OF_SANDBOX = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
MOST = 10


def requirements(order: Order, place: str, known: Known) -> list[dict[str, Any]]:
    """What a worker must have to accept. `known` holds the ids of our own types.

    Those who lack them still see the HITs, so that they can take the test; those whom we excluded
    do not.
    """
    found: list[dict[str, Any]] = []
    if order.approval_percent:
        comparator = "GreaterThan" if order.approval_above else "GreaterThanOrEqualTo"
        rate = {"IntegerValues": [order.approval_percent]}
        found.append(_required(APPROVAL_PERCENT, comparator) | rate)
    if order.approved_hits:
        found.append(_at_least(APPROVED_HITS, order.approved_hits))
    if order.locales:
        locales = [_locale(name) for name in order.locales]
        found.append(_required(LOCALE, "In") | {"LocaleValues": locales})
    if order.offer.masters:
        found.append(_required(MASTERS_OF_SANDBOX if place == SANDBOX else MASTERS, "Exists"))
    if order.test is not None:
        found.append(_at_least(known["test"], order.test.pass_percent))
    excluded = _required(known["exclusion"], "DoesNotExist")
    found.append(excluded | {"ActionsGuarded": "DiscoverPreviewAndAccept"})
    if len(found) > MOST:
        raise CrowdError(f"MTurk takes {MOST} requirements; there are {len(found)}.")
    return found


def _required(qualification: str, comparator: str) -> dict[str, Any]:
    return {
        "QualificationTypeId": qualification,
        "Comparator": comparator,
        "ActionsGuarded": "Accept",
    }


def _at_least(qualification: str, value: int) -> dict[str, Any]:
    return _required(qualification, "GreaterThanOrEqualTo") | {"IntegerValues": [value]}


def _locale(name: str) -> dict[str, str]:
    country, _, part = name.strip().upper().partition("-")
    return {"Country": country} | ({"Subdivision": part} if part else {})
