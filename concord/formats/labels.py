"""Read label files: JSON documents `{annotator: {item: label}}`.

People's labels and the outputs of judges have this form. A label is text (a category) or a number
(a grade).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from concord.formats.choices import BOTH_BAD, AnswerCounts, tie_of
from concord.formats.errors import json_path_part, quote
from concord.formats.fields import json_type, number_in, storage_fault
from concord.formats.files import reading
from concord.formats.limits import Limits
from concord.formats.report import FileReport, ReportCallback
from concord.formats.value_words import is_missing

# What to do with a decimal where categories are expected.
NOT_GRADED = (
    "text or a whole number is expected; for numbers on a scale use --graded (in Python: "
    "graded=True)"
)

Label = str | float
AnnotatorLabels = dict[str, dict[str, Label]]


def label_key(label: str) -> str:
    """What two labels share that are one: the text without outer spaces and without case."""
    return label.strip().casefold()


@dataclass
class LabelMap:
    """Labels that are read as others, such as yes as 1. `unused`: those that no file had so far."""

    targets: dict[str, str] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Iterable[str]) -> LabelMap:
        """The map of texts such as "yes=1". Raises ValueError for another text, and for a label
        that is read as two."""
        result = cls()
        for text in texts:
            name, _, target = text.partition("=")
            if not name.strip() or not target.strip():
                raise ValueError(f"'{text}' maps no label: write LABEL=OTHER, such as yes=1")
            if result.targets.setdefault(label_key(name), target.strip()) != target.strip():
                raise ValueError(f"'{name.strip()}' is mapped to two labels")
            result.unused[label_key(name)] = name.strip()
        return result

    def apply(self, value: object) -> object:
        """The value, or the label as which it is read."""
        text = str(value) if type(value) is float and not value.is_integer() else category(value)
        key = None if text is None else label_key(text)
        if key is None or key not in self.targets:
            return value
        self.unused.pop(key, None)
        return self.targets[key]


@dataclass
class TieCounter:
    """Counts the ties and invalid answers of each annotator, and says as what they are read.

    leave_out_both_bad: "both bad" is then no label; otherwise it is a tie.
    """

    leave_out_both_bad: bool = False
    counts: dict[str, AnswerCounts] = field(default_factory=dict)

    def count(self, annotator: str, label: Label | None) -> Label | None:
        """Count a label, None for an invalid answer; returns the label as which it counts."""
        tie = tie_of(label) if isinstance(label, str) else None
        one = AnswerCounts(1, int(tie == "tie"), int(tie == BOTH_BAD), int(label is None))
        self.counts[annotator] = self.counts.get(annotator, AnswerCounts()) + one
        if tie is None:
            return label
        return None if tie == BOTH_BAD and self.leave_out_both_bad else "tie"

    @property
    def total(self) -> AnswerCounts:
        """The counts of all annotators."""
        return sum(self.counts.values(), AnswerCounts())


def read_labels(
    path: str | Path,
    *,
    graded: bool = False,
    label_map: LabelMap | None = None,
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
    ties: TieCounter | None = None,
) -> AnnotatorLabels:
    """The labels of each annotator, by item, in the order of the file.

    With `graded`, every label is a finite number, also one that is written as text. Otherwise a
    label is text or a whole number, which becomes text: 1, 1.0 and "1" are one category, and so are
    all words for a tie (`concord.formats.choices`). Null is an invalid answer and no label, and so
    is a word such as NA (`concord.formats.value_words`). Labels of `label_map` are read as others.
    `ties` counts ties and invalid answers. Raises FormatError, which names each label that is
    neither, and for a file that has no annotator, or an annotator without labels.
    """
    label_map, ties = label_map or LabelMap(), ties or TieCounter()
    with reading(path, limits) as (file, problems):
        document = file.document(problems)
    expected = "{annotator: {item: label}} is expected"
    if type(document) is not dict:
        raise problems.fatal(file.name, None, None, f"is {json_type(document)}; {expected}")
    if not document:
        raise problems.fatal(file.name, None, None, f"has no annotator; {expected}")
    labels: AnnotatorLabels = {}
    for annotator, items in document.items():
        place = json_path_part(annotator)
        names = [annotator, *items] if type(items) is dict else [annotator]
        if fault := next(filter(None, map(storage_fault, names)), None):
            problems.add(file.name, None, place, fault)
        elif type(items) is not dict:
            problems.add(file.name, None, place, f"is {json_type(items)}; {expected}")
        elif not items:
            problems.add(file.name, None, place, "has no labels")
        else:
            labels[annotator] = {}
            for item, value in items.items():
                mapped = label_map.apply(value)
                label, fault = read_label(mapped, graded=graded)
                if mapped is value and is_missing(value):
                    label, fault = None, ""
                if fault:
                    problems.add(file.name, None, f"{place}.{json_path_part(item)}", fault)
                elif (read := ties.count(annotator, label)) is not None:
                    labels[annotator][item] = read
            if all(value is None for value in items.values()):
                problems.add(file.name, None, place, "has no label but null")
    problems.raise_if_any()
    if on_report is not None:
        count = sum(map(len, labels.values()))
        columns = {"*": "rater", "*.*": "label of an item"}
        on_report(FileReport([file.name], "labels", "labels", count, columns))
    return labels


def labels_of(
    values: Mapping[str, Mapping[str, float]],
    *,
    graded: bool = False,
    label_map: LabelMap | None = None,
    ties: TieCounter | None = None,
) -> AnnotatorLabels:
    """As `read_labels`, from the ratings of each annotator by item. Raises ValueError, which names
    the rating that is no label."""
    label_map, ties = label_map or LabelMap(), ties or TieCounter()
    labels: AnnotatorLabels = {name: {} for name in values}
    for name, of_annotator in values.items():
        for item, value in of_annotator.items():
            label, fault = read_label(label_map.apply(value), graded=graded)
            if fault:
                raise ValueError(f"the rating of '{name}' for '{item}' {fault}")
            if (counted := ties.count(name, label)) is not None:
                labels[name][item] = counted
    return labels


def read_label(value: object, *, graded: bool) -> tuple[Label | None, str]:
    """(label, why the value is none). None for null, which is an invalid answer."""
    if value is None:
        return None, ""
    if graded:
        number = number_in(value)
        return (0.0, number) if isinstance(number, str) else (number, "")
    text = category(value)
    if text is not None:
        return text, ""
    shown = quote(value) if type(value) is str else json_type(value)
    if type(value) is float:
        return "", f"is {value}; {NOT_GRADED}"
    return "", f"is {shown}; text or a whole number is expected"


def category(value: object) -> str | None:
    """A category: text that is not blank, or a whole number as text, 1.0 as "1"; None for anything
    else."""
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is int:
        return str(value)
    return value if type(value) is str and value.strip() else None
