"""System checks of production settings, and the headers of every page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.test import Client

PRODUCTION = {
    "DATABASE_URL": "postgresql://concord:word@db.example.org/concord",
    "BROKER_URL": "redis://broker.example.org:6379/0",
    "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "IDENTITY_KEYS": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "ALLOWED_HOSTS": "concord.example.org",
    "BEHIND_TLS": "true",
}


def manage(*arguments: str):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={k: v for k, v in os.environ.items() if k != "DJANGO_ALLOW_ASYNC_UNSAFE"} | PRODUCTION,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_the_check_for_deployment_finds_nothing_in_production():
    result = manage("check", "--deploy", "--fail-level", "WARNING")
    assert result.returncode == 0, result.stderr
    assert "no issues" in result.stdout


def test_keys_may_be_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("SECRET_KEY", "IDENTITY_KEYS"):
        (tmp_path / name).write_text(f"{PRODUCTION[name]}-of-a-file\n")
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
        monkeypatch.setitem(PRODUCTION, name, "")
    result = manage("check", "--deploy", "--fail-level", "WARNING")
    assert result.returncode == 0, result.stderr
    code = "from django.conf import settings as s; print(s.SECRET_KEY, s.IDENTITY_KEYS)"
    output = manage("shell", "-v", "0", "--no-imports", "-c", code).stdout
    assert output.count("-of-a-file") == 2 and "\\n" not in output


@pytest.mark.parametrize("name", ["SECRET_KEY", "IDENTITY_KEYS"])
def test_a_site_with_a_short_key_does_not_start(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(PRODUCTION, name, "shorter-than-32-characters")
    result = manage("check")
    assert result.returncode and "at least 32 characters" in result.stderr


@pytest.mark.parametrize("name", ["secret_key", "identity_key"])
@pytest.mark.parametrize("size", [0, 5])
def test_a_site_whose_generated_key_was_cut_short_does_not_start(
    name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for variable in ("SECRET_KEY", "IDENTITY_KEYS"):
        monkeypatch.setitem(PRODUCTION, variable, "")
    monkeypatch.setitem(PRODUCTION, "CONCORD_VAR", str(tmp_path))
    assert manage("version").returncode == 0
    os.truncate(tmp_path / name, size)
    result = manage("version")
    assert result.returncode and f"it has {size} characters" in result.stderr


@pytest.mark.parametrize(
    ("changed", "id"),
    [
        ({"ALLOWED_HOSTS": ["*"]}, "concord.E004"),
        ({"DATABASE_URL": "postgresql://db.example.org/concord"}, "concord.E005"),
        ({"RATE_LIMITS": {"write": "often"}}, "concord.E006"),
        ({"OUTGOING_ALLOWED_HOSTS": ["http://model:9/"]}, "concord.E007"),
        ({"ALLOWED_HOSTS": ["concord.example.org"]}, "concord.W002"),
        ({"BEHIND_TLS": True, "TRUSTED_PROXIES": 0}, "concord.W003"),
        ({"TRUSTED_PROXIES": 1}, "concord.W004"),
    ],
)
def test_conflicting_settings_are_reported_with_advice(settings, monkeypatch, changed, id):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    for name, value in changed.items():
        setattr(settings, name, value)
    messages = {one.id: one for one in run_checks() if str(one.id).startswith("concord.")}
    assert id in messages
    assert messages[id].hint or "RATE_LIMIT_WRITE" in messages[id].msg


def test_cookies_of_production_are_bound_to_the_host_and_to_tls():
    code = (
        "from django.conf import settings as s; print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, "
        "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SESSION_COOKIE_HTTPONLY, "
        "s.SESSION_COOKIE_SAMESITE, s.CSRF_COOKIE_SAMESITE, s.SECURE_HSTS_SECONDS, "
        "s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD)"
    )
    result = manage("shell", "--no-imports", "-c", code)
    expected = "__Host-sessionid __Host-csrftoken True True True Lax Lax 31536000 False False"
    assert result.stdout.split("\n")[0] == expected, result.stderr


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/sign-in/", "/none", "/static/concord/concord.css"])
def test_every_answer_bears_the_headers_that_keep_it_safe(path):
    answer = Client().get(path)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]
    if not path.startswith("/static"):
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy and answer["X-Frame-Options"] == "DENY"


@pytest.mark.django_db
def test_raters_pages_may_be_framed_by_the_sites_that_settings_name_and_no_other_page_may(settings):
    settings.RATING_FRAME_ANCESTORS = ["https://panel.example.org"]
    framed = Client().get("/rate/no-such-token/")
    assert "frame-ancestors https://panel.example.org" in framed["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/sign-in/", "/webhooks/new/", "/sets/x/runs/start"])
def test_a_post_without_the_forms_token_is_refused(path):
    client = Client(enforce_csrf_checks=True)
    assert client.post(path, {"username": "ann", "password": "word"}).status_code == 403
