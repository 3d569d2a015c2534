"""The inputs of `concord alt-test`: the labels of people and of judges, from one file or two."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from concord.cli.both_bad import LEAVE_OUT
from concord.cli.files import print_report, read_file
from concord.cli.judged import (
    add_judge_file,
    kind_of_file,
    no_judges_error,
    print_join,
    read_answers,
)
from concord.formats import detect_judgments
from concord.formats.errors import quote_names
from concord.formats.labels import AnnotatorLabels, LabelMap, TieCounter, read_label, read_labels
from concord.formats.numbers import read_number
from concord.frames import cluster_codes, extract_ratings, read_judgments
from concord.judged_frames import (
    Join,
    JudgedFrame,
    count_invalid,
    join_items,
    split_judges,
    with_judged_frame,
)
from concord.reliability import RatingsError


@dataclass
class LabelInputs:
    """people, judges: labels by annotator and item; items are people's. documents: the passage of
    each item, None where it is unknown, or no two items share one. join: of two files."""

    people: AnnotatorLabels
    judges: AnnotatorLabels
    documents: Mapping[str, int] | None = None
    join: Join | None = None


class LabelInputReader:
    """Reads the files of a command line. of_people, of_judges: ties and invalid answers."""

    def __init__(self, parsed: argparse.Namespace) -> None:
        self._parsed = parsed
        self._names: Sequence[str] = parsed.judges
        self._label_map = LabelMap.parse(parsed.label_map)
        leave_out = parsed.both_bad == LEAVE_OUT
        self.of_people, self.of_judges = TieCounter(leave_out), TieCounter(leave_out)

    def read(self) -> LabelInputs:
        """The labels of people and of judges. Prints on standard error what was read, and what was
        not joined. Raises FormatError, FrameError, RatingsError, ValueError."""
        people, *others = self._parsed.files
        if len(others) > 1:
            raise ValueError("give people's file and a judge's, or one file with --judge")
        kind = "judgments" if self._parsed.source else kind_of_file(people)
        if kind == "answers":
            raise ValueError(f"{people} has a judge's answers; people's file is the first one")
        read = self._of_labels if kind == "labels" else self._of_judgments
        inputs = read(people, others[0] if others else None)
        if self._label_map.unused:
            names = quote_names(self._label_map.unused.values())
            raise ValueError(f"--map: neither file has the label {names}")
        print_join(inputs.join)
        if not self._parsed.graded:
            self._hint_at_grades(inputs)
        return inputs

    def _hint_at_grades(self, inputs: LabelInputs) -> None:
        """Say on standard error that decimals that are texts are compared as categories."""
        labels = {str(label) for side in (inputs.people, inputs.judges)
                  for of_annotator in side.values() for label in of_annotator.values()}  # fmt: skip
        numbers = {label: read_number(label) for label in labels}
        decimals = [
            label
            for label, number in numbers.items()
            if isinstance(number, float) and not number.is_integer()
        ]
        if decimals:
            print(
                f"Labels that are decimals are compared as categories: {quote_names(decimals)}. "
                "For numbers on a scale use --graded.",
                file=sys.stderr,
            )

    def _of_labels(self, path: Path, judge_path: Path | None) -> LabelInputs:
        everyone = self._labels(path, self.of_people)
        if judge_path is not None:
            judges = self._judge_labels(judge_path)
            return LabelInputs(everyone, judges, join=join_items(_items(everyone), _items(judges)))
        if not self._names:
            raise ValueError("which raters are judges? Name them with --judge")
        judges = _chosen(everyone, self._names)
        self.of_judges.counts = {name: self.of_people.counts.pop(name) for name in judges}
        people = {name: labels for name, labels in everyone.items() if name not in judges}
        return LabelInputs(people, judges)

    def _of_judgments(self, path: Path, judge_path: Path | None) -> LabelInputs:
        frame = read_file(argparse.Namespace(**{**vars(self._parsed), "files": [path]}))
        if judge_path is None and not self._names:
            raise no_judges_error(frame)
        judged = split_judges(frame, [] if judge_path else self._names)
        is_labels = judge_path is not None and kind_of_file(judge_path) == "labels"
        if judge_path is not None and not is_labels:
            judged = add_judge_file(judged, judge_path, self._names, graded=self._parsed.graded)
        people = self._people(judged.people)
        codes = cluster_codes(judged.people).tolist()
        documents = dict(zip(judged.people["id"], codes, strict=True))
        shared = len(set(codes)) < len(codes)
        inputs = LabelInputs(people, {}, documents if shared else None, judged.join)
        if judge_path is not None and is_labels:
            inputs.judges = self._judge_labels(judge_path)
            inputs.join = join_items(_items(people), _items(inputs.judges))
        else:
            inputs.judges = self._of_table(judged)
        return inputs

    def _labels(self, path: Path, ties: TieCounter) -> AnnotatorLabels:
        return read_labels(
            path,
            graded=self._parsed.graded,
            label_map=self._label_map,
            on_report=print_report,
            ties=ties,
        )

    def _judge_labels(self, path: Path) -> AnnotatorLabels:
        """The judges of a file beside people's labels, whose items are joined by their ids."""
        kind = kind_of_file(path)
        if kind == "labels":
            judges = self._labels(path, self.of_judges)
            return _chosen(judges, self._names)
        if kind == "answers":
            table = read_answers(path, graded=self._parsed.graded)
            return self._of_table(JudgedFrame(pd.DataFrame(), table, invalid=count_invalid(table)))
        frame = read_judgments(path, detect_judgments(path))
        print_report(frame.attrs["report"])
        alone = split_judges(frame.assign(ratings=[()] * len(frame)), [])
        return self._of_table(with_judged_frame(alone, frame, self._names, default=path.stem))

    def _people(self, frame: pd.DataFrame) -> AnnotatorLabels:
        ratings = extract_ratings(frame, self._parsed.raters)
        labels: AnnotatorLabels = {name: {} for name in ratings.rater_names}
        rows = zip(ratings.raters, ratings.units, ratings.values.tolist(), strict=True)
        for rater, unit, value in rows:
            name, item = ratings.rater_names[rater], ratings.unit_names[unit]
            self._add(labels, name, item, value, self.of_people)
        return labels

    def _of_table(self, judged: JudgedFrame) -> AnnotatorLabels:
        """The labels of judges; missing ones are no labels, and invalid answers are counted."""
        labels: AnnotatorLabels = {}
        for name in judged.judges.columns:
            labels[str(name)] = {}
            for item, value in judged.judges[name].dropna().items():
                self._add(labels, str(name), str(item), float(value), self.of_judges)
            for _ in range(judged.invalid.get(str(name), 0)):
                self.of_judges.count(str(name), None)
        return labels

    def _add(
        self, labels: AnnotatorLabels, name: str, item: str, value: float, ties: TieCounter
    ) -> None:
        label, fault = read_label(self._label_map.apply(value), graded=self._parsed.graded)
        if fault:
            raise RatingsError(f"the rating of '{name}' for '{item}' {fault}")
        if (counted := ties.count(name, label)) is not None:
            labels[name][item] = counted


def _chosen(labels: AnnotatorLabels, names: Sequence[str]) -> AnnotatorLabels:
    """The labels of these annotators, of all without names. Raises RatingsError for another one."""
    if unknown := [name for name in names if name not in labels]:
        known = quote_names(labels)
        raise RatingsError(f"no rater is named {quote_names(unknown)}; the raters are {known}")
    return {name: labels[name] for name in dict.fromkeys(names)} if names else labels


def _items(labels: AnnotatorLabels) -> list[str]:
    return list(dict.fromkeys(item for of in labels.values() for item in of))
