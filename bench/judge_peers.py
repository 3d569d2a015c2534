"""Juries and drift beside potato-annotation, calibration beside cje-eval, on the same data.

    python -m venv potato-env && potato-env/bin/pip install potato-annotation==2.12.1
    python -m venv cje-env && cje-env/bin/pip install cje-eval==0.9.3
    python -m bench.judge_peers --potato potato-env/bin/python --cje cje-env/bin/python

All data are simulated, so that the truth is known. Potato's jury is the code of its source `jury`
with members that answer from a list; its audit of drift, `monitor`, gets the judge's errors of each
night in their order. Both packages have more than is compared here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.estimation_peer import SETTINGS, draw
from concord.estimation import differences, estimate_systems
from concord.judges import Rejudged, drift_report, jury_report, jury_scores
from concord.judges.jury_rules import JuryRule

LABELS = ("a", "b", "c")
RULES: tuple[JuryRule, ...] = ("majority", "weighted", "dawid-skene")
NIGHTS, ITEMS, CHANGED_AT = 365, 200, 30

# Reads arrays `votes0`, (judges, items), codes of labels; prints the jury's codes, a line a set.
POTATO_JURY = """
import json, sys
from types import SimpleNamespace as Any
import numpy as np
from potato.labeling_engine.model.records import Prediction
from potato.labeling_engine.schemes import SchemeSpec
from potato.labeling_engine.sources.jury import JurySource
labels = json.loads(sys.argv[3])
scheme = SchemeSpec("s", "radio", labels)
store = Any(register_source_version=lambda one: None, add_predictions=lambda rows: None)
context = Any(store=store, run_id=1)
class Member:
    def __init__(self, name, votes):
        self.name, self.votes = name, votes
    def version(self, scheme):
        return Any(version_id=self.name)
    def predict_batch(self, items, scheme, ctx, sv):
        return [Prediction(i.item_id, "s", self.name, labels[v]) for i, v in zip(items, self.votes)]
file = np.load(sys.argv[1])
for k in range(int(sys.argv[2])):
    votes = file[f"votes{k}"]
    jury = JurySource(Any(id="jury", members=[], aggregation="vote"))
    jury._member_cache = [Member(f"m{j}", row) for j, row in enumerate(votes)]
    items = [Any(item_id=str(i)) for i in range(votes.shape[1])]
    made = jury.predict_batch(items, scheme, context, Any(version_id="jury"))
    print(json.dumps([labels.index(one.value) for one in made]))
"""

# Reads arrays `wrong0`, (nights, items); prints the night of the alarm by margin over the base.
POTATO_DRIFT = """
import json, sys
import numpy as np
from potato.labeling_engine.audit.drift import monitor
file = np.load(sys.argv[1])
for k in range(int(sys.argv[2])):
    wrong = file[f"wrong{k}"]
    nights = []
    for margin in json.loads(sys.argv[3]):
        target = float(wrong[0].mean()) + margin
        found = monitor(wrong[1:].ravel().tolist(), target, 0.95)["breach_at"]
        nights.append(None if found is None else 1 + (found - 1) // wrong.shape[1])
    print(json.dumps(nights))
"""

# Reads arrays s, y, p (scores, ratings with NaN, passages) of each system and sample.
CJE = """
import json, logging, sys, warnings
import numpy as np
from cje import analyze_dataset
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
file = np.load(sys.argv[1])
draws, systems = json.loads(sys.argv[3])
for k in range(draws):
    data = {}
    for s in range(systems):
        rows = zip(*(file[f"{name}{k}-{s}"].tolist() for name in "syp"))
        data[f"s{s}"] = [
            {"prompt_id": f"q{p}", "judge_score": score, "row_id": f"{s}-{i}",
             "oracle_label": None if label != label else label}
            for i, (score, label, p) in enumerate(rows)
        ]
    result = analyze_dataset(fresh_draws_data=data)
    out = [[float(result.estimates[s]), *map(float, result.ci()[s])] for s in range(systems)]
    if systems == 2:
        pair = result.compare_policies("s0", "s1")
        out.append([pair["difference"], pair["ci_lower"], pair["ci_upper"]])
    print(json.dumps(out))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--potato", help="the Python of the environment with potato-annotation")
    parser.add_argument("--cje", help="the Python of the environment with cje-eval")
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args()
    if parsed.potato:
        compare_juries(parsed.potato, parsed.draws, parsed.seed)
        # A year of nights takes Potato's audit a tenth of a second for each margin.
        compare_drift(parsed.potato, parsed.draws // 3, parsed.seed)
    if parsed.cje:
        compare_calibration(parsed.cje, parsed.draws, parsed.seed)


def run_peer(python: str, code: str, arrays: dict[str, NDArray[Any]], *arguments: str) -> list[Any]:
    """The JSON of each line that a program in the peer's environment prints."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "samples.npz"
        np.savez(path, **arrays)
        command = [python, "-c", code, str(path), *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@dataclass(frozen=True)
class Panel:
    """Judges by their shares of right labels. shared: the share of items on which all err alike."""

    name: str
    right: tuple[float, ...]
    shared: float = 0.0


PANELS = (
    Panel("five equal judges, independent errors", (0.7,) * 5),
    Panel("five equal judges, half of the errors shared", (0.7,) * 5, shared=0.15),
    Panel("one good judge, four weak ones", (0.85, 0.5, 0.5, 0.5, 0.5)),
    Panel("four judges, ties", (0.75, 0.7, 0.65, 0.6)),
)


def draw_panel(
    panel: Panel, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(people's labels (n,), the judges' (judges, n)), of three labels, one item a passage."""
    n = ITEMS
    gold = rng.integers(0, 3, n)
    wrong = (gold + rng.integers(1, 3, n)) % 3
    together = rng.random(n) < panel.shared
    rows = []
    for right in panel.right:
        alone = (1 - right - panel.shared) / (1 - panel.shared)
        own = np.where(rng.random(n) < alone, (gold + rng.integers(1, 3, n)) % 3, gold)
        rows.append(np.where(together, wrong, own))
    return gold, np.stack(rows)


def compare_juries(python: str, draws: int, seed: int) -> None:
    """Print the share of right labels of each jury, and how often the gain's interval is right."""
    head = ("best judge", "Potato", *RULES)
    print(f"{'jury: right labels':46}" + "".join(f"{name:>13}" for name in head) + "     coverage")
    for panel in PANELS:
        rng = np.random.default_rng(seed)
        samples = [draw_panel(panel, rng) for _ in range(draws)]
        arrays = {f"votes{k}": votes for k, (_, votes) in enumerate(samples)}
        theirs = run_peer(python, POTATO_JURY, arrays, str(draws), json.dumps(LABELS))
        pairs = zip(samples, np.array(theirs), strict=True)
        right = [
            [np.mean(one == gold) for one in (votes[0], made)] for (gold, votes), made in pairs
        ]
        own = [_own_jury(*sample) for sample in samples]
        shares = np.column_stack([right, [row for row, _ in own]])
        # The gain of the majority over the first judge, which is the best one or an equal one.
        truth = float(np.mean(shares[:, 2] - shares[:, 0]))
        covered = np.mean([low <= truth <= high for _, (low, high) in own])
        cells = "".join(f"{value:13.1%}" for value in shares.mean(axis=0))
        print(f"{panel.name:46}{cells}{covered:13.1%}")


def _own_jury(
    gold: NDArray[np.int64], votes: NDArray[np.int64]
) -> tuple[list[float], tuple[float, float]]:
    """(the share of right labels of each rule, the interval of the majority's gain)."""
    judges = {f"j{k}": row.astype(float) for k, row in enumerate(votes)}
    people, clusters = gold.astype(float), np.arange(len(gold))
    shares = []
    for rule in RULES:
        jury = jury_scores(judges, people, clusters, rule=rule, graded=False)
        shares.append(float(np.mean(jury.values == people)))
    report = jury_report(judges, people, clusters, graded=False, draws=200)
    gain = next(row.gain for row in report.juries if row.rule == "majority")
    low, high = gain.ci or (-np.inf, np.inf)
    return shares, (low, high)


MARGINS = (0.0, 0.05)
WORDS = ("right", "wrong")


def compare_drift(python: str, draws: int, seed: int) -> None:
    """Print how often each raises an alarm in a year of nights: the same 200 items, judged again by
    a judge that answers anew every night, and falls on night 30 or never."""
    print(f"\n{'drift: an alarm within a year':46}{'Concord':>13}" + "".join(
        f"{f'Potato +{margin:g}':>14}" for margin in MARGINS) + "   median night")  # fmt: skip
    for fall in (0.0, 0.05, 0.1, 0.2):
        rng = np.random.default_rng(seed)
        hard = [rng.beta(2, 8, ITEMS) for _ in range(draws)]
        samples = []
        for chance in hard:
            later = np.minimum(1.0, chance + fall)
            nights = [chance if night < CHANGED_AT else later for night in range(NIGHTS)]
            samples.append(rng.random((NIGHTS, ITEMS)) < np.array(nights))
        arrays = {f"wrong{k}": wrong for k, wrong in enumerate(samples)}
        theirs = run_peer(python, POTATO_DRIFT, arrays, str(draws), json.dumps(MARGINS))
        own = [_own_alarm(wrong) for wrong in samples]
        columns = [own, *zip(*theirs, strict=True)]
        name = f"falls by {fall:.2f} on night {CHANGED_AT}" if fall else "never changes"
        rates = [np.mean([night is not None for night in column]) for column in columns]
        found = [[night for night in column if night is not None] for column in columns]
        medians = ", ".join(f"{np.median(one):.0f}" if one else "-" for one in found)
        print(f"{name:46}" + "".join(f"{rate:14.1%}" for rate in rates) + f"   {medians}")


def _own_alarm(wrong: NDArray[np.bool_]) -> int | None:
    """The first night on which `drift_report` with looks for all nights says that agreement
    fell."""
    gold, clusters = np.zeros(wrong.shape[1]), np.arange(wrong.shape[1])
    base = wrong[0].astype(float)
    for night, now in enumerate(wrong[1:], start=1):
        # A fall is seen from 3.6 standard errors on at 364 looks: most nights need no report.
        change = now - base
        if change.mean() <= 2 * change.std() / np.sqrt(len(change)):
            continue
        pair = {"j": Rejudged(base, now.astype(float))}
        report = drift_report(
            pair, gold, clusters, graded=False, looks=NIGHTS - 1, categories=WORDS
        )
        if report.judges["j"].verdict == "agreement fell":
            return night
    return None


def compare_calibration(python: str, draws: int, seed: int) -> None:
    """Print coverage, mean width and root mean squared error of means and differences."""
    print(f"\n{'calibration: coverage, width, error':46}{'of':>12}{'Concord':>22}{'cje-eval':>22}")
    for setting in SETTINGS:
        rng = np.random.default_rng(seed)
        samples = [draw(setting, rng) for _ in range(draws)]
        arrays: dict[str, NDArray[Any]] = {}
        own = []
        for k, (sample, _) in enumerate(samples):
            rows = estimate_systems(sample, target="new")
            of_systems = [sample.systems == s for s in range(setting.systems)]
            for s, mask in enumerate(of_systems):
                arrays[f"s{k}-{s}"] = sample.scores[mask, 0]
                arrays[f"y{k}-{s}"] = sample.outcomes[mask]
                arrays[f"p{k}-{s}"] = sample.passages[mask]
            means = [(row.mean, *(row.ci or (np.nan, np.nan))) for row in rows]
            if setting.systems == 2:
                (pair,) = differences(rows)[0]
                sign = 1.0 if pair.first == "a" else -1.0
                ends = sorted(sign * end for end in pair.ci)
                means.append((sign * pair.value, *ends))
            own.append(means)
        # The truth of new passages: the mean over all samples' candidates.
        every = np.array([[truth[sample.systems == s].mean() for s in range(setting.systems)]
                          for sample, truth in samples]).mean(axis=0)  # fmt: skip
        truths = [every[0], *([every[0] - every[1]] if setting.systems == 2 else [])]
        sizes = json.dumps([draws, setting.systems])
        theirs = run_peer(python, CJE, arrays, "0", sizes)
        for name, truth, at in zip(("mean", "difference"), truths, (0, -1), strict=False):
            cells = [_cell([row[at] for row in one], truth) for one in (own, theirs)]
            print(f"{setting.name:46}{name:>12}" + "".join(f"{cell:>22}" for cell in cells))


def _cell(rows: list[Any], truth: float) -> str:
    values, low, high = np.array(rows, dtype=float).T
    covered = np.mean((low <= truth) & (truth <= high))
    error = np.sqrt(np.mean((values - truth) ** 2))
    return f"{covered:.1%}, {np.mean(high - low):.3f}, {error:.3f}"


if __name__ == "__main__":
    main()
