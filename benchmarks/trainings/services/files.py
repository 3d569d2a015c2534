"""The files that a training is asked for with, as they lie in its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.trainings.services.choices import file_name

# The file of right answers that lies beside MCTest's stories.
ANSWERS = ".ans"


def refuse_answers(format_: str | None, has_answers: bool) -> None:
    """Raises ValueError where MCTest's file of answers is missing, or another format has one."""
    if format_ == "mctest" and not has_answers:
        raise ValueError("MCTest needs its file of answers, the .ans beside the .tsv.")
    if format_ != "mctest" and has_answers:
        raise ValueError("Only MCTest has a file of answers.")


def uploaded(file: Any, answers: Any, read: Callable[[Any], bytes]) -> list[tuple[str, bytes]]:
    """Uploads as (name, content): the answers under the name that the stories' reader looks for."""
    if file is None:
        return []
    name = file_name(file.name)
    found = [(name, read(file))]
    if answers is not None:
        found.append((str(Path(name).with_suffix(ANSWERS)), read(answers)))
    return found
