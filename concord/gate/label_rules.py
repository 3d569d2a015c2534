"""The kinds of rules over people's and a judge's labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from concord.arrays import Floats
from concord.bounds import flag, number
from concord.formats import detect_judgments
from concord.formats.errors import choices_of
from concord.formats.judged_files import kind_of_file, read_answers
from concord.formats.labels import Label, labels_of, read_labels
from concord.frames import complete_frame, read_judgments, shared_passages
from concord.gate.result import RuleResult
from concord.gate.rules import (
    MAX_BOUND,
    MAX_DRAWS,
    MAX_SEED,
    NAME,
    PolicyRule,
    optional,
    whole,
)
from concord.inference import Estimate
from concord.judged_frames import values_of_judges, values_of_raters
from concord.judges import (
    AltTestOptions,
    HumanLabels,
    ItemIdError,
    ItemIdPattern,
    Rejudged,
    alternative_annotator_test,
    drift_report,
    factor_to_tell,
    judge_labels,
)
from concord.judges.agreement import kappa_intervals
from concord.judges.alternative_annotator import (
    PASSING_RATE,
    apply_test,
    compare_with_raters,
    share_better,
)
from concord.judges.drift import MAX_LOOKS
from concord.judges.item_ids import item_documents


@dataclass(frozen=True, kw_only=True)
class LabelRule(PolicyRule):
    """A rule over people's and a judge's labels, as `concord alt-test` reads them. human: labels or
    judgments, of which `raters` is the group. judges: labels, or a judge's answers, whose items are
    joined by their ids. item_id: names the document of an item; items of one document are
    dependent."""

    human: str = field(metadata=NAME)
    raters: str = optional()
    judges: str = field(metadata=NAME)
    judge: str = field(metadata=NAME)
    graded: bool = field(default=False, metadata=flag("labels are numbers on a scale"))
    item_id: str = optional()

    def problems(self) -> Mapping[str, str]:
        try:
            if self.item_id:
                ItemIdPattern(self.item_id)
        except ItemIdError as error:
            return {"item_id": str(error)}
        return {}

    def read(self, folder: Path) -> tuple[HumanLabels, Floats, bool]:
        """(people's labels, the judge's, whether items name their documents)."""
        people, by_document = self.read_people(folder)
        judge = people.codes_of(self.read_judge(folder, self.judges, people))
        if self.graded:
            judge = judge_labels(judge, people.verdicts, people.clusters, people.scale).values
        return people, judge, by_document

    def read_people(self, folder: Path, min_raters: int = 2) -> tuple[HumanLabels, bool]:
        """(people's labels, whether documents of items are known)."""
        path, pattern = folder / self.human, ItemIdPattern(self.item_id) if self.item_id else None
        passages = scale = None
        if kind_of_file(path) == "judgments":
            frame = complete_frame(read_judgments(path, detect_judgments(path)))
            people = labels_of(values_of_raters(frame, self.raters or None), graded=self.graded)
            passages, scale = shared_passages(frame), frame.attrs.get("scale")
        else:
            people = read_labels(path, graded=self.graded)
        names = dict.fromkeys(item for labels in people.values() for item in labels)
        clusters = item_documents(pattern, names, passages)
        labels = HumanLabels.from_mapping(
            people, graded=self.graded, clusters=clusters, min_raters=min_raters, scale=scale
        )
        return labels, clusters is not None

    def read_judge(self, folder: Path, file: str, people: HumanLabels) -> Mapping[str, Label]:
        """The judge's labels in a file. Raises ValueError where it has none for people's items."""
        path = folder / file
        if kind_of_file(path) == "answers":
            table = read_answers(path, graded=self.graded)
            judges = labels_of(values_of_judges(table), graded=self.graded)
        else:
            judges = read_labels(path, graded=self.graded)
        if self.judge not in judges:
            raise ValueError(f"no judge '{self.judge}'; {choices_of(judges, 'judges')}")
        labels = judges[self.judge]
        if labels.keys().isdisjoint(people.items):
            raise ValueError(f"the judge '{self.judge}' has no label for any item of the raters")
        people.label_warnings(self.judge, labels)
        return labels

    def _result(
        self,
        figure: str,
        at_least: float,
        estimate: Estimate,
        people: HumanLabels,
        factor: float | None = None,
    ) -> RuleResult:
        return RuleResult(
            figure=figure,
            at_least=at_least,
            estimate=replace(estimate, clusters=len(np.unique(people.clusters)), over=""),
            ratings=int(np.count_nonzero(~np.isnan(people.values))),
            factor=factor,
        )


@dataclass(frozen=True, kw_only=True)
class JudgeRule(LabelRule):
    """A judge's agreement with people. figure: "rho", how often it agrees with the other raters at
    least as well as a rater does, or "kappa", the mean over raters of Cohen's kappa."""

    at_least: float = field(metadata=number(-1, 1))
    figure: Literal["rho", "kappa"] = "rho"
    seed: int = whole(0, 0, MAX_SEED)
    draws: int = whole(1000, 1, MAX_DRAWS)

    def measure(self, folder: Path) -> RuleResult:
        people, judge, _ = self.read(folder)
        if self.figure == "kappa":
            rng = np.random.default_rng(self.seed)
            figure = kappa_intervals(people, judge, rng=rng, draws=self.draws)[0]
        else:
            options = AltTestOptions(draws=self.draws, seed=self.seed)
            figure = alternative_annotator_test(people, judge, options).advantage
        return self._result(f"{self.figure} of {self.judge}", self.at_least, figure, people)


@dataclass(frozen=True, kw_only=True)
class AltTestRule(LabelRule):
    """The alternative annotator test. The figure is omega, the share of raters whom the judge may
    replace. Its interval goes from there to the share of raters who are not shown to be better by
    more than epsilon, so that both verdicts have the level of the test."""

    epsilon: float = field(default=0.2, metadata=number(0, 1))
    q: float = field(default=0.05, metadata=number(0, 1))

    def measure(self, folder: Path) -> RuleResult:
        people, judge, by_document = self.read(folder)
        options = AltTestOptions(epsilon=self.epsilon, q=self.q, by_cluster=by_document)
        comparison = compare_with_raters(people, judge)
        test, better = apply_test(comparison, options), share_better(comparison, options)
        estimate, factor = Estimate(test.winning_rate, reason=test.reason or ""), None
        if test.winning_rate is not None and better is not None:
            estimate = replace(estimate, low=test.winning_rate, high=1 - better)
            factor = factor_to_tell(comparison, test, epsilon=self.epsilon, q=self.q)
        figure = f"omega of {self.judge} (epsilon {self.epsilon:g})"
        return self._result(figure, PASSING_RATE, estimate, people, factor)


@dataclass(frozen=True, kw_only=True)
class DriftRule(LabelRule):
    """The change of a judge's agreement with people since it judged the same items before; below 0
    it fell. base: the file of its earlier labels. looks: how often the base is compared in all.
    The two ends of the interval are one-sided bounds at all looks together."""

    base: str = field(metadata=NAME)
    at_least: float = field(metadata=number(-MAX_BOUND, MAX_BOUND))
    looks: int = whole(1, 1, MAX_LOOKS)

    def measure(self, folder: Path) -> RuleResult:
        people, _ = self.read_people(folder, min_raters=1)
        files = (self.base, self.judges)
        labels = [self.read_judge(folder, file, people) for file in files]
        report = drift_report(
            {self.judge: Rejudged(*people.table_of(labels))},
            people.verdicts,
            people.clusters,
            graded=self.graded,
            looks=self.looks,
            categories=people.names_of(labels),
        )
        fall, factor = report.judges[self.judge].fall, None
        # The change is the negative of the fall; 0 has no sign.
        figures = fall.value, fall.high, fall.low
        value, low, high = (None if one is None else 0.0 - one for one in figures)
        if value is not None and fall.detectable is not None and value != self.at_least:
            factor = (fall.detectable / abs(value - self.at_least)) ** 2
        estimate = Estimate(value, low, high, reason=fall.reason)
        figure = f"change of agreement of {self.judge}"
        return self._result(figure, self.at_least, estimate, people, factor)
