"""The analysis "sentinels": does a metric beat scores that lack what a judge needs?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import (
    COEFFICIENT,
    COEFFICIENTS,
    AnalysisPage,
    Context,
    Opened,
)
from benchmarks.analyses.parameters import CoefficientParameters
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.inference import Estimate
from concord.meta.inference import Progress
from concord.meta.sentinels import beats, differences_from_sentinels
from core.refusals import RefusedError
from scorers import Item, Metric, parse_metrics
from scorers.out_of_fold import predict_out_of_fold

LENGTH, QUESTION, CANDIDATE = "sentinel-length", "sentinel-question", "sentinel-candidate"
CONSTANT = "sentinel-constant"
NAMES = (LENGTH, QUESTION, CANDIDATE)
# More candidates would make intervals hardly narrower, and encoding them takes minutes.
MAX_CANDIDATES = 4000
MIN_PASSAGES = 10
TEXTS_AT_ONCE = 256


@dataclass(frozen=True)
class Sentinel:
    """A score that lacks what a judge needs, and its correlation with people."""

    name: str
    figure: Estimate


@dataclass(frozen=True, kw_only=True)
class SentinelMetric(RunName):
    """A metric's correlation, and its difference from the best sentinel's."""

    figure: Estimate
    difference: float | None
    difference_ci: tuple[float, ...] | None
    beats_sentinels: bool | None


@dataclass(frozen=True)
class SentinelsAnalysis:
    """Sentinels beside the metrics of a set. encoder: the signature of the embeddings."""

    n: int
    judged: int
    passages: int
    encoder: str
    sentinels: list[Sentinel]
    metrics: list[SentinelMetric]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: CoefficientParameters
) -> Generator[Progress, None, SentinelsAnalysis]:
    """Correlations with people of the length of the answer, of what the question alone and the
    answer alone predict, and of every metric; with differences from the best sentinel.

    Predictions are out of fold by passage. Of a large set, whole passages are drawn.
    """
    frame = frames.frame(judgment_set)
    judged = np.flatnonzero(frame.judged)
    positions = draw_passages(judged, frame.clusters, np.random.default_rng(parameters.seed))
    gold, clusters = frame.gold[positions], frame.clusters[positions]
    passages = len(np.unique(clusters))
    if passages < MIN_PASSAGES:
        raise RefusedError(
            f"{passages} passages are judged, of at most {MAX_CANDIDATES:,} candidates in all; "
            f"sentinels need {MIN_PASSAGES} or more",
            "analysis-refused",
        )
    items = frames.items(judgment_set, positions)
    encoder = _encoder()
    scores = {LENGTH: _length_scores([item.candidate for item in items], gold)}
    scores |= yield from predictions(items, gold, clusters)
    scores |= {str(run.pk): samples.oriented_scores(run)[positions] for run in runs}
    bootstrap, figures = yield from samples.bootstrap_of_scores(
        judgment_set,
        positions,
        scores,
        gold,
        parameters.coefficient,
        seed=parameters.seed,
        draws=parameters.draws,
    )
    differences = differences_from_sentinels(bootstrap, NAMES)
    rows = [Sentinel(name, figures.figure(column)) for column, name in enumerate(NAMES)]
    constant = Sentinel(CONSTANT, Estimate(None, reason="a constant has none"))
    return SentinelsAnalysis(
        n=len(positions),
        judged=len(judged),
        passages=passages,
        encoder=encoder.signature(),
        sentinels=[*rows, constant],
        metrics=[
            SentinelMetric.of(
                run,
                figure=figures.figure(column),
                difference=differences[str(run.pk)].value,
                difference_ci=differences[str(run.pk)].ci,
                beats_sentinels=beats(differences[str(run.pk)]),
            )
            for column, run in enumerate(runs, len(NAMES))
        ],
    )


def predictions(
    items: Sequence[Item], gold: NDArray[np.float64], clusters: NDArray[np.int64]
) -> Generator[Progress, None, dict[str, NDArray[np.float64]]]:
    """What an encoder's embeddings of the questions alone and of the candidates alone predict of
    gold scores on other passages: float64 (n,) each, by the sentinel's name.

    Zero where all texts are equal, as in a set without questions. Raises ModelError where the
    encoder cannot run.
    """
    encoder, scores = _encoder(), {}
    texts_of = {
        QUESTION: [item.question for item in items],
        CANDIDATE: [item.candidate for item in items],
    }
    for number, (name, texts) in enumerate(texts_of.items()):
        if len(set(texts)) < 2:
            scores[name] = np.zeros_like(gold)
            continue
        features = yield from _embeddings(encoder, texts, number * len(items), 2 * len(items))
        scores[name] = predict_out_of_fold(features, gold, clusters)
    return scores


def draw_passages(
    judged: NDArray[np.int64], clusters: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """At most MAX_CANDIDATES of the judged positions, as whole passages, in their order."""
    if len(judged) <= MAX_CANDIDATES:
        return judged
    passages, sizes = np.unique(clusters[judged], return_counts=True)
    drawn, room = [], MAX_CANDIDATES
    for k in rng.permutation(len(passages)):
        if sizes[k] <= room:
            drawn.append(passages[k])
            room -= sizes[k]
    return judged[np.isin(clusters[judged], drawn)]


def _encoder() -> Metric:
    (encoder,) = parse_metrics("sentence-similarity")
    return encoder


def _length_scores(texts: Sequence[str], gold: NDArray[np.float64]) -> NDArray[np.float64]:
    """The number of words, or its negative where people prefer short answers."""
    words = np.array([len(text.split()) for text in texts], dtype=np.float64)
    return words if np.cov(words, gold)[0, 1] >= 0 else -words


def _embeddings(
    encoder: Metric, texts: Sequence[str], done: int, total: int
) -> Generator[Progress, None, NDArray[np.float64]]:
    parts = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        part = texts[start : start + TEXTS_AT_ONCE]
        parts.append(scoring.session().embeddings(encoder, part))
        yield Progress(done + start + len(part), total)
    return np.concatenate(parts)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: CoefficientParameters) -> float:
    """Estimated seconds on one core."""
    n = min(judgment_set.n_candidates, MAX_CANDIDATES)
    return encoding_seconds(n) + 1e-8 * n * (metrics + 3) * float(parameters.draws)


def encoding_seconds(n: int) -> float:
    """Estimated seconds for the `predictions` of n candidates: an encoder's start, 6 ms a text."""
    return 5 + 0.012 * n


def arrange(opened: Opened, result: SentinelsAnalysis) -> Context:
    """The metrics, best first, and those that are not shown to beat every sentinel."""
    metrics = sorted(result.metrics, key=lambda row: -(row.figure.value or -1.0))
    return {
        "coefficient_name": COEFFICIENTS[opened.query["coefficient"]],
        "metrics": metrics,
        "not_better": [row for row in metrics if row.beats_sentinels is False],
        "untested": [row for row in metrics if row.beats_sentinels is None],
    }


KIND = AnalysisKind(
    name="sentinels",
    parameters=CoefficientParameters,
    compute=compute,
    document=SentinelsAnalysis,
    cost=cost,
    reads=frozenset({"runs", "criterion", "models"}),
    revision=3,
    page=AnalysisPage(
        name="sentinels",
        section_of="judges",
        form=(COEFFICIENT,),
        arrange=arrange,
    ),
)
