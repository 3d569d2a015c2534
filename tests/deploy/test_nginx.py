"""The files of deploy/ with a real nginx in front of a real web server."""

from __future__ import annotations

import re
import socket
from contextlib import closing
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from config.management.commands.nginx_limits import named_patterns
from core.accounts import tokens
from core.audit.models import AuditEvent
from core.security.declarations import cost_of
from core.security.uploads import limits_of, max_body_bytes
from tests.access.test_access_table import routes
from tests.deploy.proxy import DEPLOY, Proxy, environment


def test_nginx_accepts_the_shipped_files(tmp_path):
    checked = Proxy(8000, tmp_path).check_configuration()
    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr


def test_body_limits_of_nginx_are_those_of_the_settings(capsys):
    call_command("nginx_limits")
    assert (DEPLOY / "nginx" / "upload_limits.conf").read_text() == capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "view"),
    [(name, one.callback) for name, one in named_patterns() if cost_of(one.callback).files],
)
def test_every_address_that_takes_files_has_a_limit_in_nginx(name, view):
    text = (DEPLOY / "nginx" / "upload_limits.conf").read_text()
    block = re.search(rf"# {name}\nlocation ~ \"(.+)\" {{\n +client_max_body_size (\d+);", text)
    assert block is not None
    assert int(block[2]) == max_body_bytes(limits_of(view))
    path = reverse(name, kwargs=dict.fromkeys(routes()[name], 1))
    assert re.search(block[1], path) and not re.search(block[1], path + "/more")


def test_the_shipped_environment_trusts_one_proxy():
    assert environment() == {
        "BEHIND_TLS": "true", "TRUSTED_PROXIES": "1", "ALLOWED_HOSTS": "localhost"
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_forged_address_changes_nothing(proxy):
    """Wrong passwords are counted by the true address, whatever the client writes; the audit log
    names the account that acted, and no address."""
    assert [guess(proxy, number) for number in range(4)] == [200, 200, 200, 429]
    assert guess(proxy, 4, source="127.0.0.3") == 200, "another address has a limit of its own"

    ann = User.objects.create_user("ann")
    expires = now() + timedelta(days=1)
    token, _ = tokens.make(ann, "a program", ["sets:read"], expires_at=expires, at=now())
    client = Client()
    client.force_login(ann)
    cookie = f"__Host-sessionid={client.cookies['sessionid'].value}"
    status, _ = post(proxy, f"/account/tokens/{token.pk}/revoke", cookie=cookie)
    assert status == 302
    event = AuditEvent.objects.latest("pk")
    assert (event.action, event.actor_id) == ("access.taken from a program", ann.pk)
    assert "203.0.113." not in str(model_to_dict(event))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_requests_reach_the_site_as_the_client_made_them(proxy):
    """Plain HTTP leads to HTTPS; a refusal of a large body is the site's own."""
    with closing(socket.create_connection((proxy.host, proxy.plain_port))) as plain:
        plain.sendall(
            b"GET /sets/?q=a%2Fb HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        answer = b"".join(iter(lambda: plain.recv(4096), b""))
    assert b" 301 " in answer and b"Location: https://localhost/sets/?q=a%2Fb\r\n" in answer

    status, headers, _ = proxy.request("GET", "/sign-in/")
    assert status == 200 and "max-age=31536000" in headers["Strict-Transport-Security"]

    large = {"Content-Length": str(10**9), "Content-Type": "multipart/form-data; boundary=x"}
    status, headers, text = proxy.request("POST", "/api/v1/sets", headers=large)
    assert status == 413 and headers["Content-Type"] == "application/problem+json"
    assert "512 MB" in text
    status, _, text = proxy.request("POST", "/sign-in/", headers=large)
    assert status == 413 and "2 MB" in text
    chunked = {"Transfer-Encoding": "chunked", "Content-Type": "text/plain"}
    body = f"{3_000_000:x}\r\n{'a' * 3_000_000}\r\n0\r\n\r\n"
    status, _, text = proxy.request("POST", "/sign-in/", body, chunked)
    assert status == 413 and "nginx" in text


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_nginx_writes_down_no_address_and_no_path(proxy):
    proxy.request("GET", "/rate/a-secret-link/")
    proxy.request("GET", "/rate/%00a-secret-link/")
    for name in ("access.log", "error.log", "concord.log"):
        assert "secret" not in (proxy.folder / name).read_text()


def post(
    proxy: Proxy, path: str, fields: str = "", cookie: str = "", number: int = 0, source: str = ""
) -> tuple[int, str]:
    """Send a form with its token and a forged address. Returns status and page."""
    source = source or proxy.host
    _, headers, page = proxy.request("GET", "/sign-in/", source=source)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token is not None
    sent = {
        "X-Forwarded-For": f"203.0.113.{number}, 198.51.100.{number}",
        "X-Real-IP": f"203.0.113.{number}",
        "Forwarded": f"for=203.0.113.{number}",
        "Cookie": f"{headers['Set-Cookie'].split(';')[0]}; {cookie}",
        "Origin": f"https://localhost:{proxy.port}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    body = f"csrfmiddlewaretoken={token[1]}&{fields}"
    status, _, page = proxy.request("POST", path, body, sent, source=source)
    return status, page


def guess(proxy: Proxy, number: int, source: str = "") -> int:
    """Try a wrong password for an account, with another forged address for each number."""
    fields = f"username=nobody{number}&password=wrong"
    return post(proxy, "/sign-in/", fields, number=number, source=source)[0]
