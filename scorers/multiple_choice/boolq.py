"""BoolQ (Clark et al., 2019): JSON Lines of yes/no questions.

A line has `question`, `passage` and `answer` (true or false; `label` in SuperGLUE's copy).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import text_lines
from scorers.multiple_choice.records import ChoiceQuestion


def read(path: Path) -> Iterator[ChoiceQuestion]:
    """Each line as a question with the answers "yes" and "no"."""
    for number, line in text_lines(path):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FileError(f"{where}: is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise FileError(f"{where}: must be a JSON object")
        answer = row.get("answer", row.get("label"))
        if not isinstance(answer, bool):
            raise FileError(f"{where}, field answer: must be true or false")
        for name in ("question", "passage"):
            if not isinstance(row.get(name), str):
                raise FileError(f"{where}, field {name}: must be a string")
        yes_no = ("yes", "no") if answer else ("no", "yes")
        yield ChoiceQuestion(
            row["passage"], row["question"], yes_no[:1], yes_no[1:], row["passage"]
        )
