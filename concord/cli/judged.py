"""The judges of a command: raters of the file that are judges, and judges' own files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from concord.cli.files import print_report
from concord.formats import detect_judgments
from concord.formats.detection import detect_formats
from concord.formats.files import TEXT, SourceFile, first_line, open_files, unreadable_error
from concord.formats.judge_answers import by_candidate, read_judge_answers
from concord.formats.limits import Limits
from concord.formats.scores import read_scores
from concord.formats.tables import TABLE_FILES
from concord.frames import FrameError, read_judgments
from concord.judged_frames import Join, JudgedFrame, with_answers, with_judged_frame

FileKind = Literal["labels", "answers", "judgments"]


def add_judges(parser: Any) -> None:
    """Add the option --judge."""
    parser.add_argument(
        "--judge",
        dest="judges",
        metavar="NAME",
        action="append",
        default=[],
        help="a rater of the file who is a judge, and not one of the people; can be repeated",
    )


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
    return "judgments" if is_line or detect_formats(file.head) else "labels"


def is_judgments(paths: Sequence[Path]) -> bool:
    """Whether the first file has candidates, one an object, and not pairs."""
    if paths[0].is_dir():
        return True
    file = _opened(paths[0])
    found = detect_formats(file.head) if file.kind == TEXT else []
    is_line = '"candidate"' in file.head and '"candidate1"' not in file.head
    return is_line or any(one.kind == "judgments" for one in found)


def read_answers(path: Path, *, graded: bool) -> pd.DataFrame:
    """The judges of a file of answers, one column each, the candidates' ids as index.

    Lines of `concord judge` name their judge; others have that of the file. Without `graded` the
    labels that a model wrote count, and not the scores that log-probabilities weigh. Several
    answers about a candidate count with their mean. Raises FormatError.
    """
    if '"scores"' in _opened(path).head:
        return read_scores(path, on_report=print_report, labels=not graded)
    scores = {
        key: [one.score for one in answers if one.score is not None]
        for key, answers in by_candidate(read_judge_answers(path).answers)
    }
    means = {key: float(np.mean(one)) if one else np.nan for key, one in scores.items()}
    return pd.DataFrame({path.stem: means}, dtype=np.float64)


def add_judge_file(
    judged: JudgedFrame, path: Path, names: Sequence[str], *, graded: bool = True
) -> JudgedFrame:
    """Add the judges of a file: a judge's answers, or judgments of which `names`, or all raters,
    are judges. Raises FormatError, FrameError."""
    kind = kind_of_file(path)
    if kind == "labels":
        raise FrameError(f"{path} has labels; a judge's answers or judgments are expected")
    if kind == "answers":
        answers = read_answers(path, graded=graded)
        return with_answers(judged, _chosen(answers, names, path))
    frame = read_judgments(path, detect_judgments(path))
    print_report(frame.attrs["report"])
    return with_judged_frame(judged, frame, names, default=path.stem)


def print_join(join: Join | None) -> None:
    """Print on standard error how two files were joined, if anything was left out."""
    if join is not None and not join.is_complete:
        for line in join.lines():
            print(line, file=sys.stderr)


def read_score_files(judged: JudgedFrame, paths: Sequence[Path]) -> pd.DataFrame:
    """The judges of a frame and those of files, one column each, in the frame's order: files of
    scores, or of judgments, whose raters are judges. A name that occurs twice has its file's name
    before it. Prints on standard error what was not joined. Raises FormatError, FrameError."""
    columns = {str(name): judged.judges[name] for name in judged.judges.columns}
    people = JudgedFrame(judged.people, pd.DataFrame(index=judged.judges.index))
    for path in paths:
        if is_judgments([path]):
            added = add_judge_file(people, path, [])
        else:
            added = with_answers(people, read_scores(path, on_report=print_report))
        print_join(added.join)
        table = added.judges
        for name in table.columns:
            key = str(name) if str(name) not in columns else f"{path.stem}:{name}"
            columns[key] = table[name]
    return pd.DataFrame(columns, index=pd.Index(judged.people["id"]))


def _opened(path: Path) -> SourceFile:
    try:
        (file,) = open_files([path], Limits(), TABLE_FILES)
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    return file


def _chosen(answers: pd.DataFrame, names: Sequence[str], path: Path) -> pd.DataFrame:
    if unknown := [name for name in names if name not in answers.columns]:
        known = ", ".join(map(str, answers.columns))
        raise FrameError(f"{path} has no judge {', '.join(unknown)}; its judges are {known}")
    return answers[list(names)] if names else answers


def no_judges_error(frame: pd.DataFrame) -> FrameError:
    """The error of a command that needs judges."""
    raters = dict.fromkeys(one["worker"] for ratings in frame["ratings"] for one in ratings)
    shown = ", ".join(list(raters)[:12]) + (", ..." if len(raters) > 12 else "")
    return FrameError(f"which raters are judges? Name them with --judge; the raters are {shown}")
