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
    takes_schema: whether it answers by JSON schema, or refuses a request with one by 400.

    `files` and `batches` by id. open_batches: how often a batch is said to be in progress first.
    lost_batches: how many are made without an answer. batch_faults: statuses of its requests."""

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
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.open_batches = 0
        self.lost_batches = 0
        self.batch_faults: list[int] = []
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                if self.path == "/v1/files":
                    server.add_file(self)
                elif self.path == "/v1/batches":
                    server.add_batch(self)
                else:
                    server.answer(self)

            def do_GET(self) -> None:
                server.read_batches(self)

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

    def add_file(self, request: BaseHTTPRequestHandler) -> None:
        """Store the file of a form; its lines are those that are JSON."""
        body = request.rfile.read(int(request.headers["Content-Length"]))
        name = f"file-{len(self.files)}"
        self.files[name] = b"\n".join(one for one in body.splitlines() if one.startswith(b"{"))
        send_json(request, {"id": name})

    def add_batch(self, request: BaseHTTPRequestHandler) -> None:
        """Answer all requests of a file; those of `batch_faults` by a status."""
        asked = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        lines, name = [], f"batch-{len(self.batches)}"
        for line in self.files[asked["input_file_id"]].splitlines():
            one = json.loads(line)
            self.requests.append(one["body"])
            status = self.batch_faults.pop(0) if self.batch_faults else 200
            body = self.body(one["body"], one["body"]["messages"][0]["content"])
            response = {"status_code": status, "body": body if status == 200 else {}}
            lines.append(json.dumps({"custom_id": one["custom_id"], "response": response}))
        self.files[f"{name}-out"] = "\n".join(reversed(lines)).encode()
        self.batches[name] = {"id": name, "metadata": asked["metadata"], "left": self.open_batches}
        if self.lost_batches:
            self.lost_batches -= 1
            request.connection.close()
        else:
            send_json(request, self.batch(name))

    def batch(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        if batch["left"]:
            batch["left"] -= 1
            return batch | {"status": "in_progress"}
        return batch | {"status": "completed", "output_file_id": f"{name}-out"}

    def read_batches(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0].removeprefix("/v1/")
        if path == "batches":
            send_json(request, {"data": [self.batch(name) for name in self.batches]})
        elif path.startswith("batches/"):
            send_json(request, self.batch(path.removeprefix("batches/")))
        else:
            send_bytes(request, self.files[path.split("/")[1]])

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


def send_json(request: BaseHTTPRequestHandler, body: object) -> None:
    send_bytes(request, json.dumps(body).encode())


def send_bytes(request: BaseHTTPRequestHandler, data: bytes) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)
