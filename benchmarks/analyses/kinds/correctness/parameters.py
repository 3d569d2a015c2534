"""Parameters of correctness: which answers are correct, what tunes and what is reported."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from benchmarks.analyses.parameters import any_name
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.bounds import choice, number
from concord.documents.conversion import ABSENT
from concord.meta import correctness
from concord.meta.correctness import Division, EstimateBy, Rule
from concord.meta.inference import ScoredSample
from core.refusals import RefusedError

SEED = 20
# Values in place of a split's name: a random share of the passages, and all other splits.
PASSAGES = "passages"
EVERY_OTHER = "every other"
REPORTED_SPLITS = ("test", "eval", "evaluation")


@dataclass(frozen=True)
class CorrectnessParameters:
    """How the figures are computed.

    gold: the lowest gold score of a correct answer; None: the middle of the scale. rule: what a
    threshold maximises. tune: the split that tunes thresholds, PASSAGES, or "" for the set's
    default. report: the split that is reported, EVERY_OTHER, or "" for the default. estimate: how a
    metric estimates a system's values. mixed: tune thresholds and compare systems only on questions
    with both correct and wrong candidates (AVA, section 6.4).
    """

    gold: float | None = field(
        default=None,
        metadata=number(
            -1e9,
            1e9,
            label="Correct from",
            help="Answers with this gold score or more are correct.",
        ),
    )
    rule: Rule = field(
        default="f1", metadata=choice(correctness.RULES, help="What a threshold maximises.")
    )
    tune: str = field(default="", metadata=any_name("Split to tune on."))
    report: str = field(default="", metadata=any_name("Split to report."))
    estimate: EstimateBy = field(default="threshold", metadata=choice(correctness.ESTIMATES))
    mixed: bool = False


@dataclass(frozen=True, kw_only=True)
class UsedParameters(CorrectnessParameters):
    """The parameters that were used, and the seed of the random draws; share: of passages in a
    randomly drawn tuning part; draws: of the bootstrap."""

    seed: int = SEED
    share: Annotated[float | None, ABSENT] = None
    draws: int


def resolve(judgment_set: JudgmentSet, parameters: CorrectnessParameters) -> CorrectnessParameters:
    """The parameters with the set's defaults filled in. Raises RefusedError."""
    gold, names = parameters.gold, split_names(judgment_set)
    if gold is None:
        scores = frames.frame(judgment_set).gold
        try:
            gold = correctness.default_gold_threshold(scores, judgment_set.scale)
        except ValueError as error:
            raise RefusedError(str(error), "analysis-refused") from error
    tune = parameters.tune or default_tune(names)
    report = ""
    if tune != PASSAGES:
        report = parameters.report or default_report(names, tune)
    for name in (tune, report):
        if name not in ("", PASSAGES, EVERY_OTHER, *names):
            raise RefusedError(f"the set has no judged split “{name}”", "analysis-refused")
    return replace(parameters, gold=gold, tune=tune, report=report)


def default_tune(names: list[str]) -> str:
    """What tunes thresholds by default, of a set with these splits."""
    return correctness.default_tuning_split(names) or PASSAGES


def default_report(names: list[str], tune: str) -> str:
    """What is reported by default where the split `tune` tunes."""
    folded = {name.casefold(): name for name in names if name != tune}
    return next((folded[name] for name in REPORTED_SPLITS if name in folded), EVERY_OTHER)


def split_names(judgment_set: JudgmentSet) -> list[str]:
    """The splits with judged candidates, sorted."""
    frame = frames.frame(judgment_set)
    return sorted(set(frame.labels["split"][frame.judged].tolist()) - {""})


def divide(
    judgment_set: JudgmentSet, sample: ScoredSample, resolved: CorrectnessParameters
) -> Division:
    """Divide the sample into the tuning and the reported part.

    Raises RefusedError where a part would be empty.
    """
    frame = frames.frame(judgment_set)
    try:
        if resolved.tune == PASSAGES:
            rng = np.random.default_rng(SEED)
            return correctness.divide_by_passage(sample.clusters, rng)
        splits = frame.labels["split"][frame.judged]
        reported = None if resolved.report == EVERY_OTHER else resolved.report
        return correctness.divide_by_split(splits, sample.clusters, resolved.tune, reported)
    except ValueError as error:
        raise RefusedError(str(error), "analysis-refused") from error
