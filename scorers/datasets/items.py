"""The file of the command line: candidates to score, as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concord.documents.conversation import Conversation, question_of
from concord.formats.conversations import read_answer, read_conversation
from concord.formats.errors import Problems
from concord.formats.fields import Fields
from concord.formats.limits import Limits
from concord.formats.report import FileReport, ReportCallback
from concord.metrics.items import Item
from scorers.errors import FileError

_MAX_ERRORS = 20
_MEANINGS = {name: name for name in ("id", "candidate", "question", "passage", "short_answer")}
_MEANINGS |= {"references": "reference", "messages": "messages", "judged": "judged"}


@dataclass
class _ItemReader:
    path: Path
    needs: Collection[str]
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.report = FileReport([str(self.path)], "items")

    def add_error(self, line: int, problem: str, *, name: str | None = None) -> None:
        field_part = f", field {name}" if name else ""
        self.errors.append(f"{self.path}, line {line}{field_part}: {problem}")

    def item(self, number: int, line: bytes) -> tuple[str | int, Item] | None:
        """Parse the candidate on a line. Returns None and adds errors if it is invalid."""
        before = len(self.errors)
        try:
            row = json.loads(line)
        except UnicodeDecodeError as error:
            self.add_error(number, f"is not UTF-8: {error.reason} at byte {error.start}")
            return None
        except (json.JSONDecodeError, RecursionError) as error:
            self.add_error(number, f"is not JSON: {error}")
            return None
        if not isinstance(row, dict):
            self.add_error(number, "must be a JSON object")
            return None
        if not isinstance(row.get("id"), str | int) or isinstance(row.get("id"), bool):
            self.add_error(number, "must be a string or an integer", name="id")
        references = row.get("references")
        if not isinstance(references, list) or not references:
            self.add_error(number, "must be a list of one or more strings", name="references")
        elif not all(isinstance(text, str) for text in references):
            self.add_error(number, "must contain only strings", name="references")
        conversation, texts = self._conversation(number, row)
        row = {**row, **texts}
        candidate = self._text(number, row, "candidate", required=True)
        question = self._text(number, row, "question", required="question" in self.needs)
        passage = self._text(number, row, "passage", required="passage" in self.needs)
        short_answer = self._text(number, row, "short_answer", required=False)
        if len(self.errors) > before:
            return None
        references = tuple(row["references"])
        self.report.see(row, _MEANINGS)
        item = Item(candidate, references, question, passage, short_answer, conversation)
        return row["id"], item

    def _conversation(
        self, number: int, row: dict[str, Any]
    ) -> tuple[Conversation | None, dict[str, str]]:
        """The conversation in place of question and passage, and the texts that metrics read of it;
        None without, and with errors."""
        problems = Problems(_MAX_ERRORS)
        fields = Fields(row, problems, Limits(), str(self.path), number)
        conversation = read_conversation(fields)
        texts = {}
        if conversation is not None:
            texts = {"question": question_of(conversation), "passage": ""}
            texts["candidate"] = read_answer(fields, conversation)
        for problem in problems.shown:
            self.add_error(number, problem.message, name=problem.field)
        return conversation, texts

    def _text(self, number: int, row: dict[str, Any], name: str, *, required: bool) -> str:
        value = row.get(name)
        if value is None and not required:
            return ""
        if isinstance(value, str):
            return value
        self.add_error(number, "is missing" if value is None else "must be a string", name=name)
        return ""


def read_items(
    path: Path, needs: Collection[str], on_report: ReportCallback | None = None
) -> tuple[list[str | int], list[Item]]:
    """Read all candidates of a file and their unique ids; blank lines are skipped.

    `needs` names the required fields besides `id`, `references` and `candidate`. `on_report`
    gets the fields that are read and those that are ignored. Raises FileError
    with a line for each of the first twenty errors, and for a file without candidates.
    """
    reader = _ItemReader(path, needs)
    items: dict[str | int, Item] = {}
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                parsed = reader.item(number, line) if line.strip() else None
                if parsed and parsed[0] in items:
                    reader.add_error(number, f"{parsed[0]!r} occurs twice", name="id")
                elif parsed:
                    items[parsed[0]] = parsed[1]
                if len(reader.errors) >= _MAX_ERRORS:
                    break
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from error
    if reader.errors:
        raise FileError("\n".join(reader.errors[:_MAX_ERRORS]))
    if not items:
        raise FileError(f"{path} has no candidates")
    reader.report.read = len(items)
    if on_report is not None:
        on_report(reader.report)
    return list(items), list(items.values())


def check_folder(out: Path) -> None:
    """Raises FileError if there is no folder for the file to write."""
    if not out.parent.is_dir():
        raise FileError(
            f"{out} cannot be written, because there is no folder {out.parent}: "
            "create it, or choose another --out"
        )
