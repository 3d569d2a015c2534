"""What the documentation's page of each metric says was measured: agreement and speed.

    CONCORD_DATA=... python -m bench.metric_pages [METRIC ...]

Writes docs/reference/metrics/measured.json: Pearson's and Spearman's correlation with people on
KPQA's three sets, on which no metric in the box was trained; Pearson's by type of question on MS
MARCO; and answers a second of processor time (Java helpers included) over 300 answers of MS MARCO.
With names, it measures these metrics and keeps the other figures. A metric that needs a checkpoint
of one's own is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from bench import judgment_data
from concord.formats import ReadOptions, read_judgments
from concord.meta import pearson, spearman
from concord.meta.breakdowns import question_type
from scorers import Corpus, Item, Metric, Session, parse_metrics
from scorers.registry import ready_names

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "metrics" / "measured.json"
KPQA = {"marco": ("marco_all", 1), "avsd": ("avsd_all", 5), "multi": ("marcomulti_unilm", 1)}
TITLES = {
    "marco": "MS MARCO (KPQA), 1,000 answers",
    "avsd": "AVSD (KPQA), 1,000 answers, five references",
    "multi": "MS MARCO, multi-sentence (KPQA)",
}
MIN_ANSWERS = 40
TIMED = 300

Vector = NDArray[np.float64]


def read_kpqa(name: str, references: int) -> tuple[list[Item], Vector]:
    path = judgment_data.path(f"kpqa/{name}.csv")
    rows = read_judgments([path], "kpqa", ReadOptions(references=references)).candidates
    items = [Item(row.text, row.instance.references, row.instance.question) for row in rows]
    return items, np.array([row.score for row in rows], dtype=np.float64)


def _cpu_seconds() -> float:
    process = psutil.Process()
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def answers_per_cpu_second(metric: Metric, items: list[Item]) -> float:
    """Answers a second of processor time, in a session in which no other metric helps."""
    corpus = Corpus.from_references(item.references for item in items)
    with Session("cpu") as session:
        session.score(metric, items[:10], corpus)
        before = _cpu_seconds()
        session.score(metric, items[10:], corpus)
        return (len(items) - 10) / (_cpu_seconds() - before)


def measure(
    metric: Metric, sets: dict[str, tuple[list[Item], Vector]], session: Session
) -> dict[str, Any]:
    """The figures of a metric."""
    scores = {
        key: session.score(metric, items, Corpus.from_references(item.references for item in items))
        for key, (items, _) in sets.items()
    }
    speed = answers_per_cpu_second(metric, sets["marco"][0][:TIMED])
    if not metric.higher_is_better:
        scores = {key: -values for key, values in scores.items()}
    marco, people = sets["marco"]
    types = np.array([question_type(item.question) for item in marco])
    by_type = {}
    for kind in sorted(set(types.tolist())):
        of_kind = types == kind
        if of_kind.sum() >= MIN_ANSWERS:
            value = pearson(scores["marco"][of_kind], people[of_kind]).value
            by_type[kind] = {"n": int(of_kind.sum()), "pearson": value}
    correlations = {
        key: {
            "pearson": pearson(values, sets[key][1]).value,
            "spearman": spearman(values, sets[key][1]).value,
        }
        for key, values in scores.items()
    }
    return {"sets": correlations, "types": by_type, "answers_per_cpu_second": speed}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("metrics", nargs="*")
    asked = parser.parse_args().metrics
    sets = {key: read_kpqa(*source) for key, source in KPQA.items()}
    rows: dict[str, dict[str, Any]] = {}
    if asked and PAGE.exists():
        rows = json.loads(PAGE.read_text(encoding="utf-8"))["metrics"]
    with Session("cpu") as session:
        for metric in parse_metrics(",".join(asked or ready_names())):
            rows[metric.name] = measure(metric, sets, session)
            print(metric.name, rows[metric.name], flush=True)
    for key in sets:
        measured = [row["sets"][key] for row in rows.values() if key in row["sets"]]
        defined = [figures for figures in measured if figures["pearson"] is not None]
        ranking = sorted(defined, key=lambda figures: -figures["pearson"])
        for rank, figures in enumerate(ranking, start=1):
            figures |= {"rank": rank, "ranked": len(measured)}
    machine = f"{os.cpu_count()} CPU cores ({platform.machine()})"
    document = {"machine": machine, "sets": TITLES, "metrics": rows}
    PAGE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
