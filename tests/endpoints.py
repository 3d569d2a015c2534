"""An HTTP server that stands for other people's servers in tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Endpoint:
    """A real HTTP server on this machine.

    answers: functions from the payload to (status, headers, body), or to None for the usual answer.
    Each request uses up one of them; the last one stays.
    requests: the headers and body of each request.
    """

    def __init__(self) -> None:
        self.payloads: list[dict[str, Any]] = []
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[Callable[..., Any]] = [lambda payload: None]
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                body = self.rfile.read(length)
                payload = json.loads(body)
                endpoint.requests.append((dict(self.headers), body))
                endpoint.payloads.append(payload)
                answers = endpoint.answers
                answer = (answers.pop(0) if len(answers) > 1 else answers[0])(payload)
                if answer is None:
                    lengths = [float(len(item["candidate"])) for item in payload["items"]]
                    answer = (200, {}, json.dumps({"scores": lengths}).encode())
                status, headers, content = answer
                self.send_response(status)
                chunks = [content] if isinstance(content, bytes) else content
                if isinstance(content, bytes):
                    self.send_header("Content-Length", str(len(content)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    for chunk in chunks:
                        self.wfile.write(chunk)
                        self.wfile.flush()
                except OSError:
                    pass  # the client has closed the connection

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}/score?key=secret"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
