"""Reader of score files: one candidate a line, `{"id": ..., "scores": {metric: number}}`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from concord.formats.errors import Problems, json_path_part
from concord.formats.fields import json_type
from concord.formats.files import open_files, unreadable_error
from concord.formats.labels import grade
from concord.formats.limits import Limits


def read_scores(path: str | Path, *, limits: Limits | None = None) -> pd.DataFrame:
    """One float64 column for each metric, with the ids of candidates as index, in file order.

    Other fields of a line, such as those of `manage.py export_scores`, are ignored; null is a
    missing score (NaN). Raises FormatError for lines without an id or scores, an id that occurs
    twice, and a score that is neither a finite number nor null.
    """
    path, limits, problems = Path(path), limits or Limits(), Problems()
    rows: dict[str, dict[str, float]] = {}
    try:
        (file,) = open_files([path], limits)
        for line, row in file.objects(problems):
            key, scores = row.get("id"), row.get("scores")
            if type(key) is not str:
                problems.add(file.name, line, "id", f"is {json_type(key)}; text is expected")
                continue
            if key in rows:
                problems.add(file.name, line, "id", f"{key!r} occurs twice")
                continue
            if len(rows) >= limits.max_rows:
                raise problems.fatal(file.name, line, None, f"more than {limits.max_rows:,} lines")
            rows[key] = {}
            if type(scores) is not dict:
                message = f"is {json_type(scores)}; {{metric: number}} is expected"
                problems.add(file.name, line, "scores", message)
                continue
            for name, value in scores.items():
                number = np.nan if value is None else grade(value)
                if number is None:
                    field = f"scores.{json_path_part(name)}"
                    problems.add(file.name, line, field, "is no finite number")
                else:
                    rows[key][name] = number
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    problems.raise_if_any()
    if not rows:
        raise problems.fatal(file.name, None, None, "has no line with scores")
    return pd.DataFrame.from_dict(rows, orient="index", dtype=np.float64)
