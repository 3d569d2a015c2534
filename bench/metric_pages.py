"""What the documentation's page of each metric says was measured: agreement and speed.

    CONCORD_DATA=... python -m bench.metric_pages

Writes docs/reference/metrics/measured.json: Pearson's and Spearman's correlation with people on
KPQA's three sets, on which no metric in the box was trained, Pearson's by type of question on MS
MARCO, and answers a second of processor time (Java helpers included) on MS MARCO. A metric that
needs a checkpoint of one's own is left out.
"""

from __future__ import annotations

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
from scorers import Corpus, Item, Session, parse_metrics
from scorers.registry import ready_names

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "metrics" / "measured.json"
KPQA = {"marco": ("marco_all", 1), "avsd": ("avsd_all", 5), "multi": ("marcomulti_unilm", 1)}
TITLES = {
    "marco": "MS MARCO (KPQA), 1,000 answers",
    "avsd": "AVSD (KPQA), 1,000 answers, five references",
    "multi": "MS MARCO, multi-sentence (KPQA)",
}
MIN_ANSWERS = 40

Vector = NDArray[np.float64]


def read_kpqa(name: str, references: int) -> tuple[list[Item], Vector]:
    path = judgment_data.path(f"kpqa/{name}.csv")
    rows = read_judgments([path], "kpqa", ReadOptions(references=references)).candidates
    items = [Item(row.text, row.instance.references, row.instance.question) for row in rows]
    return items, np.array([row.score for row in rows], dtype=np.float64)


def _cpu_seconds() -> float:
    process = psutil.Process()
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def main() -> None:
    sets = {key: read_kpqa(*source) for key, source in KPQA.items()}
    marco, people = sets["marco"]
    types = np.array([question_type(item.question) for item in marco])
    rows: dict[str, dict[str, Any]] = {}
    with Session("cpu") as shared:
        for metric in parse_metrics(",".join(ready_names())):
            corpus = Corpus.of(item.references for item in marco)
            with Session("cpu") as session:  # of its own, so that no other metric helps it
                session.score(metric, marco[:10], corpus)
                before = _cpu_seconds()
                scores = {"marco": session.score(metric, marco, corpus)}
                speed = len(marco) / (_cpu_seconds() - before)
            for key in ("avsd", "multi"):
                items = sets[key][0]
                corpus = Corpus.of(item.references for item in items)
                scores[key] = shared.score(metric, items, corpus)
            if not metric.higher_is_better:
                scores = {key: -values for key, values in scores.items()}
            rows[metric.name] = {
                "sets": {
                    key: {
                        "pearson": pearson(values, sets[key][1]).value,
                        "spearman": spearman(values, sets[key][1]).value,
                    }
                    for key, values in scores.items()
                },
                "types": {
                    name: {
                        "n": int((types == name).sum()),
                        "pearson": pearson(
                            scores["marco"][types == name], people[types == name]
                        ).value,
                    }
                    for name in sorted(set(types.tolist()))
                    if (types == name).sum() >= MIN_ANSWERS
                },
                "answers_per_cpu_second": speed,
            }
            print(metric.name, rows[metric.name]["sets"], round(speed), flush=True)
    for key in sets:
        ranking = sorted(rows, key=lambda name: -rows[name]["sets"][key]["pearson"])
        for rank, name in enumerate(ranking, start=1):
            rows[name]["sets"][key] |= {"rank": rank, "ranked": len(ranking)}
    machine = f"{os.cpu_count()} CPU cores ({platform.machine()})"
    document = {"machine": machine, "sets": TITLES, "metrics": rows}
    PAGE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
