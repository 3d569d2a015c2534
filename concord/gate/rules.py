"""Rules over judgments. Each reads its files and calls the function of the command that prints the
same figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord import boards, raters
from concord.bounds import choice, items, number, text
from concord.estimation import EstimateReport, Method, SystemEstimate, Target
from concord.formats import JUDGMENT_FORMATS, detect_judgments
from concord.formats.errors import choices_of
from concord.formats.scores import read_scores
from concord.frames import cluster_codes, complete_frame, read_judgments
from concord.gate.result import RuleResult
from concord.inference import Estimate
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
NAME = text(MAX_NAME, required="must not be blank")


class PolicyRule(ABC):
    """A bound of one figure. The subclasses are dataclasses whose fields are a policy's keys."""

    @abstractmethod
    def measure(self, folder: Path) -> RuleResult:
        """The figure of the rule's files, which are relative to `folder`. Raises ValueError."""

    def problems(self) -> Mapping[str, str]:
        """{key: message} of what the bounds of the fields do not say."""
        return {}


def optional() -> Any:
    """A field with a text, empty by default."""
    return field(default="", metadata=text(MAX_NAME))


def whole(default: int, low: int, high: int) -> Any:
    """A field with a whole number from `low` to `high`."""
    return field(default=default, metadata=number(low, high))


def reported(value: float | None, figure: Mapping[str, Any], passages: int) -> Estimate:
    """The estimate of a figure that a report has as JSON, of so many passages."""
    low, high = figure.get("ci") or (None, None)
    reason = figure.get("no_interval") or figure.get("reason", "")
    return Estimate(value, low, high, clusters=passages, reason=reason)


@dataclass(frozen=True, kw_only=True)
class FileRule(PolicyRule):
    """A rule over files of judgments. source: the key "from". options: those of the readers."""

    files: tuple[str, ...] = field(
        metadata=items(MAX_FILES, min_items=1, unit="files", each=NAME["bound"])
    )
    source: str = field(default="", metadata=choice(("", *JUDGMENT_FORMATS)))
    options: Mapping[str, Any] = field(default_factory=dict)

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

    at_least: float = field(metadata=number(-1, 1))
    level: Level = "ordinal"
    raters: str = optional()
    seed: int = whole(0, 0, MAX_SEED)
    draws: int = whole(1000, 1, MAX_DRAWS)

    def measure(self, folder: Path) -> RuleResult:
        report = raters.agreement(
            self.frame(folder),
            level=self.level,
            raters=self.raters or None,
            seed=self.seed,
            draws=self.draws,
        ).to_json()
        return RuleResult(
            figure=f"alpha of ratings ({self.level})",
            at_least=self.at_least,
            estimate=reported(report["alpha"], report, report.get("clusters", 0)),
            ratings=report["ratings"],
        )


@dataclass(frozen=True, kw_only=True)
class MetricRule(FileRule):
    """Pearson's correlation of a metric, or a judge, with people, as `concord leaderboard` computes
    it. scores: a file with the metric's scores, so that it is not computed."""

    at_least: float = field(metadata=number(-1, 1))
    metric: str = field(metadata=NAME)
    scores: str = optional()
    multi_ref: MultiRef = "max"

    def measure(self, folder: Path) -> RuleResult:
        frame = self.frame(folder)
        scores = None
        if self.scores:
            scores = boards.stored_scores(frame, read_scores(folder / self.scores), [self.metric])
        board = boards.leaderboard(frame, self.metric, scores=scores, multi_ref=self.multi_ref)
        if len(board.rows) != 1:
            raise ValueError(f"'{self.metric}' names {len(board.rows)} metrics; name one")
        (row,) = board.rows
        judged = frame[frame["score"].notna()]
        passages = len(np.unique(cluster_codes(judged)))
        return RuleResult(
            figure=f"Pearson's r of {row['metric']} with people",
            at_least=self.at_least,
            estimate=reported(row["pearson"]["value"], row["pearson"], passages),
            ratings=_count_ratings(judged),
        )


@dataclass(frozen=True, kw_only=True)
class SystemRule(FileRule):
    """A rule over the estimates of `concord estimate`. Without scores, those of the plain mean.

    target: "new" (new passages of this kind) unless the policy says "set" (the mean over these
    files)."""

    system: str = field(metadata=NAME)
    scores: str = optional()
    metric: str = optional()
    target: Target = "new"
    method: Method = "auto"

    def problems(self) -> Mapping[str, str]:
        needing = {"metric": self.metric, "method": self.method not in ("auto", "mean")}
        return {key: "needs scores" for key in needing if needing[key] and not self.scores}

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

    at_least: float = field(metadata=number(-MAX_BOUND, MAX_BOUND))

    def measure(self, folder: Path) -> RuleResult:
        frame = self.frame(folder)
        row = _system(self.report(frame, folder), self.system)
        low, high = row.ci or (None, None)
        return RuleResult(
            figure=f"mean of {self.system}",
            at_least=self.at_least,
            estimate=Estimate(
                row.mean, low, high, clusters=row.passages, over=row.over, reason=row.reason
            ),
            ratings=_count_ratings(frame[frame["system"] == self.system]),
        )


@dataclass(frozen=True, kw_only=True)
class DifferenceRule(SystemRule):
    """A system's mean rating minus that of a baseline, paired by passage."""

    baseline: str = field(metadata=NAME)
    at_least: float = field(default=0.0, metadata=number(-MAX_BOUND, MAX_BOUND))

    def problems(self) -> Mapping[str, str]:
        same = {"baseline": "is the system itself"} if self.baseline == self.system else {}
        return {**super().problems(), **same}

    def measure(self, folder: Path) -> RuleResult:
        frame = self.frame(folder)
        report = self.report(frame, folder)
        first, second = (_system(report, name) for name in (self.system, self.baseline))
        both = frame[frame["system"].isin((self.system, self.baseline))]
        reason = first.reason or second.reason or "it is the same everywhere"
        estimate = Estimate(None, reason=reason)
        for row in report.differences:
            if (row.first, row.second) == (self.system, self.baseline):
                estimate = Estimate(row.value, *row.ci)
            elif (row.first, row.second) == (self.baseline, self.system):
                estimate = Estimate(-row.value, -row.ci[1], -row.ci[0])
        passages = min(first.passages, second.passages)
        return RuleResult(
            figure=f"mean of {self.system} minus that of {self.baseline}",
            at_least=self.at_least,
            estimate=replace(estimate, clusters=passages, over=first.over),
            ratings=_count_ratings(both),
        )


def _system(report: EstimateReport, name: str) -> SystemEstimate:
    rows = {row.system: row for row in report.systems}
    if name not in rows:
        raise ValueError(f"no system '{name}'; {choices_of(rows, 'systems')}")
    return rows[name]


def _count_ratings(frame: pd.DataFrame) -> int | None:
    return sum(map(len, frame["ratings"])) or None
