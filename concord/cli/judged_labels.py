"""The inputs of `concord alt-test`, `jury` and `drift`: the labels of people and of judges."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from concord.cli.arguments import both_bad_option, judges_option
from concord.cli.command import option
from concord.cli.files import JudgmentFormat, print_report
from concord.cli.judged import add_judge_file, no_judges_error, print_join
from concord.formats import detect_judgments
from concord.formats.choices import HOW_COUNTED, LEAVE_OUT
from concord.formats.errors import quote_names
from concord.formats.judged_files import kind_of_file, read_answers
from concord.formats.labels import (
    AnnotatorLabels,
    Label,
    LabelMap,
    TieCounter,
    labels_of,
    read_labels,
)
from concord.formats.numbers import read_number
from concord.frames import read_judgments, shared_passages
from concord.judged_frames import (
    Join,
    JudgedFrame,
    count_invalid,
    join_items,
    split_judges,
    values_of_judges,
    values_of_raters,
    with_judged_frame,
)
from concord.judges import HumanLabels
from concord.judges.item_ids import ItemIdPattern, item_documents
from concord.reliability import RatingsError


@dataclass(frozen=True, kw_only=True)
class JudgedLabelOptions(JudgmentFormat):
    """How people's and judges' labels are read."""

    judges: Sequence[str] = judges_option()
    raters: str | None = option("of people; required if there are several groups", metavar="GROUP")
    graded: bool = option("labels are numbers on a scale, not categories", False)
    label_map: Sequence[str] = option(
        "read a label as another, in all files, as in yes=1; can be repeated", (),
        flag="--map", metavar="LABEL=OTHER", repeated=True,
    )  # fmt: skip
    item_id: ItemIdPattern | None = option(
        "parts of the items' ids, such as {document}__{system}__{criterion}: items of one document "
        "are dependent, and alt-test tests criteria apart too", parse=ItemIdPattern,
        metavar="PATTERN",
    )  # fmt: skip
    both_bad: str = both_bad_option()

    @property
    def how_counted(self) -> str:
        """What ties and answers that are both bad or invalid count."""
        return f"A tie is a label; {HOW_COUNTED[self.both_bad]}; an invalid answer is left out."


@dataclass
class LabelInputs:
    """people, judges: labels by annotator and item; items are people's. documents: the passage of
    each item, None where it is unknown, or no two items share one. join: of people's file with the
    last one of judges. scale: that people's file states."""

    people: AnnotatorLabels
    judges: AnnotatorLabels
    documents: Mapping[str, int] | None = None
    join: Join | None = None
    scale: tuple[float, float] | None = None

    @property
    def items(self) -> list[str]:
        """The items of people, in order."""
        return _items(self.people)

    def documents_by(self, pattern: ItemIdPattern | None) -> Mapping[str, Hashable] | None:
        """See `item_documents`."""
        return item_documents(pattern, self.items, self.documents)

    def human_labels(
        self, options: JudgedLabelOptions, judged: Iterable[tuple[str, Mapping[str, Label]]]
    ) -> HumanLabels:
        """People's labels. Prints warnings about the labels of judges, (name, labels), beside
        them. Raises RatingsError."""
        labels = HumanLabels.from_mapping(
            self.people,
            graded=options.graded,
            clusters=self.documents_by(options.item_id),
            min_raters=1,
            scale=self.scale,
        )
        warnings = [one for name, of in judged for one in labels.label_warnings(name, of)]
        for warning in dict.fromkeys(warnings):
            print(f"Warning: {warning}.", file=sys.stderr)
        return labels


class LabelInputReader:
    """Reads the files of a command line. of_people, of_judges: ties and invalid answers."""

    def __init__(self, options: JudgedLabelOptions) -> None:
        self._options = options
        self._names = options.judges
        self._label_map = LabelMap.parse(options.label_map)
        leave_out = options.both_bad == LEAVE_OUT
        self.of_people, self.of_judges = TieCounter(leave_out), TieCounter(leave_out)

    def read(self, files: Sequence[Path], max_judge_files: int = 1) -> LabelInputs:
        """The labels of people and of judges. Prints on standard error what was read, and what was
        not joined. Raises FormatError, FrameError, RatingsError, ValueError."""
        people, *others = files
        if len(others) > max_judge_files:
            raise ValueError("give people's file and a judge's, or one file with --judge")
        if len(others) > 1 and self._names:
            raise ValueError("--judge chooses of one file; of several, all judges are read")
        kind = "judgments" if self._options.source else kind_of_file(people)
        if kind == "answers":
            raise ValueError(f"{people} has a judge's answers; people's file is the first one")
        read = self._of_labels if kind == "labels" else self._of_judgments
        inputs = read(people, others)
        if self._label_map.unused:
            names = quote_names(self._label_map.unused.values())
            raise ValueError(f"--map: neither file has the label {names}")
        if not self._options.graded:
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

    def _of_labels(self, path: Path, judge_paths: Sequence[Path]) -> LabelInputs:
        inputs = LabelInputs(self._labels(path, self.of_people), {})
        if judge_paths:
            for judge_path in judge_paths:
                self._add_labels(inputs, judge_path)
            return inputs
        if not self._names:
            raise ValueError("which raters are judges? Name them with --judge")
        inputs.judges = _chosen(inputs.people, self._names)
        self.of_judges.counts = {name: self.of_people.counts.pop(name) for name in inputs.judges}
        inputs.people = {
            name: labels for name, labels in inputs.people.items() if name not in inputs.judges
        }
        return inputs

    def _of_judgments(self, path: Path, judge_paths: Sequence[Path]) -> LabelInputs:
        frame = self._options.read([path])
        if not judge_paths and not self._names:
            raise no_judges_error(frame)
        judged = split_judges(frame, [] if judge_paths else self._names)
        label_paths = [one for one in judge_paths if kind_of_file(one) == "labels"]
        for judge_path in judge_paths:
            if judge_path not in label_paths:
                graded = self._options.graded
                judged = add_judge_file(judged, judge_path, self._names, graded=graded)
                print_join(judged.join)
        documents = shared_passages(judged.people)
        scale = frame.attrs.get("scale")
        inputs = LabelInputs(self._people(judged.people), {}, documents, judged.join, scale)
        inputs.judges = self._of_table(judged)
        for judge_path in label_paths:
            self._add_labels(inputs, judge_path)
        return inputs

    def _add_labels(self, inputs: LabelInputs, path: Path) -> None:
        """Add the judges of a file, whose items are joined with people's by their ids."""
        judges = self.read_judges(path)
        if both := [name for name in judges if name in inputs.judges]:
            raise ValueError(f"{path}: the judge {quote_names(both)} is there twice")
        inputs.join = join_items(_items(inputs.people), _items(judges))
        inputs.judges.update(judges)
        print_join(inputs.join)

    def _labels(self, path: Path, ties: TieCounter) -> AnnotatorLabels:
        return read_labels(
            path,
            graded=self._options.graded,
            label_map=self._label_map,
            on_report=print_report,
            ties=ties,
        )

    def read_judges(self, path: Path) -> AnnotatorLabels:
        """The judges of a file: those that --judge names, or all."""
        kind = kind_of_file(path)
        if kind == "labels":
            judges = self._labels(path, self.of_judges)
            return _chosen(judges, self._names)
        if kind == "answers":
            table = read_answers(path, graded=self._options.graded, on_report=print_report)
            return self._of_table(JudgedFrame(pd.DataFrame(), table, invalid=count_invalid(table)))
        frame = read_judgments(path, detect_judgments(path))
        print_report(frame.attrs["report"])
        alone = split_judges(frame.assign(ratings=[()] * len(frame)), [])
        return self._of_table(with_judged_frame(alone, frame, self._names, default=path.stem))

    def _people(self, frame: pd.DataFrame) -> AnnotatorLabels:
        return self._of_values(values_of_raters(frame, self._options.raters), self.of_people)

    def _of_table(self, judged: JudgedFrame) -> AnnotatorLabels:
        """The labels of judges; missing ones are no labels, and invalid answers are counted."""
        labels = self._of_values(values_of_judges(judged.judges), self.of_judges)
        for name in labels:
            for _ in range(judged.invalid.get(name, 0)):
                self.of_judges.count(name, None)
        return labels

    def _of_values(
        self, values: Mapping[str, Mapping[str, float]], ties: TieCounter
    ) -> AnnotatorLabels:
        graded = self._options.graded
        return labels_of(values, graded=graded, label_map=self._label_map, ties=ties)


def _chosen(labels: AnnotatorLabels, names: Sequence[str]) -> AnnotatorLabels:
    """The labels of these annotators, of all without names. Raises RatingsError for another one."""
    if unknown := [name for name in names if name not in labels]:
        known = quote_names(labels)
        raise RatingsError(f"no rater is named {quote_names(unknown)}; the raters are {known}")
    return {name: labels[name] for name in dict.fromkeys(names)} if names else labels


def _items(labels: AnnotatorLabels) -> list[str]:
    return list(dict.fromkeys(item for of in labels.values() for item in of))
