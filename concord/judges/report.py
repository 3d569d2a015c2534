"""The report of one or more judges: the test, agreement, and judges that see nothing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated

import numpy as np

from concord.arrays import Floats
from concord.documents.conversion import ABSENT, to_json
from concord.inference import Estimate
from concord.judges.agreement import MIN_CORRELATION, JudgeAgreement, judge_agreement
from concord.judges.alternative_annotator import (
    AltTest,
    AltTestOptions,
    apply_test,
    compare_with_raters,
    with_interval,
)
from concord.judges.baselines import baseline_judges
from concord.judges.graded_scores import JudgeLabels, judge_labels
from concord.judges.labels import HumanLabels
from concord.meta.inference import SampleError, SingleRatings, human_agreement
from concord.reliability import RatingsError
from concord.sentences import figure_text
from concord.tables import ResultTable, count, figure, number, point, text
from concord.tables.result import PlottedResult

JsonObject = dict[str, object]
HEADINGS = {"pearson": "Pearson", "people_kappa": "raters' kappa"}
"""Of columns that are not called as their figure."""


@dataclass(frozen=True, kw_only=True)
class AltTestFigures:
    """A test without the raters' names. omega: share of tested raters whom the judge may replace;
    rejected: their number. rho, rho_ci: the advantage. Without a tested rater, `passed` is None and
    `reason` says how much data is missing."""

    omega: float | None
    passed: bool | None
    rho: float | None
    rho_ci: tuple[float, float] | None
    tested: int
    rejected: int
    reason: Annotated[str | None, ABSENT] = None


@dataclass(frozen=True, kw_only=True)
class JudgeFigures(AltTestFigures):
    """The test of a judge, with independent items; by_document: items of one passage are dependent.
    beats_baselines: whether its interval of rho lies above the best rho of judges that do not look
    at the item; None where the judge is not tested."""

    by_document: AltTestFigures
    pearson: Estimate
    spearman: Estimate
    kappa: Estimate
    z: Estimate
    beats_baselines: bool | None


@dataclass(frozen=True)
class JudgeReport:
    """One judge: the test with independent items, with dependent items where clusters are known,
    and agreement with people."""

    test: AltTest
    by_cluster: AltTest | None
    agreement: JudgeAgreement

    def figures(self, least: float) -> JudgeFigures:
        """The figures without the raters. least: the best rho of the baselines."""
        agreement, ends = self.agreement, self.test.advantage.ci
        return JudgeFigures(
            **vars(figures_of(self.test)),
            by_document=figures_of(self.by_cluster or self.test),
            pearson=agreement.pearson,
            spearman=agreement.spearman,
            kappa=agreement.kappa,
            z=agreement.z,
            beats_baselines=None if ends is None else ends[0] > least,
        )

    def to_json(self) -> JsonObject:
        agreement = self.agreement
        row: JsonObject = _test_json(self.test)
        if self.by_cluster is not None:
            row["by_document"] = _test_json(self.by_cluster)
        figures = {k: v.to_json() for k, v in vars(agreement).items() if isinstance(v, Estimate)}
        return row | figures | {"verdict": agreement.verdict}


@dataclass(frozen=True)
class JudgeReports(PlottedResult):
    """Judges by name, and the baselines beside them.

    baselines: those of `baseline_judges`. warnings: sentences about labels that only one side has
    (`HumanLabels.label_warnings`), and about judges that a baseline equals or beats. person:
    Pearson's r of one rater with the mean of the others, beside which a judge's is read; undefined
    for categories.
    """

    judges: dict[str, JudgeReport]
    baselines: dict[str, JudgeReport]
    warnings: list[str]
    person: Estimate

    @property
    def named(self) -> list[tuple[str, JudgeReport]]:
        """The judges, and the baselines below them."""
        baselines = [(f"baseline: {name}", one) for name, one in self.baselines.items()]
        return [*self.judges.items(), *baselines]

    def tables(self) -> Iterable[ResultTable]:
        agreement = ["accuracy", "kappa", "people_kappa", "z"]
        if any(one.agreement.pearson.value is not None for one in self.judges.values()):
            agreement.insert(0, "pearson")
        columns = [
            text("judge"),
            number("omega", "test.winning_rate", digits=2),
            text("passes", lambda row: _passes(row["test"])),
            figure("rho", "test.advantage", digits=2),
            number("omega by document", "by_cluster.winning_rate", digits=2),
            text("passes by document", lambda row: _passes(row["by_cluster"])),
            *(point(HEADINGS.get(name, name), f"agreement.{name}", digits=2) for name in agreement),
            count("missing", "test.missing"),
        ]
        rows = [{"judge": name, **vars(one)} for name, one in self.named]
        yield ResultTable("", columns, rows, plot="rho, as good as a rater")

    def sentences(self) -> Iterable[str]:
        yield "95% intervals of rho: bootstrap of items, or of documents where known."
        yield from (f"Warning: {warning}." for warning in self.warnings)
        for name, one in self.judges.items():
            if one.test.reason:
                yield f"{name}: {one.test.reason}."
            if one.test.advantage.no_interval:
                yield f"{name}: no interval: {one.test.advantage.no_interval}."
        if self.person.value is not None:
            r = figure_text(self.person.value, self.person.ci, 2)
            yield (
                f"Judge's Verdict asks for an r of {MIN_CORRELATION:.2f}; that of one rater with "
                f"the mean of the others is {r}. A judge's r is with the mean of all raters, which "
                "alone makes it higher."
            )

    def to_json(self) -> JsonObject:
        return {
            "judges": {name: report.to_json() for name, report in self.judges.items()},
            "baselines": {name: report.to_json() for name, report in self.baselines.items()},
            "warnings": self.warnings,
            "person": self.person.to_json(),
        }


def judge_report(
    people: Mapping[str, Mapping[str, str | float]],
    judges: Mapping[str, Mapping[str, str | float]],
    *,
    graded: bool = False,
    clusters: Mapping[str, Hashable] | None = None,
    options: AltTestOptions | None = None,
    scale: tuple[float, float] | None = None,
) -> JudgeReports:
    """Test each judge {item: label} against people {rater: {item: label}}, beside baselines.

    graded: labels are numbers on a scale; else categories. A judge whose grades are not on people's
    `scale`, the range of their grades by default, has fitted ones (`judge_labels`), and a warning
    says so. clusters: the document of each item; with it, the test is also given for dependent
    items. All judges use the same random numbers, from `options.seed`. Raises RatingsError for
    fewer than two raters, an item without a cluster, a judge that shares no item with people or has
    no label in common with them (`HumanLabels.label_warnings`), and an epsilon or q outside of
    [0, 1].
    """
    options = replace(options or AltTestOptions(), by_cluster=clusters is not None)
    for name, value in (("epsilon", options.epsilon), ("q", options.q)):
        if not 0 <= value <= 1:
            raise RatingsError(f"{name} is {value:g}; it lies from 0 to 1")
    labels = HumanLabels.from_mapping(people, graded=graded, clusters=clusters, scale=scale)
    reports, warnings = {}, []
    for name, of_judge in judges.items():
        values = labels.codes_of(of_judge)
        if np.isnan(values).all():
            raise RatingsError(f"the judge '{name}' has no label for any item of the raters")
        own = JudgeLabels(values)
        if graded:
            own = judge_labels(values, labels.verdicts, labels.clusters, labels.scale)
            warnings += [f"{name}: {own.off_scale}"] if own.off_scale else []
        else:
            warnings += labels.label_warnings(name, of_judge)
        reports[name] = report_judge(labels, own.values, options, values)
    baselines = {
        name: report_judge(labels, values, options)
        for name, values in baseline_judges(labels, np.random.default_rng(options.seed)).items()
    }
    warnings += baseline_warnings(reports, baselines)
    return JudgeReports(reports, baselines, warnings, person_agreement(labels, options))


def report_judge(
    people: HumanLabels, judge: Floats, options: AltTestOptions, scores: Floats | None = None
) -> JudgeReport:
    """The report of one judge with labels (items,).

    With `options.by_cluster` the test is also given for dependent items. scores: the judge's own,
    (items,), of which correlations are; its labels by default.
    """
    comparison = compare_with_raters(people, judge)

    def test(*, by_cluster: bool) -> AltTest:
        return apply_test(comparison, replace(options, by_cluster=by_cluster))

    def interval(test: AltTest) -> AltTest:
        rng = np.random.default_rng(options.seed)
        return with_interval(test, comparison, draws=options.draws, rng=rng)

    independent, dependent = interval(test(by_cluster=False)), None
    if options.by_cluster:
        dependent = test(by_cluster=True)
        # The interval is of the same raters, but for those whose items are all of one cluster.
        if dependent.advantage.value == independent.advantage.value:
            dependent = replace(dependent, advantage=independent.advantage)
        else:
            dependent = interval(dependent)
    return JudgeReport(independent, dependent, judge_agreement(people, judge, scores))


def person_agreement(people: HumanLabels, options: AltTestOptions) -> Estimate:
    """Pearson's r of one rater with the mean of the others (`human_agreement`): what a judge that
    is exactly one more rater would have with the mean of as many others."""
    if not people.graded:
        return Estimate(None, reason="labels are categories")
    items, columns = np.nonzero(~np.isnan(people.values))
    try:
        ratings = SingleRatings.from_arrays(
            items,
            people.values[items, columns],
            items=np.arange(len(people.items)),
            clusters=people.clusters,
            raters=people.rater_codes[items, columns],
        )
        rng = np.random.default_rng(options.seed)
        return human_agreement(ratings, "pearson", rng=rng, draws=options.draws).held_out
    except SampleError as error:
        return Estimate(None, reason=str(error))


def baseline_warnings(
    judges: dict[str, JudgeReport], baselines: dict[str, JudgeReport]
) -> list[str]:
    """Sentences about judges that a baseline equals or beats, and baselines that pass the test."""
    warnings = []
    for name, baseline in baselines.items():
        rho = baseline.test.advantage.value
        if rho is None:
            continue
        beaten = [
            judge
            for judge, report in judges.items()
            if report.test.winning_rate is not None and (report.test.advantage.value or 0.0) <= rho
        ]
        if beaten:
            warnings.append(
                f"the baseline '{name}', which does not look at the item, has a rho of {rho:.2f}: "
                f"as high as or higher than {', '.join(beaten)}"
            )
        if baseline.test.passed:
            warnings.append(
                f"the baseline '{name}' passes the test: it cannot tell judges apart here"
            )
    return warnings


def figures_of(test: AltTest) -> AltTestFigures:
    """The figures of a test."""
    tested = [rater for rater in test.raters.values() if rater.p is not None]
    return AltTestFigures(
        omega=test.winning_rate,
        passed=test.passed,
        rho=test.advantage.value,
        rho_ci=test.advantage.ci,
        tested=len(tested),
        rejected=sum(rater.rejected for rater in tested),
        reason=test.reason or None,
    )


def _passes(test: AltTest | None) -> str:
    if test is None:
        return ""
    return "not tested" if test.passed is None else "yes" if test.passed else "no"


def _test_json(test: AltTest) -> JsonObject:
    row: JsonObject = {
        **to_json(figures_of(test)),
        "missing": test.missing,
        "raters": {
            name: {key: value for key, value in asdict(rater).items() if value not in (None, "")}
            | {"judge_wins": rater.judge_wins, "rater_wins": rater.rater_wins, "p": rater.p}
            for name, rater in test.raters.items()
        },
    }
    if test.advantage.clusters is not None:
        row["rho_resamples"] = dict(test.advantage.resamples_json())
    return row
