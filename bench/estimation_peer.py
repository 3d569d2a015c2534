"""Intervals from few ratings: Concord beside the labelling engine of potato-annotation.

    python -m venv potato-env && potato-env/bin/pip install potato-annotation==2.12.1
    python -m bench.estimation_peer potato-env/bin/python [--draws 2000]

Both get the same simulated data: scores of all candidates and ratings of a random sample of
passages. The truth is the mean over all candidates. Potato's `ppi_mean` takes items as independent
and has no differences: its difference is that of two independent estimates.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.estimation import EstimationSample, differences, estimate_systems

LEVELS = (1.0, 5.0)
# Runs in the peer's environment: reads arrays, prints an interval a line.
PEER = """
import json, sys
import numpy as np
from potato.labeling_engine.contracts.ppi import ppi_mean
file = np.load(sys.argv[1])
for k in range(int(sys.argv[2])):
    r = ppi_mean(file[f"y{k}"], file[f"f{k}"], file[f"p{k}"], 0.95, value_range=4.0)
    print(json.dumps([r["estimate"], r["lo"], r["hi"]]))
"""


@dataclass(frozen=True)
class Setting:
    """Passages in all and rated; candidates of each passage and system; systems."""

    name: str
    passages: int
    rated: int
    each: int
    systems: int


SETTINGS = (
    Setting("independent, one system", 2000, 200, 1, 1),
    Setting("ten candidates a passage, one system", 200, 20, 10, 1),
    Setting("two systems on shared passages", 400, 50, 1, 2),
    Setting("two systems, three candidates a passage", 200, 40, 3, 2),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", help="the Python of the environment with potato-annotation")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args()
    print(f"{'setting':42} {'of':10} {'Concord':>17} {'potato':>17}   coverage, mean width")
    for setting in SETTINGS:
        rng = np.random.default_rng(parsed.seed)
        samples = [draw(setting, rng) for _ in range(parsed.draws)]
        compare(setting, samples, parsed.peer)


def draw(
    setting: Setting, rng: np.random.Generator
) -> tuple[EstimationSample, NDArray[np.float64]]:
    """Ordinal ratings of which the passage explains a half, a metric that correlates with them,
    and all ratings."""
    n = setting.passages * setting.systems * setting.each
    passages = np.repeat(np.arange(setting.passages), setting.systems * setting.each)
    systems = np.tile(np.repeat(np.arange(setting.systems), setting.each), setting.passages)
    quality = rng.normal(size=setting.passages)[passages] + rng.normal(size=n) + 0.3 * systems
    truth = np.clip(np.round(3 + quality), *LEVELS)
    scores = quality + rng.normal(size=n) + 0.5 * rng.normal(size=setting.passages)[passages]
    rated = rng.permutation(setting.passages)[: setting.rated]
    outcomes = np.where(np.isin(passages, rated), truth, np.nan)
    names = tuple("ab"[: setting.systems])
    return EstimationSample(outcomes, scores[:, None], systems, passages, names, ("metric",)), truth


def compare(
    setting: Setting, samples: list[tuple[EstimationSample, NDArray[np.float64]]], peer: str
) -> None:
    """Print coverage and mean width of means and differences."""
    own: dict[str, list[tuple[float, float, float]]] = {"mean": [], "difference": []}
    means = []
    for sample, truth in samples:
        rows = estimate_systems(sample)
        true = [float(truth[sample.systems == s].mean()) for s in range(setting.systems)]
        means.append(true)
        assert rows[0].ci is not None
        own["mean"].append((true[0], *rows[0].ci))
        if setting.systems == 2:
            (pair,) = differences(rows)[0]
            sign = 1.0 if pair.first == "a" else -1.0
            own["difference"].append((sign * (true[0] - true[1]), *pair.ci))
    theirs = run_peer(samples, peer, setting.systems)
    other: dict[str, list[tuple[float, float, float]]] = {"mean": [], "difference": []}
    z = float(scipy.stats.norm.ppf(0.975))
    for true, intervals in zip(means, theirs, strict=True):
        other["mean"].append((true[0], intervals[0][1], intervals[0][2]))
        if setting.systems == 2:
            errors = [(high - low) / 2 / z for _, low, high in intervals]
            half = z * float(np.hypot(*errors))
            value = intervals[0][0] - intervals[1][0]
            other["difference"].append((true[0] - true[1], value - half, value + half))
    for name in own:
        if own[name]:
            cells = [_figures(own[name]), _figures(other[name])]
            print(f"{setting.name:42} {name:10} {cells[0]:>17} {cells[1]:>17}")


def run_peer(
    samples: list[tuple[EstimationSample, NDArray[np.float64]]], peer: str, systems: int
) -> list[list[tuple[float, float, float]]]:
    """The peer's estimate and interval of each system, by sample."""
    arrays: dict[str, NDArray[np.float64]] = {}
    for k, (sample, _) in enumerate(samples):
        for s in range(systems):
            rows = sample.systems == s
            rated = rows & sample.is_rated
            number = k * systems + s
            arrays[f"y{number}"] = sample.outcomes[rated]
            arrays[f"f{number}"] = sample.scores[rated, 0]
            arrays[f"p{number}"] = sample.scores[rows, 0]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "samples.npz"
        np.savez(path, **arrays)  # type: ignore[arg-type]
        command = [peer, "-c", PEER, str(path), str(len(samples) * systems)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [rows[k : k + systems] for k in range(0, len(rows), systems)]


def _figures(intervals: list[tuple[float, float, float]]) -> str:
    covered = np.mean([low <= true <= high for true, low, high in intervals])
    width = np.mean([high - low for _, low, high in intervals])
    return f"{covered:.1%}, {width:.2f}"


if __name__ == "__main__":
    sys.exit(main())
