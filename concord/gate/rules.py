"""The kinds of rules. Each reads its files and calls the function of the command that prints the
same figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from concord import boards, raters
from concord.bounds import flag, items, number, text
from concord.estimation import EstimateReport, Method, SystemEstimate, Target
from concord.formats import JUDGMENT_FORMATS, detect_judgments
from concord.formats.errors import choices_of
from concord.formats.judged_files import kind_of_file, read_answers
from concord.formats.labels import AnnotatorLabels, Label, read_label, read_labels
from concord.formats.scores import read_scores
from concord.frames import cluster_codes, complete_frame, read_judgments, shared_passages
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
from concord.metrics import MultiRef
from concord.reliability import Level
from concord.sampling import estimate_sampled

if TYPE_CHECKING:
    import pandas as pd

MAX_NAME = 1000
MAX_FILES = 1000
MAX_BOUND = 1e9
MAX_SEED = 2**32 - 1
MAX_DRAWS = 100_000
_NAME = text(MAX_NAME, required="must not be blank")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A rule's figure. ci: its 95% interval, None with a `reason`. The other fields are those of
    `concord.documents.check.RuleRow`. over: what the interval generalises to, where that is more
    than passages. factor: how many times as many passages would settle it; None for what the
    interval's width tells."""

    figure: str
    at_least: float
    value: float | None
    ci: Sequence[float] | None
    passages: int
    ratings: int | None = None
    reason: str = ""
    over: str = ""
    factor: float | None = None


class PolicyRule(ABC):
    """A bound of one figure. The subclasses are dataclasses whose fields are a policy's keys."""

    @abstractmethod
    def measure(self, folder: Path) -> Measured:
        """The figure of the rule's files, which are relative to `folder`. Raises ValueError."""

    def problems(self) -> Mapping[str, str]:
        """{field: message} of what the bounds of the fields do not say."""
        return {}


def _bound(low: float, high: float) -> Any:
    return field(metadata=number(low, high))


def _name() -> Any:
    return field(metadata=_NAME)


def _optional() -> Any:
    return field(default="", metadata=text(MAX_NAME))


def _whole(default: int, low: int, high: int) -> Any:
    return field(default=default, metadata=number(low, high))


@dataclass(frozen=True, kw_only=True)
class FileRule(PolicyRule):
    """A rule over files of judgments. source: the key "from". options: those of the readers."""

    files: tuple[str, ...] = field(
        metadata=items(MAX_FILES, min_items=1, unit="files", each=_NAME["bound"])
    )
    source: str = _optional()
    options: Mapping[str, Any] = field(default_factory=dict)

    def problems(self) -> Mapping[str, str]:
        unknown = self.source and self.source not in JUDGMENT_FORMATS
        return {"from": choices_of(JUDGMENT_FORMATS, "formats")} if unknown else {}

    def frame(self, folder: Path) -> pd.DataFrame:
        """The complete judgment frame of the files."""
        paths = [folder / name for name in self.files]
        options = dict(self.options)
        if "texts" in options:
            options["texts"] = str(folder / options["texts"])
        return complete_frame(
            read_judgments(paths, self.source or detect_judgments(paths[0]), **options)
        )


@dataclass(frozen=True, kw_only=True)
class AgreementRule(FileRule):
    """Krippendorff's alpha of people's ratings, as `concord agreement` computes it."""

    at_least: float = _bound(-1, 1)
    level: Level = "ordinal"
    raters: str = _optional()
    seed: int = _whole(0, 0, MAX_SEED)
    draws: int = _whole(1000, 1, MAX_DRAWS)

    def measure(self, folder: Path) -> Measured:
        report = raters.agreement(
            self.frame(folder),
            level=self.level,
            raters=self.raters or None,
            seed=self.seed,
            draws=self.draws,
        ).to_json()
        return Measured(
            figure=f"alpha of ratings ({self.level})",
            at_least=self.at_least,
            value=report["alpha"],
            ci=report["ci"],
            passages=report.get("clusters", 0),
            ratings=report["ratings"],
            reason=report.get("reason", ""),
        )


@dataclass(frozen=True, kw_only=True)
class MetricRule(FileRule):
    """Pearson's correlation of a metric, or a judge, with people, as `concord leaderboard` computes
    it. scores: a file with the metric's scores, so that it is not computed."""

    at_least: float = _bound(-1, 1)
    metric: str = _name()
    scores: str = _optional()
    multi_ref: MultiRef = "max"

    def measure(self, folder: Path) -> Measured:
        frame = self.frame(folder)
        scores = None
        if self.scores:
            scores = boards.stored_scores(frame, read_scores(folder / self.scores), [self.metric])
        board = boards.leaderboard(frame, self.metric, scores=scores, multi_ref=self.multi_ref)
        if len(board.rows) != 1:
            raise ValueError(f"'{self.metric}' names {len(board.rows)} metrics; name one")
        (row,) = board.rows
        figure = row["pearson"]
        judged = frame[frame["score"].notna()]
        return Measured(
            figure=f"Pearson's r of {row['metric']} with people",
            at_least=self.at_least,
            value=figure["value"],
            ci=figure.get("ci"),
            passages=len(np.unique(cluster_codes(judged))),
            ratings=_count_ratings(judged),
            reason=figure.get("no_interval", "") or figure.get("reason", ""),
        )


@dataclass(frozen=True, kw_only=True)
class SystemRule(FileRule):
    """A rule over the estimates of `concord estimate`. Without scores, those of the plain mean.

    target: "new" (new passages of this kind) unless the policy says "set" (the mean over these
    files)."""

    system: str = _name()
    scores: str = _optional()
    metric: str = _optional()
    target: Target = "new"
    method: Method = "auto"

    def problems(self) -> Mapping[str, str]:
        needing = {"metric": bool(self.metric), "method": self.method not in ("auto", "mean")}
        missing = {} if self.scores else {key: "needs scores" for key in needing if needing[key]}
        return {**super().problems(), **missing}

    def report(self, frame: pd.DataFrame, folder: Path) -> EstimateReport:
        """The estimates of all systems."""
        return estimate_sampled(
            frame,
            read_scores(folder / self.scores) if self.scores else None,
            metrics=[self.metric] if self.metric else None,
            target=self.target,
            method=self.method,
        )


@dataclass(frozen=True, kw_only=True)
class MeanRule(SystemRule):
    """A system's mean rating."""

    at_least: float = _bound(-MAX_BOUND, MAX_BOUND)

    def measure(self, folder: Path) -> Measured:
        frame = self.frame(folder)
        row = _system(self.report(frame, folder), self.system)
        return Measured(
            figure=f"mean of {self.system}",
            at_least=self.at_least,
            value=row.mean,
            ci=row.ci,
            passages=row.passages,
            ratings=_count_ratings(frame[frame["system"] == self.system]),
            reason=row.reason,
            over=row.over,
        )


@dataclass(frozen=True, kw_only=True)
class DifferenceRule(SystemRule):
    """A system's mean rating minus that of a baseline, paired by passage."""

    baseline: str = _name()
    at_least: float = field(default=0.0, metadata=number(-MAX_BOUND, MAX_BOUND))

    def problems(self) -> Mapping[str, str]:
        same = {"baseline": "is the system itself"} if self.baseline == self.system else {}
        return {**super().problems(), **same}

    def measure(self, folder: Path) -> Measured:
        frame = self.frame(folder)
        report = self.report(frame, folder)
        first, second = (_system(report, name) for name in (self.system, self.baseline))
        value: float | None = None
        ci: Sequence[float] | None = None
        for row in report.differences:
            if (row.first, row.second) == (self.system, self.baseline):
                value, ci = row.value, row.ci
            elif (row.first, row.second) == (self.baseline, self.system):
                value, ci = -row.value, (-row.ci[1], -row.ci[0])
        both = frame[frame["system"].isin((self.system, self.baseline))]
        return Measured(
            figure=f"mean of {self.system} minus that of {self.baseline}",
            at_least=self.at_least,
            value=value,
            ci=ci,
            passages=min(first.passages, second.passages),
            ratings=_count_ratings(both),
            reason="" if ci else first.reason or second.reason,
            over=first.over,
        )


@dataclass(frozen=True, kw_only=True)
class LabelRule(PolicyRule):
    """A rule over people's and a judge's labels, as `concord alt-test` reads them. human: labels or
    judgments, of which `raters` is the group. judges: labels, or a judge's answers, whose items are
    joined by their ids. item_id: names the document of an item; items of one document are
    dependent."""

    human: str = _name()
    raters: str = _optional()
    judges: str = _name()
    judge: str = _name()
    graded: bool = field(default=False, metadata=flag("labels are numbers on a scale"))
    item_id: str = _optional()

    def problems(self) -> Mapping[str, str]:
        try:
            if self.item_id:
                ItemIdPattern(self.item_id)
        except ItemIdError as error:
            return {"item_id": str(error)}
        return {}

    def read(self, folder: Path) -> tuple[HumanLabels, NDArray[np.float64], bool]:
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
            people = self._labels_of(values_of_raters(frame, self.raters or None))
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
            judges = self._labels_of(values_of_judges(table))
        else:
            judges = read_labels(path, graded=self.graded)
        if self.judge not in judges:
            raise ValueError(f"no judge '{self.judge}'; {choices_of(judges, 'judges')}")
        labels = judges[self.judge]
        if labels.keys().isdisjoint(people.items):
            raise ValueError(f"the judge '{self.judge}' has no label for any item of the raters")
        people.label_warnings(self.judge, labels)
        return labels

    def _labels_of(self, values: Mapping[str, Mapping[str, float]]) -> AnnotatorLabels:
        labels: AnnotatorLabels = {name: {} for name in values}
        for name, of_annotator in values.items():
            for item, value in of_annotator.items():
                label, fault = read_label(value, graded=self.graded)
                if label is None or fault:
                    raise ValueError(f"the rating of '{name}' for '{item}' {fault}")
                labels[name][item] = label
        return labels


@dataclass(frozen=True, kw_only=True)
class JudgeRule(LabelRule):
    """A judge's agreement with people. figure: "rho", how often it agrees with the other raters at
    least as well as a rater does, or "kappa", the mean over raters of Cohen's kappa."""

    at_least: float = _bound(-1, 1)
    figure: Literal["rho", "kappa"] = "rho"
    seed: int = _whole(0, 0, MAX_SEED)
    draws: int = _whole(1000, 1, MAX_DRAWS)

    def measure(self, folder: Path) -> Measured:
        people, judge, _ = self.read(folder)
        if self.figure == "kappa":
            rng = np.random.default_rng(self.seed)
            figure = kappa_intervals(people, judge, rng=rng, draws=self.draws)[0]
        else:
            options = AltTestOptions(draws=self.draws, seed=self.seed)
            figure = alternative_annotator_test(people, judge, options).advantage
        return Measured(
            figure=f"{self.figure} of {self.judge}",
            at_least=self.at_least,
            value=figure.value,
            ci=figure.ci,
            passages=len(np.unique(people.clusters)),
            ratings=int(np.count_nonzero(~np.isnan(people.values))),
            reason=figure.reason,
        )


@dataclass(frozen=True, kw_only=True)
class AltTestRule(LabelRule):
    """The alternative annotator test. The figure is omega, the share of raters whom the judge may
    replace. Its interval goes from there to the share of raters who are not shown to be better by
    more than epsilon, so that both verdicts have the level of the test."""

    epsilon: float = field(default=0.2, metadata=number(0, 1))
    q: float = field(default=0.05, metadata=number(0, 1))

    def measure(self, folder: Path) -> Measured:
        people, judge, by_document = self.read(folder)
        options = AltTestOptions(epsilon=self.epsilon, q=self.q, by_cluster=by_document)
        comparison = compare_with_raters(people, judge)
        test, better = apply_test(comparison, options), share_better(comparison, options)
        ci, factor = None, None
        if test.winning_rate is not None and better is not None:
            ci = test.winning_rate, 1 - better
            factor = factor_to_tell(comparison, test, epsilon=self.epsilon, q=self.q)
        return Measured(
            figure=f"omega of {self.judge} (epsilon {self.epsilon:g})",
            at_least=PASSING_RATE,
            value=test.winning_rate,
            ci=ci,
            passages=len(np.unique(people.clusters)),
            ratings=int(np.count_nonzero(~np.isnan(people.values))),
            reason=test.reason or "",
            factor=factor,
        )


@dataclass(frozen=True, kw_only=True)
class DriftRule(LabelRule):
    """The change of a judge's agreement with people since it judged the same items before; below 0
    it fell. base: the file of its earlier labels. looks: how often the base is compared in all.
    The two ends of the interval are one-sided bounds at all looks together."""

    base: str = _name()
    at_least: float = _bound(-MAX_BOUND, MAX_BOUND)
    looks: int = _whole(1, 1, MAX_LOOKS)

    def measure(self, folder: Path) -> Measured:
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
        row = report["judges"][self.judge]
        fall, ci, factor = row["fall"], None, None
        value = None if fall["value"] is None else 0.0 - fall["value"]
        if fall["low"] is not None and fall["high"] is not None:
            ci = 0.0 - fall["high"], 0.0 - fall["low"]
        if value is not None and fall["detectable"] is not None and value != self.at_least:
            factor = (fall["detectable"] / abs(value - self.at_least)) ** 2
        return Measured(
            figure=f"change of agreement of {self.judge}",
            at_least=self.at_least,
            value=value,
            ci=ci,
            passages=row["passages"],
            ratings=int(np.count_nonzero(~np.isnan(people.values))),
            reason=fall["reason"],
            factor=factor,
        )


KINDS: dict[str, type[PolicyRule]] = {
    "agreement": AgreementRule,
    "metric": MetricRule,
    "judge": JudgeRule,
    "alt-test": AltTestRule,
    "drift": DriftRule,
    "mean": MeanRule,
    "difference": DifferenceRule,
}


def _system(report: EstimateReport, name: str) -> SystemEstimate:
    rows = {row.system: row for row in report.systems}
    if name not in rows:
        raise ValueError(f"no system '{name}'; {choices_of(rows, 'systems')}")
    return rows[name]


def _count_ratings(frame: pd.DataFrame) -> int | None:
    return sum(map(len, frame["ratings"])) or None
