"""The judges of a command: raters of the file that are judges, and judges' own files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from concord.cli.files import print_report
from concord.formats import detect_judgments
from concord.formats.judged_files import is_judgments, kind_of_file, read_answers
from concord.formats.score_writer import read_signatures
from concord.formats.scores import read_scores
from concord.frames import (
    FrameError,
    criteria_scores,
    has_only_criteria,
    read_judgment_file,
    to_frame,
)
from concord.judged_frames import Join, JudgedFrame, with_answers, with_judged_frame


def add_judge_file(
    judged: JudgedFrame, path: Path, names: Sequence[str], *, graded: bool = True
) -> JudgedFrame:
    """Add the judges of a file: a judge's answers, or judgments of which `names`, or all raters,
    are judges. Raises FormatError, FrameError."""
    kind = kind_of_file(path)
    if kind == "labels":
        raise FrameError(f"{path} has labels; a judge's answers or judgments are expected")
    if kind == "answers":
        answers = read_answers(path, graded=graded, on_report=print_report)
        return with_answers(judged, _chosen(answers, names, path))
    file = read_judgment_file(path, detect_judgments(path))
    print_report(file.report)
    if has_only_criteria(file):
        return with_answers(judged, _chosen(criteria_scores(file), names, path))
    return with_judged_frame(judged, to_frame(file), names, default=path.stem)


def print_join(join: Join | None) -> None:
    """Print on standard error how two files were joined, if anything was left out."""
    if join is not None and not join.is_complete:
        for line in join.lines():
            print(line, file=sys.stderr)


def read_score_files(judged: JudgedFrame, paths: Sequence[Path]) -> pd.DataFrame:
    """The judges of a frame and those of files, one column each, in the frame's order: files of
    scores, or of judgments, whose raters are judges. A name that occurs twice has its file's name
    before it. `attrs["signatures"]` has those that lie beside the files. Prints on standard error
    what was not joined. Raises FormatError, FrameError."""
    signatures: dict[str, str] = {}
    columns = {str(name): judged.judges[name] for name in judged.judges.columns}
    people = JudgedFrame(judged.people, pd.DataFrame(index=judged.judges.index))
    for path in paths:
        if is_judgments([path]):
            added = add_judge_file(people, path, [])
        else:
            added = with_answers(people, read_scores(path, on_report=print_report))
        print_join(added.join)
        table, of_file = added.judges, read_signatures(path)
        for name in table.columns:
            key = str(name) if str(name) not in columns else f"{path.stem}:{name}"
            columns[key] = table[name]
            if str(name) in of_file:
                signatures[key] = of_file[str(name)]
    result = pd.DataFrame(columns, index=pd.Index(judged.people["id"]))
    result.attrs["signatures"] = signatures
    return result


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
