"""Read label files: JSON documents `{annotator: {item: label}}`.

People's labels and the outputs of judges have this form. A label is text (a category) or a number
(a grade).
"""

from __future__ import annotations

import math
from pathlib import Path

from concord.formats.errors import Problems, json_path_part, quote
from concord.formats.fields import json_type
from concord.formats.files import open_files, unreadable_error
from concord.formats.limits import Limits
from concord.formats.report import FileReport, ReportCallback

Label = str | float
AnnotatorLabels = dict[str, dict[str, Label]]


def read_labels(
    path: str | Path,
    *,
    graded: bool = False,
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
) -> AnnotatorLabels:
    """The labels of each annotator, by item, in the order of the file.

    With `graded`, every label is a finite number. Otherwise a label is text or a whole number,
    which becomes text: 1 and "1" are one category. Raises FormatError, which names each label that
    is neither, and for a file that has no annotator, or an annotator without items.
    """
    problems = Problems()
    path = Path(path)
    try:
        (file,) = open_files([path], limits or Limits())
        document = file.document(problems)
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    expected = "{annotator: {item: label}} is expected"
    if type(document) is not dict:
        raise problems.fatal(file.name, None, None, f"is {json_type(document)}; {expected}")
    if not document:
        raise problems.fatal(file.name, None, None, f"has no annotator; {expected}")
    labels: AnnotatorLabels = {}
    for annotator, items in document.items():
        field = json_path_part(annotator)
        if type(items) is not dict:
            problems.add(file.name, None, field, f"is {json_type(items)}; {expected}")
        elif not items:
            problems.add(file.name, None, field, "has no labels")
        else:
            labels[annotator] = {}
            for item, value in items.items():
                label = grade(value) if graded else category(value)
                if label is None:
                    kind = "a finite number" if graded else "text or a whole number"
                    shown = quote(value) if type(value) is str else json_type(value)
                    name = f"{field}.{json_path_part(item)}"
                    problems.add(file.name, None, name, f"is {shown}; {kind} is expected")
                else:
                    labels[annotator][item] = label
    problems.raise_if_any()
    if on_report is not None:
        read = sum(map(len, labels.values()))
        columns = {"*": "rater", "*.*": "label of an item"}
        on_report(FileReport([file.name], "labels", "labels", read, columns))
    return labels


def grade(value: object) -> float | None:
    """The value as a finite float, or None."""
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def category(value: object) -> str | None:
    """A category: text that is not blank, or a whole number as text; None for anything else."""
    if type(value) is int:
        return str(value)
    return value if type(value) is str and value.strip() else None
