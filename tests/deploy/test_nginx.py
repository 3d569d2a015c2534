"""The files of deploy/, tried with a real nginx in front of a real web server."""

from __future__ import annotations

import re
import socket
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from config.upload_limits import TABLE
from core.audit.models import AuditEvent
from tests.deploy.proxy import DEPLOY, Proxy, environment

FORGED = {"X-Forwarded-For": "203.0.113.7", "X-Real-IP": "203.0.113.7", "Forwarded": "for=203.0.113.7"}


def test_nginx_accepts_the_shipped_files(tmp_path):
    checked = Proxy(8000, tmp_path).check_configuration()
    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr


def test_body_limits_of_nginx_are_those_of_the_settings(capsys):
    call_command("nginx_limits")
    assert (DEPLOY / "nginx" / "upload_limits.conf").read_text() == capsys.readouterr().out


@pytest.mark.parametrize("name", TABLE.by_name)
def test_every_address_that_takes_files_has_a_limit_in_nginx(name, settings):
    """Raising a setting raises its limit in nginx."""
    text = (DEPLOY / "nginx" / "upload_limits.conf").read_text()
    block = re.search(rf"# {name}\nlocation ~ \"(.+)\" {{\n +client_max_body_size (\d+);", text)
    assert block is not None
    assert int(block[2]) == TABLE.max_body_bytes(TABLE.by_name[name]())
    paths = {"study-upload-file": "/studies/a-study/candidates/upload", "api-sets": "/api/v1/sets"}
    if name in paths:
        assert re.search(block[1], paths[name]) and not re.search(block[1], paths[name] + "/more")


def test_the_shipped_environment_trusts_one_proxy():
    assert environment() == {
        "BEHIND_TLS": "true", "TRUSTED_PROXIES": "1", "ALLOWED_HOSTS": "localhost"
    }  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_a_forged_address_changes_nothing(proxy):
    """Guesses at passwords are counted by the true address, whatever the client writes."""
    page, _, _ = guess(proxy, 0)
    assert page == 200
    assert [guess(proxy, n)[0] for n in (1, 2, 3)] == [200, 200, 429]
    assert guess(proxy, 4, source="127.0.0.3")[0] == 200, "another address has a limit of its own"
    assert AuditEvent.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_the_audit_log_holds_who_acted_and_no_forged_address(proxy):
    User.objects.create_user("ann", password="open sesame 77", is_staff=True)
    cookie, token = form(proxy, "/sign-in/")
    signed_in, headers, _ = post(
        proxy, "/sign-in/", cookie, token, "username=ann&password=open+sesame+77"
    )
    assert signed_in == 302
    session = re.search(r"__Host-sessionid=[^;]+", "; ".join(headers.get_all("Set-Cookie", [])))
    assert session is not None
    print(session)


def form(proxy: Proxy, path: str, source: str = "127.0.0.1") -> tuple[str, str]:
    """The cookie and the token that a form needs."""
    _, headers, page = proxy.request("GET", path, source=source)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token is not None
    return headers["Set-Cookie"].split(";")[0], token[1]


def post(
    proxy: Proxy, path: str, cookie: str, token: str, fields: str, source: str = "127.0.0.1"
) -> tuple:
    headers = FORGED | {
        "Cookie": cookie,
        "Origin": f"https://localhost:{proxy.port}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    body = f"csrfmiddlewaretoken={token}&{fields}"
    return proxy.request("POST", path, body, headers, source=source)


def guess(proxy: Proxy, number: int, source: str = "127.0.0.1") -> tuple:
    """A wrong password for an account of its own, with another forged address each time."""
    cookie, token = form(proxy, "/sign-in/", source)
    headers = FORGED | {
        "X-Forwarded-For": f"203.0.113.{number}, 198.51.100.{number}",
        "Cookie": cookie,
        "Origin": f"https://localhost:{proxy.port}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    fields = f"csrfmiddlewaretoken={token}&username=nobody{number}&password=wrong"
    return proxy.request("POST", "/sign-in/", fields, headers, source=source)
