"""Addresses that the server may call, and those that it refuses."""

from __future__ import annotations

import socket

import pytest

from core.security.outgoing import addresses, calls
from core.security.outgoing.addresses import AddressRefusedError, check_url, is_public, resolve
from core.security.outgoing.calls import CallError, CallRules, post_json

PUBLIC = "93.184.215.14"


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Resolve a name to each of `answers` in turn; return the list of looked-up hosts."""
    hosts: list[str] = []
    real = socket.getaddrinfo

    def resolved(host, port, *rest, **more):
        if not host[-1].isalpha():
            return real(host, port, *rest, **more)
        hosts.append(host)
        address = answers[min(len(hosts), len(answers)) - 1]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", resolved)
    return hosts


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.170",
        "192.0.2.5",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:0:10.0.0.1",
        "::10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "nonsense",
        "",
    ],
)
def test_an_address_of_no_public_network_is_not_called(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", [PUBLIC, "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_an_address_of_the_public_internet_is(address):
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://example.org/", "must begin with https://"),
        ("ftp://example.org/", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("//example.org/", "must begin with https://"),
        ("https:///path", "has no host"),
        ("https://ann:word@example.org/", "name or password"),
        ("https://example.org/#part", "fragment"),
        ("https://example.org:0/", "port 0"),
        ("https://example.org:99999/", "not a URL"),
        ("https://[::1/", "not a URL"),
        ("https://example.org/\r\nHost: other", "printable"),
        ("https://example.org\\@127.0.0.1/", "printable"),
        ("https://ex\u00e4mple.org/", "printable ASCII"),
        ("https://example.org/" + "a" * 2000, "longer than"),
    ],
)
def test_a_url_is_checked_without_resolving_it(url, sentence):
    with pytest.raises(AddressRefusedError, match=sentence):
        check_url(url)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost.",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "10.0.0.8",
        "169.254.169.254",
        "[::1]",
        "[::ffff:10.0.0.8]",
        "[::ffff:a9fe:a9fe]",
        "0",
    ],
)
def test_a_host_of_the_own_network_is_refused_however_it_is_written(host):
    with pytest.raises(AddressRefusedError, match=r"public internet|does not resolve"):
        resolve(f"https://{host}/latest/meta-data/")


def test_one_private_address_among_a_names_addresses_is_enough(monkeypatch):
    rows = [(socket.AF_INET, 1, 6, "", (ip, 443)) for ip in (PUBLIC, "10.0.0.1")]
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_, **__: rows)
    with pytest.raises(AddressRefusedError, match="public internet"):
        resolve("https://example.org/")


def test_a_name_that_resolves_anew_to_a_private_address_gains_nothing(monkeypatch):
    """DNS rebinding: the checked address is the one that is connected to."""
    hosts = answering(monkeypatch, PUBLIC, "127.0.0.1")
    connected: list[tuple[str, int]] = []

    def refuse(address, timeout):
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(calls.socket, "create_connection", refuse)
    with pytest.raises(CallError, match="cannot be reached"):
        post_json("https://rebind.example.org/", {}, CallRules(attempts=1))
    assert connected == [(PUBLIC, 443)]
    assert hosts == ["rebind.example.org"]
    # On the next attempt it is judged anew, and refused for good.
    with pytest.raises(CallError, match="public internet") as refused:
        post_json("https://rebind.example.org/", {}, CallRules(attempts=4, pause_seconds=0))
    assert refused.value.permanent and len(connected) == 1


def test_a_host_that_an_administrator_allows_may_be_private_and_without_tls():
    target = resolve("http://127.0.0.1:8999/score?a=1", ["127.0.0.1:8999"])
    assert (target.addresses, target.port, target.path) == (("127.0.0.1",), 8999, "/score?a=1")
    assert resolve("http://localhost/", ["LOCALHOST"]).host_header == "localhost"
    with pytest.raises(AddressRefusedError):
        resolve("http://127.0.0.1:9000/", ["127.0.0.1:8999"])
