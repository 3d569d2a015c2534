r"""MultiRC (Khashabi et al., 2018): questions with one or more right answers.

Two published formats: the authors' JSON, `{"data": [{"id", "paragraph": {"text", "questions":
[{"question", "answers": [{"text", "isAnswer"}]}]}}]}`, whose text has HTML tags and sentence
numbers; and SuperGLUE's JSON Lines, `{"idx", "passage": {"text", "questions": [{"question",
"answers": [{"text", "label"}]}]}}`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import json_document, json_lines, text_lines
from scorers.multiple_choice.records import ChoiceQuestion

_SENTENCE = re.compile(r"<b>\s*Sent \d+:\s*</b>|<br\s*/?>", re.IGNORECASE)
_MARK = re.compile(r"</?[a-zA-Z][^<>]*>")


def read(path: Path) -> Iterator[ChoiceQuestion]:
    """All questions of a file."""
    for where, group, body in _paragraphs(path):
        if not isinstance(body, dict) or not isinstance(body.get("text"), str):
            raise FileError(f"{where}, field text: must be a string")
        passage = _plain(body["text"])
        questions = body.get("questions")
        if not isinstance(questions, list):
            raise FileError(f"{where}, field questions: must be a list")
        for question in questions:
            yield _question(question, where, passage, group)


def _paragraphs(path: Path) -> Iterator[tuple[str, str, Any]]:
    first = next(text_lines(path), (1, ""))[1]
    try:
        row = json.loads(first)
    except (json.JSONDecodeError, RecursionError):
        row = None
    if isinstance(row, dict) and "passage" in row:
        for number, where, row in json_lines(path):
            if not isinstance(row, dict):
                raise FileError(f"{where}: must be a JSON object")
            yield where, str(row.get("idx", number)), row.get("passage")
        return
    document = json_document(path)
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list):
        raise FileError(f"{path} is not a MultiRC file: it has neither data nor passages")
    for index, entry in enumerate(data):
        if not isinstance(entry, dict):
            raise FileError(f"{path}, data[{index}]: must be an object")
        yield f"{path}, data[{index}]", str(entry.get("id", index)), entry.get("paragraph")


def _question(question: Any, where: str, passage: str, group: str) -> ChoiceQuestion:
    answers = question.get("answers") if isinstance(question, dict) else None
    if not isinstance(answers, list) or not isinstance(question.get("question"), str):
        raise FileError(f"{where}: a question must have a text and answers")
    is_right: dict[str, bool] = {}
    for answer in answers:
        right = answer.get("isAnswer", answer.get("label")) if isinstance(answer, dict) else None
        if right not in (0, 1) or not isinstance(answer.get("text"), str):
            raise FileError(f"{where}: an answer must have a text and say whether it is right")
        is_right[answer["text"]] = is_right.get(answer["text"], False) or bool(right)
    return ChoiceQuestion(
        passage,
        question["question"],
        tuple(text for text, right in is_right.items() if right),
        tuple(text for text, right in is_right.items() if not right),
        group,
        several=True,
    )


def _plain(text: str) -> str:
    return " ".join(html.unescape(_MARK.sub(" ", _SENTENCE.sub(" ", text))).split())
