"""Files of people's and judges' verdicts: what a file is, and the judges of a file of answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from concord.formats.detection import detect_formats
from concord.formats.files import TEXT, SourceFile, first_line, reading
from concord.formats.judge_answers import by_candidate, read_judge_answers
from concord.formats.registry import detect_recipe
from concord.formats.report import ReportCallback
from concord.formats.scores import read_scores
from concord.formats.tables import TABLE_FILES

if TYPE_CHECKING:
    import pandas as pd

FileKind = Literal["labels", "answers", "judgments"]


def kind_of_file(path: Path) -> FileKind:
    """What a file of judgments is: labels `{rater: {item: label}}`, a judge's answers (a line with
    `id` and `scores`, `score` or `label`, and no text), or judgments in any other format."""
    if path.is_dir():
        return "judgments"
    file = _opened(path)
    if file.kind != TEXT or not file.head.lstrip().startswith(("{", "[")):
        return "judgments"
    try:
        row = json.loads(first_line(file.head.lstrip()))
    except (ValueError, RecursionError):
        row = None
    if type(row) is dict and "candidate" not in row:
        is_answer = "id" in row and row.keys() & {"scores", "score", "label"}
        is_header = "id" not in row and row.keys() & {"labels", "scale"}
        if is_answer or (is_header and all(type(row[one]) is list for one in is_header)):
            return "answers"
    if row is None and '"id"' in file.head and '"scores"' in file.head:
        return "answers"  # a first line that is longer than the head
    is_line = type(row) is dict and {"id", "candidate"} <= row.keys()
    if is_line or detect_formats(file.head) or detect_recipe(path) is not None:
        return "judgments"
    return "labels"


def is_judgments(paths: Sequence[Path]) -> bool:
    """Whether the first file has candidates, one an object, and not pairs."""
    if paths[0].is_dir():
        return True
    file = _opened(paths[0])
    found = detect_formats(file.head) if file.kind == TEXT else []
    is_line = '"candidate"' in file.head and '"candidate1"' not in file.head
    if is_line or any(one.kind == "judgments" for one in found):
        return True
    recipe = detect_recipe(paths[0], kind="pairs")
    return recipe is not None and recipe.kind == "judgments"


def read_answers(
    path: Path, *, graded: bool, on_report: ReportCallback | None = None
) -> pd.DataFrame:
    """The judges of a file of answers, one column each, the candidates' ids as index.

    Lines of `concord judge` name their judge; others have that of the file. Without `graded` the
    labels that a model wrote count, and not the scores that log-probabilities weigh. Several
    answers about a candidate count with their mean. Raises FormatError.
    """
    if '"scores"' in _opened(path).head:
        return read_scores(path, on_report=on_report, labels=not graded)
    import pandas as pd

    scores = {
        key: [one.score for one in answers if one.score is not None]
        for key, answers in by_candidate(read_judge_answers(path).answers)
    }
    means = {key: float(np.mean(one)) if one else np.nan for key, one in scores.items()}
    return pd.DataFrame({path.stem: means}, dtype=np.float64)


def _opened(path: Path) -> SourceFile:
    with reading(path, binary=TABLE_FILES) as (file, _):
        return file
