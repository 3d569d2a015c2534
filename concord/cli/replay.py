"""`concord replay FILE --scores SCORES.jsonl`: how few ratings would have been enough?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arguments import positive
from concord.cli.arguments import draws_option, seed_option
from concord.cli.command import CommandResult, command, group, option, run_with_bar
from concord.cli.draw import RuleOptions
from concord.cli.files import JudgmentFiles, Scores
from concord.documents.conversion import to_json
from concord.estimation import (
    METHODS,
    Method,
    SampleReplay,
    default_sizes,
    replay_steps,
    to_sample,
)
from concord.frames import complete_frame
from concord.sampling import (
    RuleReplay,
    default_wave_size,
    replay_design_steps,
    stopping_rule,
    to_population,
)


def sizes(text: str) -> list[int]:
    """Parse numbers of passages, for argparse."""
    return [positive(part.strip()) for part in text.split(",")]


@dataclass(frozen=True, kw_only=True)
class CollectionOptions:
    """A collection by a rule until a target."""

    rule: RuleOptions
    target: str = option(
        "width:W of every system's interval, ranking:LEVEL at which all pairs of systems differ, "
        "or budget (default: ranking:0.05)", "ranking:0.05",
    )  # fmt: skip
    wave: int | None = option("units drawn before each look (default: 1/20 of all)", parse=positive)
    budget: int | None = option("most units to draw (default: all)", parse=positive)


@dataclass(frozen=True, kw_only=True)
class ReplayInputs:
    """A rated set with scores, and what is drawn of it."""

    judgments: JudgmentFiles
    scores: Scores
    passages: Sequence[int] | None = option(
        "passages to rate, comma-separated (default: 5, 10, 20 and 40%%)", parse=sizes
    )
    method: Method = option(default="auto", choices=METHODS)
    collection: CollectionOptions = group(
        "collect by a rule until a target is reached, instead of samples of fixed sizes"
    )
    draws: int = draws_option(200, "samples of each size")
    seed: int = seed_option()


@command("sample a rated set again and again: how few ratings would be enough?")
def replay(inputs: ReplayInputs) -> CommandResult:
    """Samples of fixed sizes, or collections by a rule."""
    if inputs.collection.rule.rule is None:
        result: SampleReplay | RuleReplay = _by_size(inputs)
    elif inputs.passages or inputs.method != "auto":
        raise ValueError("--passages and --method have no meaning with --rule")
    else:
        result = _by_rule(inputs)
    name = inputs.judgments.name
    return CommandResult(results={name: result}, document={"file": name, **to_json(result)})


def _by_size(inputs: ReplayInputs) -> SampleReplay:
    metrics = inputs.scores.metrics
    sample = to_sample(inputs.judgments.read(), inputs.scores.read(), metrics)
    passages = len(np.unique(sample.passages))
    steps = replay_steps(
        sample,
        list(inputs.passages or default_sizes(passages)),
        method=inputs.method,
        draws=inputs.draws,
        rng=np.random.default_rng(inputs.seed),
    )
    rows = run_with_bar("simulating", steps)
    return SampleReplay(
        metrics=list(sample.metrics),
        method=inputs.method,
        draws=inputs.draws,
        seed=inputs.seed,
        passages=passages,
        systems=list(sample.names),
        rows=rows,
    )


def _by_rule(inputs: ReplayInputs) -> RuleReplay:
    collection = inputs.collection
    frame = complete_frame(inputs.judgments.read())
    population = to_population(
        frame, inputs.scores.read(), inputs.scores.metrics, unit=collection.rule.unit
    )
    stopping = stopping_rule(collection.target, collection.budget or population.size)
    rule = collection.rule.chosen(collection.target)
    wave = collection.wave or default_wave_size(population.size)
    steps = replay_design_steps(
        population,
        frame["score"].to_numpy(np.float64),
        rule,
        stopping,
        wave_size=wave,
        draws=inputs.draws,
        seed=inputs.seed,
    )
    rows = run_with_bar("simulating", steps)
    return RuleReplay(
        metrics=list(population.metrics),
        rule=rule,
        target=stopping,
        unit=collection.rule.unit,
        units=population.size,
        wave=wave,
        draws=inputs.draws,
        seed=inputs.seed,
        systems=list(population.names),
        rows=rows,
    )
