"""A server of the OpenAI chat protocol, whose model gives the length of the answer as its label."""

from __future__ import annotations

import html
import json
import math
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = re.compile(r"<answer1?>(.*?)</answer1?>", re.DOTALL)  # the first of two


class ChatServer:
    """Counts what it is asked. `faults` are answered first: a status, "cut", "slow" (after
    `slow_seconds`, which is after the client has given up) or a body.
    takes_schema: whether it answers by JSON schema, or refuses a request with one by 400."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.answered: list[str] = []
        self.keys: set[str] = set()
        self.faults: list[Any] = []
        self.tokens = 0
        self.logprobs = True
        self.usage = True
        self.model = "made-up-1"
        self.takes_schema = True
        self.pause = 0.0
        self.slow_seconds = 1.0
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                server.answer(self)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def label(self, prompt: str) -> str:
        """From 1 to 5: the number of words of the candidate, at most 5."""
        answer = html.unescape(ANSWER.search(prompt)[1])
        return str(min(5, max(1, len(answer.split()))))

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        prompt = body["messages"][0]["content"]
        with self.lock:
            self.requests.append(body)
            self.keys.add(request.headers.get("Authorization", ""))
            fault = self.faults.pop(0) if self.faults else None
        if "response_format" in body and not self.takes_schema:
            fault = 400
        time.sleep(self.slow_seconds if fault == "slow" else self.pause)
        if isinstance(fault, int):
            request.send_response(fault)
            request.send_header("Content-Length", "0")
            if fault == 429:
                request.send_header("Retry-After", "0")
            request.end_headers()
            return
        content = json.dumps(fault if isinstance(fault, dict) else self.body(body, prompt))
        if fault == "cut":
            content = content[: len(content) // 2]
        data = content.encode()
        with self.lock:
            self.answered.append(ANSWER.search(prompt)[1])
            self.tokens += sum(self.counts(prompt))
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        with suppress(ConnectionError):  # of a client that has given up
            request.wfile.write(data)

    def counts(self, prompt: str) -> tuple[int, int]:
        """A token is four bytes, rounded up."""
        return -(-len(prompt.encode()) // 4), 1

    def body(self, asked: dict[str, Any], prompt: str) -> dict[str, Any]:
        label = self.label(prompt)
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": self.content(asked, label)},
        }
        if asked.get("logprobs") and self.logprobs:
            other = "1" if label != "1" else "2"
            tops = [(label, 0.75), (other, 0.15), ("maybe", 0.1)]
            choice["logprobs"] = {
                "content": [
                    {"token": "", "logprob": 0.0, "top_logprobs": [{"token": "", "logprob": 0.0}]},
                    {
                        "token": label,
                        "logprob": math.log(0.75),
                        "top_logprobs": [
                            {"token": token, "logprob": math.log(p)} for token, p in tops
                        ],
                    },
                ]
            }
        reply: dict[str, Any] = {"model": self.model, "choices": [choice]}
        if self.usage:
            prompt_tokens, completion = self.counts(prompt)
            reply["usage"] = {"prompt_tokens": prompt_tokens, "completion_tokens": completion}
        return reply

    def content(self, asked: dict[str, Any], label: str) -> str:
        """The label, by the request's schema if it has one."""
        if "response_format" not in asked:
            return label
        schema = asked["response_format"]["json_schema"]["schema"]
        values = {"explanation": "Because.", "score": int(label), "errors": []}
        return json.dumps({name: values[name] for name in schema["required"]})
