"""`concord drift BASE NOW`: did a judge change since it judged the same items before?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from concord.arguments import positive
from concord.cli.command import CommandResult, argument, command, option
from concord.cli.judged_labels import JudgedLabelOptions, LabelInputReader, LabelInputs
from concord.formats.errors import quote_names
from concord.formats.judged_files import kind_of_file
from concord.formats.labels import AnnotatorLabels, Label
from concord.judges.drift import Rejudged, drift_report


@dataclass(frozen=True, kw_only=True)
class DriftInputs:
    """A judge's labels before and now, and those of people."""

    base: Path = argument(
        "BASE",
        "the judge's earlier labels: a file of concord alt-test; with --judge, the file of "
        "people's labels too",
    )
    now: Path = argument("NOW", "its labels of the same items now")
    people: Path | None = option(
        "people's labels of these items, to test whether agreement fell", metavar="FILE"
    )
    labels: JudgedLabelOptions
    looks: int = option(
        "how often this base is compared in all, such as 365 for every night of a year: the 5%% of "
        "false alarms are of all looks together (default: 1)", 1, positive,
    )  # fmt: skip

    def read(self) -> tuple[LabelInputs, AnnotatorLabels]:
        """People's labels with the judges of the base, and the judges now."""

        def read(*files: Path) -> LabelInputs:
            return LabelInputReader(self.labels).read(files)

        if self.people is not None:
            return read(self.people, self.base), read(self.people, self.now).judges
        reader = LabelInputReader(self.labels)
        has_people = self.labels.judges and kind_of_file(self.base) != "answers"
        base = read(self.base) if has_people else LabelInputs({}, reader.read_judges(self.base))
        return base, reader.read_judges(self.now)


@command("the same items judged again: did the judge change?")
def drift(inputs: DriftInputs) -> CommandResult:
    """What changed in the labels of each judge."""
    base, now = inputs.read()
    judges = _paired(base.judges, now)
    named = [(name, one) for name, pair in judges.items() for one in pair]
    has_people = bool(base.people)
    # Without people, the items are those of the base.
    base.people = base.people or base.judges
    labels = base.human_labels(inputs.labels, named if has_people else ())
    flat = [one for _, one in named]
    table = labels.table_of(flat)
    report = drift_report(
        {name: Rejudged(*table[2 * k : 2 * k + 2]) for k, name in enumerate(judges)},
        labels.verdicts if has_people else np.full(len(labels.items), np.nan),
        labels.clusters,
        graded=inputs.labels.graded,
        looks=inputs.looks,
        categories=labels.names_of(flat),
    )
    return CommandResult(results={f"{inputs.base.name} and {inputs.now.name}": report})


def _paired(
    base: AnnotatorLabels, now: AnnotatorLabels
) -> dict[str, tuple[dict[str, Label], dict[str, Label]]]:
    """(labels of the base, labels now) by judge: those of one name, or the only one of each file.
    Raises ValueError where there is none."""
    if both := [name for name in base if name in now]:
        for name in (base.keys() | now.keys()) - set(both):
            print(f"In one of the files only: the judge {quote_names([name])}.", file=sys.stderr)
        return {name: (base[name], now[name]) for name in both}
    if len(base) == len(now) == 1:
        ((_, before),), ((name, after),) = base.items(), now.items()
        return {name: (before, after)}
    raise ValueError(
        f"no judge is in both files: the base has {quote_names(base)}, and now there is "
        f"{quote_names(now)}"
    )
