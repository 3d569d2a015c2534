"""Compare metrics that are trained on judgments with the other metrics, on one file of judgments.

    python -m bench.judges FORMAT:FILE [--learned lerc,ava] [--others A,B] [--part test]
        [--split-of lerc] [--draws 2000] [--seed 1] [--keep DIR] [--json OUT.json] [--title TITLE]

`--part` is one of the parts into which the training of `--split-of` divided the file, or "all". If
gold scores are right or wrong, thresholds are tuned on the dev part: by the highest F1 for F1 and
balanced accuracy, by the lowest error of the systems' shares of correct answers (AVA, Section 6.4)
for the RMSE. Intervals are 95% percentiles over draws of questions, with the same draws for all
metrics and fixed thresholds. Paired differences from all other metrics follow for each learned
metric. `--keep` stores scores by metric and signature for later runs. With `--title`, the figures
are added to the cards of the learned metrics, under that title.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from concord.meta.correctness import FIGURES as VERDICTS
from concord.meta.correctness import system_errors, tune_by_f1, tune_by_system_error
from scorers import Metric, Session, parse_metrics
from scorers.datasets.judgments import Judgment, Split, read_judgments
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.evaluation import is_binary
from scorers.learned.metric import LearnedMetric
from scorers.registry import ready_names

Vector = NDArray[np.float64]
TRAINED = ("lerc", "sts", "ava")
#: Figures by name.
FIGURES = ("pearson", "auc", "balanced accuracy", "f1", "rmse")


@dataclass(frozen=True)
class Part:
    """Judgments of one part of a file: gold, and codes of question and system, each (n,)."""

    judgments: list[Judgment]
    gold: Vector
    questions: NDArray[np.int64]
    systems: NDArray[np.int64]
    names: list[str]

    @classmethod
    def of(cls, judgments: list[Judgment]) -> Part:
        names, systems = np.unique([one.system for one in judgments], return_inverse=True)
        _, questions = np.unique([one.group for one in judgments], return_inverse=True)
        gold = np.array([one.gold for one in judgments])
        return cls(judgments, gold, questions, systems, names.tolist())

    @property
    def system_shares(self) -> Vector:
        """Each system's mean gold."""
        return np.array([self.gold[self.systems == k].mean() for k in range(len(self.names))])


def main() -> None:
    parsed = _options().parse_args()
    format_, _, path = parsed.file.partition(":")
    judgments = read_judgments(Path(path), format_)
    split = Split(
        **CheckpointCard.read(checkpoint_folder(parsed.split_of)).options["recipe"]["split"]
    )
    part = Part.of(split.part(judgments, parsed.part))
    tuning = None
    if is_binary(part.gold):
        if parsed.part == "all":
            raise SystemExit("verdicts need a dev part to tune thresholds on: give --part test")
        tuning = Part.of(split.part(judgments, "dev"))
    others = parsed.others.split(",") if parsed.others else ready_names()
    learned = parse_metrics(parsed.learned)
    metrics = [*learned, *parse_metrics(",".join(n for n in others if n not in TRAINED))]
    with Session() as session:
        scores = _scores(session, metrics, part, parsed.keep)
        tuned = _scores(session, metrics, tuning, parsed.keep) if tuning else None
    result = compare_judges(
        [metric.name for metric in metrics], len(learned), scores, part, tuned, tuning,
        parsed.draws, parsed.seed,
    )  # fmt: skip
    print(table(result))
    if parsed.title:
        for metric in learned:
            _write_to_card(metric, parsed.title, result)
    if parsed.json:
        parsed.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def compare_judges(  # noqa: PLR0913 - what the measurement varies
    names: Sequence[str],
    learned: int,
    scores: Vector,
    part: Part,
    tuned: Vector | None,
    tuning: Part | None,
    draws: int,
    seed: int,
) -> dict[str, Any]:
    """Every metric's figures, and the differences of the first `learned` from all the others.

    scores, tuned: (metrics, n) on the part reported and on the one that tunes.
    """
    thresholds = None
    if tuned is not None and tuning is not None:
        right = tuning.gold > 0.5
        thresholds = np.array(
            [
                (tune_by_f1(row, right), tune_by_system_error(row, right, tuning.systems))
                for row in tuned
            ]
        )
    # Ranks stay as they are from draw to draw.
    ranks = np.stack([rankdata(row, "dense").astype(np.int64) - 1 for row in scores])
    rng = np.random.default_rng(seed)
    count = int(part.questions.max()) + 1
    taken = [np.bincount(rng.integers(count, size=count), minlength=count) for _ in range(draws)]
    whole = _figures(scores, ranks, part, thresholds, np.ones(count))
    drawn = [_figures(scores, ranks, part, thresholds, w.astype(float)) for w in taken]
    result: dict[str, Any] = {
        "n": len(part.gold),
        "questions": count,
        "draws": draws,
        "metrics": {},
    }
    for index, name in enumerate(names):
        row: dict[str, Any] = {
            figure: _interval(values[index], [draw[figure][index] for draw in drawn])
            for figure, values in whole.items()
        }
        if thresholds is not None:
            row |= _systems(scores[index], part, thresholds[index][1])
            row["thresholds"] = thresholds[index].tolist()
        if index < learned:
            row["differences"] = {
                other: {
                    figure: _interval(
                        values[index] - values[k],
                        [draw[figure][index] - draw[figure][k] for draw in drawn],
                    )
                    for figure, values in whole.items()
                }
                for k, other in enumerate(names)
                if k >= learned
            }
        result["metrics"][name] = row
    if thresholds is not None:
        result["people"] = dict(zip(part.names, part.system_shares.tolist(), strict=True))
    return result


def _write_to_card(metric: Metric, title: str, result: dict[str, Any]) -> None:
    """Add the figures of a learned metric to its card, as figures on unseen data."""
    if not isinstance(metric, LearnedMetric):
        raise SystemExit(f"{metric.name} has no card")
    row = result["metrics"][metric.name]
    figures = {name: row[name] for name in (*FIGURES, "kendall") if name in row}
    entry = {"n": result["n"], "questions": result["questions"], **figures}
    unseen = {**metric.card.extra.get("unseen", {}), title: entry}
    replace(metric.card, extra={**metric.card.extra, "unseen": unseen}).write(metric.folder)


def table(result: dict[str, Any]) -> str:
    """The figures as Markdown: a table of metrics, then of each learned metric's differences."""
    rows = result["metrics"]
    figures = [name for name in FIGURES if name in next(iter(rows.values()))]
    verdicts = "kendall" in next(iter(rows.values()))
    heads = [*figures, *(["Kendall over systems"] if verdicts else [])]
    lines = [
        f"{result['n']} answers to {result['questions']} questions, {result['draws']} draws",
        "",
        f"| metric | {' | '.join(heads)} |",
        "|---" * (len(heads) + 1) + "|",
    ]
    for name, row in rows.items():
        cells = [_format_figure(row[figure]) for figure in figures]
        cells += [_number(row["kendall"])] if verdicts else []
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for name, row in rows.items():
        if "differences" not in row:
            continue
        lines += ["", f"{name} less", "", f"| | {' | '.join(figures)} |",
                  "|---" * (len(figures) + 1) + "|"]  # fmt: skip
        for other, differences in row["differences"].items():
            cells = [_format_figure(differences[figure], signed=True) for figure in figures]
            lines.append(f"| {other} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _scores(session: Session, metrics: Sequence[Metric], part: Part, keep: Path | None) -> Vector:
    items = [judgment.item for judgment in part.judgments]
    pinned = hashlib.blake2b(repr(items).encode("utf-8", "replace"), digest_size=8).hexdigest()
    rows = []
    for metric in metrics:
        settings_text = repr((metric.name, sorted(metric.settings().items()))).encode()
        settings_hash = hashlib.blake2b(settings_text, digest_size=8).hexdigest()
        cached_file = keep / f"{metric.spec.base}-{settings_hash}-{pinned}.npy" if keep else None
        if cached_file and cached_file.exists():
            metric_scores = np.load(cached_file, allow_pickle=False)
        else:
            metric_scores = session.score(metric, items)
            if cached_file:
                cached_file.parent.mkdir(parents=True, exist_ok=True)
                np.save(cached_file, metric_scores)
        rows.append(metric_scores if metric.higher_is_better else -metric_scores)
    return np.stack(rows)


def _figures(
    scores: Vector,
    ranks: NDArray[np.int64],
    part: Part,
    thresholds: Vector | None,
    weights: Vector,
) -> dict[str, Vector]:
    """Each figure of all metrics, (metrics,), every question counted `weights` times.

    The library's figures for one resample after another would take minutes, so Pearson, AUC and
    RMSE are computed here from weighted sums. They equal the library's on the answers repeated so
    many times.
    """
    counts = weights[part.questions]
    figures = {"pearson": _pearson(scores, part.gold, counts)}
    if thresholds is None:
        return figures
    right = part.gold > 0.5
    figures["auc"] = np.array([_auc(row, right, counts) for row in ranks])
    called = scores >= thresholds[:, :1]
    hits, wrong_called = called @ (counts * right), called @ (counts * ~right)
    positives, negatives = float(counts @ right), float(counts @ ~right)
    cells = np.stack([hits, wrong_called, positives - hits, negatives - wrong_called])
    for name in ("balanced_accuracy", "f1"):
        figures[name.replace("_", " ")] = VERDICTS[name](cells)
    indicator = np.eye(len(part.names))[part.systems] * counts[:, None]
    sizes = indicator.sum(0)
    shares = (scores >= thresholds[:, 1:]) @ indicator / sizes
    people = part.gold @ indicator / sizes
    figures["rmse"] = np.sqrt(((shares - people) ** 2).mean(-1))
    return figures


def _pearson(scores: Vector, gold: Vector, counts: Vector) -> Vector:
    total = counts.sum()
    a = scores - (scores @ counts / total)[:, None]
    b = gold - gold @ counts / total
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation: Vector = (a @ (b * counts)) / np.sqrt((a**2 @ counts) * (b**2 @ counts))
    return correlation


def _auc(ranks: NDArray[np.int64], right: NDArray[np.bool_], counts: Vector) -> float:
    """The chance that a right answer scores above a wrong one, ties counting half; by ranks."""
    good = np.bincount(ranks, weights=counts * right)
    bad = np.bincount(ranks, weights=counts * ~right)
    below = np.cumsum(bad) - bad / 2
    return float(good @ below / (good.sum() * bad.sum()))


def _systems(scores: Vector, part: Part, threshold: float) -> dict[str, Any]:
    called = scores >= threshold
    shares = np.array([called[part.systems == k].mean() for k in range(len(part.names))])
    people = part.system_shares
    tau = system_errors(shares, people).kendall.value
    return {
        "kendall": float("nan") if tau is None else tau,
        "systems": {
            name: {"called correct": share, "gold": float(gold)}
            for name, share, gold in zip(part.names, shares.tolist(), people, strict=True)
        },
    }


def _interval(value: float, drawn: Sequence[float]) -> dict[str, Any]:
    defined = [value_drawn for value_drawn in drawn if value_drawn == value_drawn]
    low, high = np.quantile(defined, (0.025, 0.975)) if defined else (np.nan, np.nan)
    return {"value": float(value), "ci": [float(low), float(high)]}


def _format_figure(figure: dict[str, Any], *, signed: bool = False) -> str:
    low, high = figure["ci"]
    if low != low:
        return "undefined"
    sign = "+" if signed else ""
    return f"{figure['value']:{sign}.3f} ({low:{sign}.3f} to {high:{sign}.3f})"


def _number(value: float) -> str:
    return "none" if value != value else f"{value:.2f}"


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    option = parser.add_argument
    option("file", metavar="FORMAT:FILE")
    option("--learned", default="lerc,ava")
    option("--others", default="", help="every other metric by default")
    option("--part", choices=("all", "train", "dev", "test"), default="test")
    option("--split-of", default="lerc", help="the checkpoint whose parts are meant")
    option("--draws", type=int, default=2000)
    option("--seed", type=int, default=1)
    option("--keep", type=Path, default=None)
    option("--json", type=Path, default=None)
    option("--title", default="", help="note the figures in the learned metrics' cards")
    return parser


if __name__ == "__main__":
    main()
