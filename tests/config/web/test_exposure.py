"""The web server refuses addresses that other machines can reach, unless a setting allows them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from config.web import exposure
from tests.waiting import wait_for


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.5", "localhost", "::1"])
def test_addresses_of_the_loopback_interface_are_allowed(host):
    exposure.check_host(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::", "192.0.2.1", "2001:db8::1"])
def test_all_other_addresses_are_refused_with_advice(host):
    with pytest.raises(exposure.ExposureError) as refused:
        exposure.check_host(host)
    for words in ("deploy/README.md", "ALLOW_DIRECT_EXPOSURE=true", "--allow-direct-exposure"):
        assert words in str(refused.value)


def gunicorn(*options: str, pass_fds: tuple[int, ...] = (), **environment: str):
    return subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "-c", "python:config.web.server", *options],
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        pass_fds=pass_fds,
    )


@pytest.mark.parametrize(
    "options",
    [["--bind", "0.0.0.0:0"], ["--bind", "0.0.0.0:0", "--reuse-port"], ["--bind", ":0"]],
)
def test_gunicorn_refuses_to_start_on_all_interfaces(options):
    process = gunicorn(*options)
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "ALLOW_DIRECT_EXPOSURE=true" in output and "Traceback" not in output
    assert "Booting worker" not in output


def test_gunicorn_refuses_a_socket_that_it_inherits():
    with socket.create_server(("0.0.0.0", 0)) as listening:
        number = listening.fileno()
        process = gunicorn("--bind", f"fd://{number}", pass_fds=(number,))
        output, _ = process.communicate(timeout=600)
    assert process.returncode == 1 and "ALLOW_DIRECT_EXPOSURE=true" in output


def test_without_options_gunicorn_listens_on_the_loopback_interface_alone():
    """Also with PORT, which makes gunicorn listen on all interfaces by default."""
    code = (
        "import sys; from gunicorn.app.wsgiapp import WSGIApplication as App; "
        "sys.argv = ['gunicorn', '-c', 'python:config.web.server']; print(App().cfg.address)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env=os.environ | {"PORT": "8123"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[('127.0.0.1', 8000)]", done.stderr


@pytest.mark.parametrize(
    ("address", "environment"),
    [("0.0.0.0:0", {"ALLOW_DIRECT_EXPOSURE": "true"}), ("unix:{folder}/web.sock", {})],
    ids=["the risk is accepted", "a Unix socket"],
)
def test_gunicorn_starts_where_it_may(address, environment, tmp_path):
    log = tmp_path / "log"
    process = gunicorn(
        "--bind",
        address.format(folder=tmp_path),
        "--error-logfile",
        str(log),
        WEB_WORKERS="1",
        **environment,
    )
    try:
        wait_for(lambda: log.exists() and "Booting worker" in log.read_text())
    finally:
        process.terminate()
        process.communicate(timeout=600)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("host", "words"), [("0.0.0.0", "--allow-direct-exposure"), ("no-such-host.invalid", "--host")]
)
def test_run_refuses_before_it_does_anything_else(host, words, monkeypatch):
    monkeypatch.delenv("SERVE", raising=False)
    with pytest.raises(CommandError, match=words):
        call_command("run", host=host)
