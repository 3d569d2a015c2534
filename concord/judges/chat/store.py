"""Stored answers: one JSON line for each, written as soon as it arrives."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from concord.formats.errors import FormatError, Problem


class StoredAnswer(TypedDict):
    """One answer. key: a hash of all that fixes the request. scores: {name: score or null}, so
    that the file is one of scores. charged: [prompt, completion] tokens that the budget has. spans:
    [start, end, severity] of each error, in characters [start, end) of the candidate. by_schema:
    whether the answer is by JSON schema. content: a hash of the request alone, by which an equal
    request about another candidate copies the answer."""

    id: str
    key: str
    scores: dict[str, float | None]
    label: int | None
    invalid: str
    raw: str
    model: str
    charged: list[int]
    seconds: float
    date: str
    content: NotRequired[str]
    spans: NotRequired[list[list[Any]]]
    by_schema: NotRequired[bool]


class AnswerStore:
    """Two files that are only appended to: answers, and beside them a journal of requests.

    The journal (`OUT.jsonl.requests`) has a line before each request and one for a request that
    cost nothing, so that a killed run knows what it may have paid for. reuse: other files of
    answers that may be copied. by_content: the answers that may be, by `content`.
    """

    def __init__(self, path: Path, reuse: Sequence[Path] = ()) -> None:
        self.path, self.journal = path, path.with_name(f"{path.name}.requests")
        self.answers: dict[str, StoredAnswer] = {}
        self.by_content: dict[str, StoredAnswer] = {}
        self._lock = threading.Lock()
        for row in _complete_lines(path):
            self._keep(cast(StoredAnswer, row))
        for other in reuse:
            for row in _complete_lines(other):
                if "content" in row:
                    self.by_content.setdefault(row["content"], cast(StoredAnswer, row))
        self._lost: dict[str, list[tuple[int, int]]] = {}
        for row in _complete_lines(self.journal):
            charges = self._lost.setdefault(row["key"], [])
            if "charged" in row:
                charges.append((row["charged"][0], row["charged"][1]))
            else:
                charges.pop()
        for key in self.answers.keys() & self._lost.keys():
            self._lost[key].pop()

    @property
    def lost(self) -> list[tuple[int, int]]:
        """The charges of earlier requests whose answers were lost."""
        return [charge for charges in self._lost.values() for charge in charges]

    def add_request(self, key: str, charged: tuple[int, int]) -> None:
        """Store that a request is about to be sent."""
        self._append(self.journal, {"key": key, "charged": list(charged)})

    def add_free_request(self, key: str) -> None:
        """Store that the last request with this key cost nothing."""
        self._append(self.journal, {"key": key})

    def add_answer(self, answer: StoredAnswer) -> None:
        """Append an answer. It is on disk when this returns."""
        self._append(self.path, dict(answer))
        self._keep(answer)

    def _keep(self, answer: StoredAnswer) -> None:
        self.answers[answer["key"]] = answer
        if "content" in answer:
            self.by_content.setdefault(answer["content"], answer)

    def _append(self, path: Path, row: dict[str, Any]) -> None:
        line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode()
        with self._lock, path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def _complete_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; a last line that was not written to its end is cut off.

    Raises FormatError for a line that is not the store's.
    """
    if not path.exists():
        return []
    content = path.read_bytes()
    complete = content.rfind(b"\n") + 1
    if complete < len(content):
        with path.open("r+b") as file:
            file.truncate(complete)
    rows = []
    for number, line in enumerate(content[:complete].splitlines(), start=1):
        try:
            row = json.loads(line)
            if type(row["key"]) is not str:
                raise TypeError("the key is not text")
            rows.append(row)
        except (ValueError, KeyError, TypeError) as error:
            message = f"is no stored answer ({error!r}); choose another file"
            raise FormatError([Problem(str(path), number, None, message)]) from error
    return rows
