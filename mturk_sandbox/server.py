"""The HTTP server: the API at `/`, pages elsewhere. Standard library only."""

from __future__ import annotations

import ipaddress
import re
import sys
import traceback
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from mturk_sandbox.engine import Engine, LostAnswerError
from mturk_sandbox.errors import TurkError
from mturk_sandbox.pages import find_view
from mturk_sandbox.protocol import error_response, read_request
from mturk_sandbox.web import POLICY, WebRequest, WebResponse

MAX_BODY_BYTES = 8 * 2**20
HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:\d{1,5})?|\[[0-9A-Fa-f:]+\](:\d{1,5})?")
COOKIE = "sandbox_worker"


class SandboxServer(ThreadingHTTPServer):
    """Serves the engine of a sandbox, with a thread for each connection."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], engine: Engine) -> None:
        self.engine = engine
        super().__init__(address, Handler)

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Print errors except for closed connections."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            traceback.print_exc()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: SandboxServer
    protocol_version = "HTTP/1.1"
    server_version = "mturk-sandbox"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = 120

    def do_GET(self) -> None:
        self._page(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            self._send(413, "text/plain", b"Too large.", [])
            return
        body = self.rfile.read(int(length))
        if self.headers.get("X-Amz-Target"):
            self._api(body)
        else:
            self._page(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""

    def _url(self) -> str:
        host = self.headers.get("Host", "")
        return f"http://{host}" if HOST.fullmatch(host) else self.server.url

    def _api(self, body: bytes) -> None:
        service = self.headers["X-Amz-Target"].partition(".")[0]
        try:
            request = read_request(dict(self.headers.items()), body)
        except TurkError as error:
            response = error_response(service, error, self.server.engine.clock.now())
        else:
            try:
                response = self.server.engine.handle(request, self._url())
            except LostAnswerError:
                self.close_connection = True
                return
        headers = [("x-amzn-RequestId", response.request_id)]
        if response.error:
            headers.append(("x-amzn-ErrorType", response.error))
        self._send(response.status, response.content_type, response.body, headers)

    def _page(self, body: bytes) -> None:
        parts = urlsplit(self.path)
        kind = self.headers.get("Content-Type", "")
        try:
            form = kind.startswith("application/x-www-form-urlencoded")
            text = body.decode("utf-8", "replace") if form else ""
            fields = parse_qsl(text, keep_blank_values=True, max_num_fields=5000)
            query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=100))
        except ValueError:
            self._send(400, "text/plain", b"That form cannot be read.", [])
            return
        request = WebRequest(
            self.command,
            parts.path,
            query,
            fields,
            body,
            self._worker(),
            self._url(),
            ipaddress.ip_address(self.client_address[0]).is_loopback,
        )
        response = find_view(request)(self.server.engine)
        self._respond(response)

    def _worker(self) -> str:
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return ""
        return cookies[COOKIE].value if COOKIE in cookies else ""

    def _respond(self, response: WebResponse) -> None:
        headers = list(response.headers)
        if not any(name == "Content-Security-Policy" for name, _ in headers):
            headers.append(("Content-Security-Policy", POLICY))
        headers.append(("X-Content-Type-Options", "nosniff"))
        body = response.body.encode("utf-8")
        self._send(response.status, response.content_type, body, headers)

    def _send(
        self, status: int, content_type: str, body: bytes, headers: list[tuple[str, str]]
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        # A single write, because a second one would wait for the acknowledgement of the first.
        self._headers_buffer.append(b"\r\n")  # type: ignore[attr-defined]
        self._headers_buffer.append(body)  # type: ignore[attr-defined]
        self.flush_headers()
