"""RACE (Lai et al., 2017): one JSON document for each passage, in files of one or several lines.

A document has `article`, `questions`, `options` (a list for each question) and `answers` (letters).
A folder stands for all files in it and its subfolders, sorted by name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import text_lines
from scorers.multiple_choice.records import ChoiceQuestion


def read(path: Path) -> Iterator[ChoiceQuestion]:
    """The questions of each document."""
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise FileError(f"the folder {path} has no .txt file")
    for file in files:
        for number, line in text_lines(file):
            where = f"{file}, line {number}"
            try:
                document = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                raise FileError(f"{where}: is not JSON: {error}") from None
            yield from _questions(document, where, f"{file.stem}-{number}")


def _questions(document: Any, where: str, group: str) -> Iterator[ChoiceQuestion]:
    names = ("questions", "options", "answers")
    if not isinstance(document, dict) or not isinstance(document.get("article"), str):
        raise FileError(f"{where}, field article: must be a string")
    lists = [document.get(name) for name in names]
    if not all(isinstance(values, list) for values in lists):
        raise FileError(f"{where}: {', '.join(names)} must be lists")
    questions, options, answers = (list(values or ()) for values in lists)
    if not len(questions) == len(options) == len(answers):
        raise FileError(f"{where}: {', '.join(names)} must have the same length")
    for question, choices, letter in zip(questions, options, answers, strict=True):
        right = ord(letter) - ord("A") if isinstance(letter, str) and len(letter) == 1 else -1
        if not isinstance(choices, list) or not 0 <= right < len(choices):
            raise FileError(f"{where}, field answers: {letter!r} is none of the options")
        if not all(isinstance(text, str) for text in (question, *choices)):
            raise FileError(f"{where}: questions and options must be strings")
        yield ChoiceQuestion(
            document["article"],
            question,
            (choices[right],),
            tuple(choice for index, choice in enumerate(choices) if index != right),
            str(document.get("id", group)),
        )
