"""Addresses of callers: what a client can forge, and what it cannot."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from core.security.limits import callers
from core.security.limits.callers import GROUP_SHARE, UNKNOWN, Caller


@pytest.mark.parametrize(
    ("proxies", "passed", "expected"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (1, "", "192.0.2.1"),
        (1, "nonsense", "192.0.2.1"),
        (1, "203.0.113.9:50000", "203.0.113.9"),
        (1, "[2001:db8:1:2::9]:50000", "2001:db8:1:2::/64"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
    ],
)
def test_the_address_is_the_one_the_trusted_proxies_saw(settings, proxies, passed, expected):
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=passed)
    assert callers.address(request)[-1].key == expected


@pytest.mark.parametrize("remote", ["", "unix:", "nonsense", "999.1.1.1", "[::1"])
def test_callers_without_an_address_share_one_rate(remote):
    request = RequestFactory().get("/", REMOTE_ADDR=remote)
    expected = "::/64" if remote == "[::1" else UNKNOWN
    assert callers.address(request)[-1].key == expected


def test_the_networks_of_a_large_ipv6_customer_share_a_rate():
    def addresses(text: str) -> list[Caller]:
        return callers.address(RequestFactory().get("/", REMOTE_ADDR=text))

    one, other = addresses("2001:db8:1:2::9"), addresses("2001:db8:1:ffff::9")
    assert one[1] != other[1]
    assert one[0] == other[0] == Caller("all of 2001:db8:1::/48", GROUP_SHARE)
    assert addresses("2001:db8:2:2::9")[0] != one[0]
