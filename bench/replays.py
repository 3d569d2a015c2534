"""Replays of sampling rules on real judgments: ratings saved, coverage, wrong decisions.

    python -m bench.replays WORK [--draws 500] [--only avsd]

Scores are computed once and kept in the folder WORK. Each set is cut into two parts of passages:
rules are compared on the first ("choice"), and the chosen one and the uniform one are run on the
second ("report"). EVOUNA has only the questions that AVA's checkpoint was not trained on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import concord
from bench import judgment_data
from concord.frames import cluster_codes, complete_frame
from concord.meta.inference.draws import run_steps
from concord.sampling import (
    DesignReplay,
    SamplingRule,
    StoppingRule,
    default_wave_size,
    replay_design_steps,
    to_population,
)
from concord.scoring import frame_items
from scorers.learned.training_items import match_training_items

SEED = 1
RULES = {
    "stratified": SamplingRule("stratified"),
    "stratified, 0.2 uniform": SamplingRule("stratified", uniform_share=0.2),
    "stratified for the ranking": SamplingRule("stratified", aim="ranking"),
}


@dataclass(frozen=True)
class Setting:
    """A set, its metrics, the target width, and the share of passages to choose a rule on; without
    them the rule is "stratified"."""

    name: str
    read: Callable[[], pd.DataFrame]
    metrics: str
    width: float
    choice: float = 0.5


def _evouna() -> pd.DataFrame:
    frame = complete_frame(concord.read_judgments(judgment_data.path("evouna/NQ.json"), "evouna"))
    overlap = match_training_items("ava-features", frame_items(frame))
    fresh = frame[~(overlap.same_question | overlap.same_candidate) & frame["score"].notna()]
    is_complete = (
        fresh.groupby("instance")["system"].transform("nunique") == frame["system"].nunique()
    )
    return fresh[is_complete].reset_index(drop=True)


def _kpqa(file: str, systems: tuple[str, str], references: int) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        path = judgment_data.path(f"kpqa/{file}")
        frame = concord.read_judgments(path, "kpqa", systems=systems, references=references)
        return complete_frame(frame)

    return read


def _thumb() -> pd.DataFrame:
    path = judgment_data.path("thumb/cnndm_part1.jsonl")
    frame = concord.read_judgments(path, "thumb", criterion="relevance")
    return complete_frame(frame[frame["score"].notna()])


SETTINGS = (
    Setting("EVOUNA-NQ", _evouna, "ava", 0.15),
    Setting("AVSD", _kpqa("avsd_all.csv", ("MTN", "AMF"), 5), "rouge-l-kpqa", 0.8),
    Setting("MS MARCO", _kpqa("marco_all.csv", ("UniLM", "MHPGM"), 1), "rouge-l-kpqa", 0.8),
    Setting("THumB", _thumb, "rouge-l,bleu-1,chrf,token-f1", 0.8, 0.0),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--only", help="one set's name")
    parsed = parser.parse_args()
    for setting in SETTINGS:
        if parsed.only in (None, setting.name):
            replay(setting, parsed.work, parsed.draws)


def replay(setting: Setting, work: Path, draws: int) -> None:
    """Print the rules' figures on the part of choice, and two rules' on the part of report."""
    frame = setting.read()
    scores = _scores(frame, setting, work)
    passages = cluster_codes(frame)
    first = np.random.default_rng(SEED).random(passages.max() + 1) < setting.choice
    best = dict.fromkeys(("width", "ranking"), ("stratified", 0.0))
    for part in ("choice", "report") if setting.choice else ("report",):
        rows = first[passages] == (part == "choice")
        chosen = frame[rows].reset_index(drop=True)
        population = to_population(chosen, scores[rows].reset_index(drop=True))
        outcomes = chosen["score"].to_numpy(np.float64)
        print(f"{setting.name}, {part}: {population.size} instances", flush=True)
        for kind, value in (("width", setting.width), ("ranking", 0.05)):
            stopping = StoppingRule(kind, value, population.size)
            names = [*RULES] if part == "choice" else [best[kind][0]]
            for position, name in enumerate(names):
                steps = replay_design_steps(
                    population, outcomes, RULES.get(name, SamplingRule()), stopping,
                    wave_size=default_wave_size(population.size), draws=draws, seed=SEED,
                )  # fmt: skip
                results = run_steps(steps, None)
                for row in results if position == 0 else results[2:]:
                    label = row.rule if row.rule in ("plain mean", "uniform") else name
                    print(f"  {kind} {value:g}  {label:24} {_figures(row)}", flush=True)
                    if part == "choice" and row.rule != "plain mean":
                        best[kind] = max(best[kind], (label, row.saving), key=lambda pair: pair[1])


def _figures(row: DesignReplay) -> str:
    return (
        f"{row.units:7.1f} units {row.ratings:8.0f} ratings; {row.saving:.2f} "
        f"({row.saving_ci[0]:.2f} to {row.saving_ci[1]:.2f}); reached {row.reached:.0%}, coverage "
        f"{row.coverage or 0:.1%}, all looks {row.all_looks or 0:.1%}, resolved "
        f"{row.resolved or 0:.1%}, wrong {row.wrong or 0:.2%}, refused {row.refused:.1%}"
    )


def _scores(frame: pd.DataFrame, setting: Setting, work: Path) -> pd.DataFrame:
    """The scores in the frame's order, computed or read."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / f"{setting.name}.csv"
    if not path.exists():
        concord.score(frame, setting.metrics).to_csv(path, index=False)
    return pd.read_csv(path)


if __name__ == "__main__":
    sys.exit(main())
