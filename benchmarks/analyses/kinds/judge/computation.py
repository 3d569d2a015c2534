"""The analysis "judge": what one metric or judge may be used for on a set."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.judge import errors, people
from benchmarks.analyses.kinds.judge.people import JudgedSample, JudgeParameters
from benchmarks.analyses.kinds.judges.computation import candidate_lengths
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.answers import answer_table, probe_scores
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, frames
from concord.judges import (
    ConfusionMatrix,
    JudgeUse,
    Probe,
    SystemDifference,
    probe_self_preference,
    probe_stability,
    probe_verbosity,
    recommend,
    system_differences,
    use_for_systems,
)
from concord.judges.chat.probes import compare_probe
from concord.meta.inference import Progress
from core.refusals import RefusedError

MIN_CANDIDATES = 20
STEPS = 6


@dataclass(frozen=True)
class JudgeAnalysis:
    """One metric or judge in the place of people. unscored: judged candidates without the judge's
    score, which are left out. raters: None where the set has no single ratings, for the
    `no_raters`."""

    metric: RunName
    judged: int
    unscored: int
    passages: int
    scale: list[float]
    sentence: str
    for_items: JudgeUse | None
    for_systems: JudgeUse | None
    agreement: list[people.JudgeCoefficient]
    raters: people.RatersPart | None
    no_raters: str
    calibration: errors.CalibrationPart
    confusion: ConfusionMatrix | None
    rates: errors.RatesPart
    differences: list[SystemDifference]
    probes: list[Probe]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: JudgeParameters
) -> Generator[Progress, None, JudgeAnalysis]:
    """Agreement with people, the tests, corrected rates and probes of one run."""
    (run,) = runs
    sample = judged_sample(judgment_set, run)
    rng = np.random.default_rng(parameters.seed)
    family = named_systems(judgment_set, parameters.family)
    yield Progress(0, STEPS)
    raters = people.compare_with_raters(judgment_set, run, parameters)
    yield Progress(1, STEPS)
    agreement = people.agreement(judgment_set, sample, raters, parameters, rng)
    yield Progress(2, STEPS)
    differences = _differences(sample)
    systems = use_for_systems(differences) if differences else None
    compared = raters.compared
    items = compared.use if compared else None
    per_passage = compared.ratings_per_passage if compared else None
    sentence = recommend(run.metric, items, systems, ratings=per_passage)
    yield Progress(3, STEPS)
    rates = errors.rates(judgment_set, run, parameters.seed)
    yield Progress(4, STEPS)
    ratings = _single_ratings(sample, compared)
    words = candidate_lengths(judgment_set)[sample.positions]
    people_say = ratings
    if compared is None and not sample.labels.off_scale:
        people_say = sample.gold
    is_own = np.isin(sample.systems, family)
    probes = [
        _stability(run, sample),
        probe_verbosity(sample.scores, ratings, words, sample.clusters),
        probe_self_preference(sample.scores, people_say, is_own, sample.clusters),
        *_input_probes(run, sample),
    ]
    yield Progress(5, STEPS)
    return JudgeAnalysis(
        metric=RunName.of(run),
        judged=len(sample.gold) + sample.unscored,
        unscored=sample.unscored,
        passages=len(np.unique(sample.clusters)),
        scale=list(sample.scale),
        sentence=sentence,
        for_items=items,
        for_systems=systems,
        agreement=agreement,
        raters=compared.part if compared else None,
        no_raters=raters.reason,
        calibration=errors.calibration(sample),
        confusion=errors.confusion(sample),
        rates=rates,
        differences=differences,
        probes=probes,
    )


def judged_sample(judgment_set: JudgmentSet, run: MetricRun) -> JudgedSample:
    """The judged candidates that the run scored. Raises RefusedError for too few."""
    frame = frames.frame(judgment_set)
    scores = samples.oriented_scores(run)[: frame.n_candidates]
    scored = frame.judged & np.isfinite(scores)
    positions = np.flatnonzero(scored)
    if len(positions) < MIN_CANDIDATES:
        raise RefusedError(
            f"{len(positions)} judged candidates have a score of {run.metric}; a judge needs "
            f"{MIN_CANDIDATES} or more",
            "analysis-refused",
        )
    gold = frame.gold[positions]
    if np.ptp(gold) == 0:
        raise RefusedError("people gave every candidate the same score", "analysis-refused")
    return JudgedSample(
        positions,
        scores[positions],
        gold,
        frame.clusters[positions],
        frame.labels["system"][positions],
        samples.people_scale(judgment_set),
        int(np.count_nonzero(frame.judged & ~scored)),
    )


def named_systems(judgment_set: JudgmentSet, names: str) -> list[str]:
    """The systems of a comma-separated list, sorted, each once.

    Raises RefusedError for one that the set does not have.
    """
    named = sorted({name.strip() for name in names.split(",")} - {""})
    known = frames.system_positions(judgment_set) if named else {}
    for name in named:
        if name not in known:
            raise RefusedError(f"the set has no system '{name}'", "analysis-refused")
    return named


def _differences(sample: JudgedSample) -> list[SystemDifference]:
    names = sorted(set(sample.systems.tolist()) - {""})
    codes = {name: code for code, name in enumerate(names)} | {"": -1}
    systems = np.array([codes[name] for name in sample.systems.tolist()], dtype=np.int64)
    return system_differences(
        sample.scores, sample.gold, systems, sample.clusters, tuple(map(str, names))
    )


def _single_ratings(
    sample: JudgedSample, compared: people.ComparedWithRaters | None
) -> NDArray[np.float64]:
    """People's ratings of the sample's candidates, (n, m), NaN where there is none."""
    if compared is None:
        return np.full((len(sample.gold), 1), np.nan)
    values = compared.people.values
    ratings = np.full((len(sample.gold), values.shape[1]), np.nan)
    _, own, rated = np.intersect1d(sample.positions, compared.positions, return_indices=True)
    ratings[own] = values[rated]
    return ratings


def _stability(run: MetricRun, sample: JudgedSample) -> Probe:
    """The probe of a judge's repeated answers; without a figure for any other metric."""
    table: NDArray[np.float64] = sample.scores[:, None]
    if run.submission is not None:
        answers = answer_table(run.submission)
        if np.isfinite(answers).any():
            table = answers[sample.positions]
    return probe_stability(table, sample.clusters)


def _input_probes(run: MetricRun, sample: JudgedSample) -> list[Probe]:
    """The probes of a judge that was asked again with its input changed."""
    if run.submission is None:
        return []
    before = dict(zip(map(str, sample.positions.tolist()), sample.scores.tolist(), strict=True))
    clusters = dict(zip(before, sample.clusters.tolist(), strict=True))
    return [
        compare_probe(
            name, before, {str(position): score for position, score in scores.items()}, clusters
        )
        for name, scores in probe_scores(run.submission).items()
    ]


def cost(judgment_set: JudgmentSet, metrics: int, parameters: JudgeParameters) -> float:
    """Estimated seconds on one core, from two queries.

    Kappas resample the ratings of every two raters of a candidate (500 draws of 177,000 such pairs
    took 6 s for one kappa); the other figures resample ratings and candidates.
    """
    del metrics
    rows = criteria.ratings(judgment_set)
    if parameters.raters:
        rows = rows.filter(group=parameters.raters)
    ratings, pairs = rows.count(), samples.count_rater_pairs(rows)
    by_draw = 4e-6 * judgment_set.n_candidates + len(people.KAPPAS) * 7e-8 * pairs
    return 1 + 3e-4 * ratings + by_draw * parameters.draws
