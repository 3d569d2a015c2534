"""`concord draw FILE --scores SCORES.jsonl --out NEXT.jsonl`: choose what people rate next."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from concord.cli.arguments import natural, positive, share
from concord.cli.files import add_scores, print_report, selected_metrics
from concord.cli.tables import print_json
from concord.estimation import EstimationError
from concord.formats import JudgmentFile, read_judgments, write_judgments
from concord.formats.scores import read_scores
from concord.frames import complete_frame, is_sampled, to_frame
from concord.sampling import (
    AIMS,
    RULES,
    STRATIFY_BY,
    UNITS,
    Aim,
    SamplingRule,
    available_units,
    complete_waves,
    default_wave_size,
    draw_wave,
    inclusion_probabilities,
    look,
    stopping_rule,
    stored_design,
    to_population,
    unit_records,
)
from concord.sentences import counted


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "draw", help="draw the next wave of instances to rate, by a rule with stored probabilities"
    )
    option = parser.add_argument
    option("file", metavar="FILE", type=Path, help="all candidates, in the format concord")
    add_scores(parser)
    option("--out", type=Path, required=True, help="the file with the next wave's draws")
    add_rule(parser, "uniform")
    option("--wave", type=positive, help="expected units of the wave (default: 1/20 of all)")
    option("--seed", type=natural, default=0, help="seed of the draws; the same for every wave")
    option("--target", help="width:W, ranking:LEVEL or budget: draw nothing once it is reached")
    option("--budget", type=positive, help="most units to draw (default: all)")
    option("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def add_rule(parser: Any, default: str | None) -> None:
    """Add the options of a sampling rule."""
    option = parser.add_argument
    option("--rule", choices=RULES, default=default, help="how units are drawn")
    option("--aim", choices=AIMS, help="which error a stratified rule reduces "
           "(default: ranking for the target ranking, else mean)")  # fmt: skip
    option("--pair", type=_names, default=(), help="the two systems of the aim difference")
    option("--strata", choices=STRATIFY_BY, default="score")
    option("--uniform-share", type=share, default=SamplingRule.uniform_share,
           help="share of draws that are uniform (default: 0.5)")  # fmt: skip
    option("--unit", choices=UNITS, default="instance", help="what is drawn whole")


def chosen_rule(parsed: argparse.Namespace) -> SamplingRule:
    """The rule of the options. Raises EstimationError."""
    default: Aim = "ranking" if (parsed.target or "").startswith("ranking") else "mean"
    aim: Aim = parsed.aim or default
    return SamplingRule(parsed.rule, aim, parsed.pair, parsed.strata, parsed.uniform_share)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def run(parsed: argparse.Namespace) -> None:
    file = read_judgments([parsed.file], "concord")
    print_report(file.report)
    frame = complete_frame(to_frame(file))
    scores, metrics = read_scores(parsed.scores, on_report=print_report), selected_metrics(parsed)
    if is_sampled(frame):
        population, waves = stored_design(frame, scores, metrics)
    else:
        population, waves = to_population(frame, scores, metrics, unit=parsed.unit), []
    outcomes = frame["score"].to_numpy(np.float64)
    if not waves and not np.isnan(outcomes).all():
        raise EstimationError(
            "the file has ratings of candidates that no rule drew; draw from a file without "
            "`score` and `ratings`"
        )
    complete = complete_waves(population, outcomes, waves)
    if len(complete) < len(waves):
        pending = sum(int(wave.drawn.sum()) for wave in waves[len(complete) :])
        raise EstimationError(
            f"wave {len(complete) + 1} is not rated completely ({counted(pending, 'unit')} "
            "drawn since); "
            "rate all its draws before the next one"
        )
    if parsed.target and waves:
        stopping = stopping_rule(parsed.target, parsed.budget or population.size)
        now = look(population, outcomes, waves, stopping)
        if now.is_over:
            reason = "the target is reached" if now.is_reached else "the budget is used"
            raise EstimationError(
                f"{reason} after {counted(now.units, 'unit')}: nothing is left to draw"
            )
    size = parsed.wave or default_wave_size(population.size)
    available = available_units(waves, population.size)
    p = inclusion_probabilities(chosen_rule(parsed), population, outcomes, available, size)
    waves = [*waves, draw_wave(len(waves) + 1, p, population.unit_ids, seed=parsed.seed)]
    records = unit_records(population.unit_ids, waves)
    candidates = [
        replace(candidate, sampling=records[unit])
        for candidate, unit in zip(file.candidates, population.units, strict=True)
    ]
    _write(JudgmentFile(candidates, file.scale, file.report), parsed.out)
    drawn = waves[-1].drawn
    counts = {
        "wave": len(waves),
        "units": int(drawn.sum()),
        "candidates": int(drawn[population.units].sum()),
        "expected": float(np.nansum(p)),
        "drawn_before": int((~available).sum()),
        "of": population.size,
    }
    if parsed.format == "json":
        print_json(counts)
    else:
        sys.stdout.write(
            f"Wave {counts['wave']}: {counted(int(counts['units']), 'unit')} drawn "
            f"({counts['expected']:.0f} expected), "
            f"{counted(int(counts['candidates']), 'candidate')} to rate; drawn before: "
            f"{counts['drawn_before']:,} of {counts['of']:,}.\n"
        )


def _write(file: JudgmentFile, out: Path) -> None:
    with out.open("w", encoding="utf-8") as stream:
        write_judgments(stream, file.candidates, file.scale, str)
