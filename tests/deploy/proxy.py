"""nginx with the files of deploy/ in front of a web server of a test."""

from __future__ import annotations

import contextlib
import datetime
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import settings

from tests.waiting import wait_for
from tests.web_site import WebSite

DEPLOY = settings.BASE_DIR / "deploy"
UNPACKED = settings.BASE_DIR / ".venv" / "nginx" / "usr" / "sbin" / "nginx"
# As Debian's nginx.conf, but for the folders.
MAIN = """
{user}
worker_processes auto;
pid {folder}/nginx.pid;
daemon off;
error_log {folder}/error.log;
events {{ worker_connections 768; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/responses;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    access_log {folder}/access.log;
    sendfile on;
    gzip on;
    include {folder}/concord.conf;
}}
"""


def find_nginx() -> str:
    """The path of an nginx; skips the test when there is none."""
    for name in (os.environ.get("NGINX", ""), "nginx", "/usr/sbin/nginx", str(UNPACKED)):
        if path := shutil.which(name) if name else None:
            return path
    pytest.skip("nginx is not installed (tests/deploy/install_nginx.sh), and NGINX names none")


def environment() -> dict[str, str]:
    """What deploy/concord.env sets about the way clients reach the site; the host is localhost."""
    lines = (DEPLOY / "concord.env").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    shipped = {name: values[name] for name in ("BEHIND_TLS", "TRUSTED_PROXIES")}
    return shipped | {"ALLOWED_HOSTS": "localhost"}


class Proxy:
    """nginx on free ports of 127.0.0.1, with a certificate made for localhost."""

    host = "127.0.0.1"

    def __init__(self, upstream_port: int, folder: Path) -> None:
        self.binary = find_nginx()
        self.folder = folder
        self.plain_port, self.port = _free_port(), _free_port()
        self._write_configuration(upstream_port)
        _write_certificate(folder)
        self.tls = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self._command())
        wait_for(lambda: _connects(self.port))

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(120)

    def check_configuration(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self._command(), "-t"], capture_output=True, text=True)

    def connect(self, source: str = "127.0.0.1", timeout: float = 600.0) -> ssl.SSLSocket:
        """A TLS connection from `source`, an address of 127.0.0.0/8."""
        plain = self.connect_without_tls(source, timeout)
        try:
            return self.tls.wrap_socket(plain, server_hostname="localhost")
        except OSError:
            plain.close()
            raise

    def connect_without_tls(
        self, source: str = "127.0.0.1", timeout: float = 600.0
    ) -> socket.socket:
        """A connection to the port of TLS, before the handshake."""
        return socket.create_connection(
            (self.host, self.port), timeout=timeout, source_address=(source, 0)
        )

    def request(
        self,
        method: str,
        path: str,
        body: str | None = None,
        headers: dict[str, str] | None = None,
        source: str = "127.0.0.1",
        timeout: float = 600.0,
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Status, headers and text of a response."""
        connection = http.client.HTTPSConnection("localhost", self.port, timeout=timeout)
        with contextlib.closing(connection):
            connection.sock = self.connect(source, timeout)
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def answers(self, source: str = "127.0.0.2", within: float = 5.0) -> float | None:
        """Seconds that the sign-in page takes; None when it does not come within `within`."""
        started = time.monotonic()
        try:
            status, _, _ = self.request("GET", "/sign-in/", source=source, timeout=within)
        except OSError:
            return None
        return time.monotonic() - started if status == 200 else None

    def stored_body_bytes(self) -> int:
        """The size of the request bodies that nginx holds on disk now. Its files have no name:
        they are found by the descriptors of its processes (Linux)."""
        assert self.process is not None
        stored = 0
        for worker in psutil.Process(self.process.pid).children():
            for descriptor in Path(f"/proc/{worker.pid}/fd").iterdir():
                with contextlib.suppress(OSError):  # closed meanwhile
                    if str(self.folder / "body") in os.readlink(descriptor):
                        stored += descriptor.stat().st_size
        return stored

    def _command(self) -> list[str]:
        configuration = str(self.folder / "nginx.conf")
        return [self.binary, "-e", "stderr", "-p", str(self.folder), "-c", configuration]

    def _write_configuration(self, upstream_port: int) -> None:
        """The shipped files, with this test's ports, folder and host."""
        text = (DEPLOY / "nginx" / "concord.conf").read_text()
        for shipped, own, count in (
            ("listen 80;", f"listen {self.host}:{self.plain_port};", 1),
            ("listen 443 ssl;", f"listen {self.host}:{self.port} ssl;", 1),
            ("listen [::]:80;", "", 1),
            ("listen [::]:443 ssl;", "", 1),
            ("server 127.0.0.1:8000;", f"server 127.0.0.1:{upstream_port};", 1),
            ("server_name concord.example.org;", "server_name localhost;", 2),
            ("/etc/letsencrypt/live/concord.example.org/", f"{self.folder}/", 2),
            ("/var/log/nginx/concord.log", f"{self.folder}/concord.log", 1),
        ):
            assert text.count(shipped) == count, shipped
            text = text.replace(shipped, own)
        (self.folder / "concord.conf").write_text(text)
        (self.folder / "concord").mkdir()
        shutil.copy(DEPLOY / "nginx" / "upload_limits.conf", self.folder / "concord")
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "nginx.conf").write_text(MAIN.format(folder=self.folder, user=user))


@contextlib.contextmanager
def site_behind_nginx(
    database_url: str, folder: Path, **options: str
) -> Iterator[tuple[WebSite, Proxy]]:
    """The web server with the shipped environment and `options`, and nginx in front of it."""
    site = WebSite(database_url, folder / "site.log", **environment(), **options)
    proxy = Proxy(site.port, folder)
    site.start()
    try:
        proxy.start()
        wait_for(proxy.answers)  # a busy machine starts the site slowly
        yield site, proxy
    finally:
        proxy.stop()
        site.stop()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _write_certificate(folder: Path) -> None:
    """A self-signed certificate for localhost and its key, in the files of the configuration."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    today = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - day)
        .not_valid_after(today + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
