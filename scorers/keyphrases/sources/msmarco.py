"""MS MARCO Q&A 2.1 (Bajaj et al., 2016): answers that occur in a selected passage.

Published formats: one JSON object of columns (`{"query": {"0": ...}, "answers": {...}, "passages":
{...}}`), and JSON Lines of `{"query", "query_id", "answers": [...], "passages": [{"passage_text",
"is_selected"}, ...]}`. Questions without an answer ("No Answer Present."), yes/no questions, and
answers that occur word for word in no selected passage are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import json_document, text_lines
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport, find_occurrences

_NO_ANSWER = "no answer present."


def read(path: Path, report: ReadReport) -> Iterator[QuestionAnswer]:
    """The questions of a file; a group is a passage."""
    for where, row in _rows(path):
        try:
            question = _question(row, report)
        except (KeyError, TypeError, AttributeError) as error:
            raise FileError(f"{path}, {where}: not MS MARCO's format: {error!r}") from None
        if question is not None:
            report.read += 1
            yield question


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    _, first = next(text_lines(path), (0, ""))
    try:
        row = json.loads(first)
    except ValueError:
        row = None
    if isinstance(row, dict) and isinstance(row.get("query"), str):
        for number, line in text_lines(path):
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as error:
                raise FileError(f"{path}, line {number}: not JSON: {error}") from None
        return
    columns = json_document(path)
    try:
        for key in columns["query"]:
            yield f"query {key}", {name: column[key] for name, column in columns.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(f"{path} is not an MS MARCO file: {error!r}") from None


def _question(row: dict[str, Any], report: ReadReport) -> QuestionAnswer | None:
    answers = [answer for answer in row["answers"] if answer.strip().lower() != _NO_ANSWER]
    if not answers:
        report.left_out["without an answer"] += 1
        return None
    if all(answer.strip(" .").lower() in ("yes", "no") for answer in answers):
        report.left_out["yes/no"] += 1
        return None
    for passage in row["passages"]:
        if not passage.get("is_selected"):
            continue
        text: str = passage["passage_text"]
        occurrences = [find_occurrences(text, answer.rstrip(" .")) for answer in answers]
        answer_spans = tuple((spans[0],) for spans in occurrences if spans)
        if answer_spans:
            return QuestionAnswer(row["query"], text, answer_spans, text)
    report.left_out["answer not in a selected passage"] += 1
    return None
