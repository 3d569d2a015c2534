"""What a set shows, in sentences: from analyses that are stored, or quick to compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import get_args

from benchmarks.analyses import kinds, samples
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kind import AnalysisKind, P, R
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from concord import findings
from concord.documents.description import SetStatistics
from concord.documents.findings import Evidence, FindingRow, Topic
from concord.inference import Estimate
from core.refusals import RefusedError

MAX_JUDGES = 3
NO_RATINGS = (
    "The set has gold scores only, so how far people agree cannot be computed. Import it again "
    "with the ratings of single raters, or rate its answers in a study"
)
NOT_SCORED = "No metric has scored this set yet. Start metrics to see which agree with people"
NOT_COMPUTED: dict[Topic, str] = {
    "ranking": "The ranking of the systems is not computed yet",
    "errors": "The errors of the systems are not computed yet",
    "agreement": "How far people agree is not computed yet",
    "metrics": "The metrics are not compared with one another yet",
    "judges": "Whether a metric may stand in for a rater is not computed yet",
    "ratings": "How many ratings a study like this set needs is not computed yet",
}


@dataclass
class SetFindings:
    """rows: by topic. computable: the evidence that an analysis would give that nobody requested.
    pending: the analyses that a worker still computes."""

    rows: list[FindingRow] = field(default_factory=list)
    computable: set[Evidence] = field(default_factory=set)
    pending: list[Analysis] = field(default_factory=list)


def find(judgment_set: JudgmentSet, *, request_at: datetime | None = None) -> SetFindings:
    """The findings of the score, or of the first criterion of a set without one.

    request_at: missing analyses of the raters, metrics and choices are requested at this time if
    they are short; the caller sends the tasks of those created at that time.
    """
    on_criterion = copy(judgment_set)
    criteria.choose(on_criterion, criteria.default(judgment_set))
    reader = _Reader(on_criterion, request_at)
    statistics: SetStatistics = judgment_set.statistics
    has_scores = bool(statistics["judged"]) or bool(criteria.names(judgment_set))
    if statistics.get("judged_pairs"):
        result = reader.read(kinds.choices.KIND, {}, "agreement", "choices")
        if result is not None:
            alpha = Estimate(result.alpha, reason=result.alpha_reason or "")
            accuracies = [(findings.metric_name(row), row.accuracy) for row in result.metrics]
            reader.found.rows += findings.choices_findings(alpha, accuracies, result.ranking)
    if statistics.get("marks"):
        marked = reader.read(kinds.spans.KIND, {}, "errors", "spans")
        if marked is not None:
            reader.found.rows += findings.marks_findings(marked.report)
    if has_scores:
        reader.read_scores()
    order = get_args(Topic)
    reader.found.rows.sort(key=lambda row: order.index(row["topic"]))
    return reader.found


@dataclass
class _Reader:
    """Collects the findings of one set."""

    judgment_set: JudgmentSet
    request_at: datetime | None
    found: SetFindings = field(default_factory=SetFindings)

    def read_scores(self) -> None:
        """The findings about scores: raters, metrics, judges, and how many ratings are enough."""
        runs = complete_board_runs(self.judgment_set)
        groups = samples.rater_groups(self.judgment_set)
        compared = None
        if len(runs) > 1:
            compared = self.read(kinds.agreement.KIND, {}, "metrics", "comparison")
        if groups:
            result = self.read(kinds.raters.KIND, {}, "agreement", "ratings")
            if result is not None:
                people = compared["people"] if compared else None
                self.found.rows += findings.agreement_findings(
                    result["raters"], people, criteria.chosen(self.judgment_set)
                )
        else:
            self._miss("agreement", NO_RATINGS, "ratings")
        if compared is not None:
            row = findings.metrics_finding(compared["metrics"], alpha=compared["alpha"])
            self.found.rows.append(row)
        if not runs:
            self._miss("metrics", NOT_SCORED, "scores")
            return
        if len(runs) == 1:
            self._miss("metrics", "One metric is scored: score another to compare them", "scores")
        if groups:
            self._read_judges(runs, groups[0])
        plan = self.read(kinds.plan.KIND, {}, "ratings", "plan", is_stored=True)
        if plan is not None:
            name = findings.metric_name(plan.metric)
            self.found.rows.append(findings.plan_finding(plan.rules, plan.target, name))

    def _read_judges(self, runs: list[MetricRun], raters: str) -> None:
        parameters = {"raters": raters}
        result = self.read(kinds.judges.KIND, parameters, "judges", "judges", is_stored=True)
        if result is not None:
            self.found.rows.append(result.finding)
        stored = analyses.find_complete_by_run("judge", self.judgment_set, parameters, runs)
        for analysis in stored[:MAX_JUDGES]:
            try:
                visible = analyses.for_viewer(self.judgment_set, analysis)
            except RefusedError:
                return
            judge = kinds.judge.KIND.result_of(visible)
            self.found.rows.append(findings.judge_finding(judge.sentence, judge.metric.run))

    def read(
        self,
        kind: AnalysisKind[P, R],
        parameters: Mapping[str, object],
        topic: Topic,
        evidence: Evidence,
        *,
        is_stored: bool = False,
    ) -> R | None:
        """The result of an analysis; without one None, and a finding that says why.

        is_stored: never computed or requested here.
        """
        find: Callable[..., Analysis | None] = (
            self._find_stored if is_stored else self._find_or_request
        )
        try:
            analysis = find(kind.name, parameters)
        except RefusedError as error:
            self._miss(topic, str(error), evidence)
            return None
        if analysis is None:
            self._miss(topic, NOT_COMPUTED[topic], evidence)
            self.found.computable.add(evidence)
        elif analysis.is_active:
            self._miss(topic, f"{NOT_COMPUTED[topic]}: it is being computed", evidence)
            self.found.pending.append(analysis)
        elif analysis.status != Analysis.Status.COMPLETE:
            self._miss(topic, f"{NOT_COMPUTED[topic]}: {analysis.reason}", evidence)
        else:
            return kind.result_of(analysis)
        return None

    def _find_stored(self, name: str, parameters: Mapping[str, object]) -> Analysis | None:
        analysis = analyses.find_analysis(name, self.judgment_set, parameters)
        return None if analysis is None else analyses.for_viewer(self.judgment_set, analysis)

    def _find_or_request(self, name: str, parameters: Mapping[str, object]) -> Analysis | None:
        analysis = analyses.find_or_compute(name, self.judgment_set, parameters)
        if analysis is None and self.request_at is not None:
            return analyses.request_if_short(
                name, self.judgment_set, parameters, at=self.request_at
            )
        return analysis

    def _miss(self, topic: Topic, text: str, evidence: Evidence) -> None:
        self.found.rows.append(findings.missing_finding(topic, text, evidence))
