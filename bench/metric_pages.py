"""What the documentation's page of each metric says was measured: agreement and speed.

    CONCORD_DATA=... python -m bench.metric_pages

Writes docs/reference/metrics/measured.json: Pearson's and Spearman's correlation with people on
four sets that no metric in the box was trained on (of EVOUNA the test part), Pearson's by type of
question on MS MARCO, and answers a second on MS MARCO after a first pass over ten answers, with
nothing else running. A metric that needs a checkpoint of one's own is left out.
"""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import judgment_data
from concord.formats import ReadOptions
from concord.formats import read_judgments as read_candidates
from concord.meta import pearson, spearman
from concord.meta.breakdowns import question_type
from scorers import Corpus, Item, Metric, Session, parse_metrics
from scorers.judges.plan import Split
from scorers.judgments import read_judgments
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder
from scorers.registry import ready_names

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "metrics" / "measured.json"
KPQA = {"marco": ("marco_all", 1), "avsd": ("avsd_all", 5), "multi": ("marcomulti_unilm", 1)}
TITLES = {
    "marco": "MS MARCO (KPQA), 1,000 answers",
    "avsd": "AVSD (KPQA), 1,000 answers, five references",
    "multi": "MS MARCO, multi-sentence (KPQA)",
    "evouna": "Natural Questions (EVOUNA), test part",
}
MIN_ANSWERS = 40

Vector = NDArray[np.float64]


def read_kpqa(name: str, references: int) -> tuple[list[Item], Vector]:
    path = judgment_data.path(f"kpqa/{name}.csv")
    rows = read_candidates([path], "kpqa", ReadOptions(references=references)).candidates
    items = [Item(row.text, row.instance.references, row.instance.question) for row in rows]
    return items, np.array([row.score for row in rows], dtype=np.float64)


def read_evouna() -> tuple[list[Item], Vector]:
    """The part of EVOUNA's Natural Questions that the metrics in the box were not trained on."""
    judgments = read_judgments(judgment_data.path("evouna/NQ.json"), "evouna")
    split = Split(**Card.read(checkpoint_folder("lerc-features")).options["recipe"]["split"])
    part = split.part(judgments, "test")
    return [one.item for one in part], np.array([one.gold for one in part])


def answers_per_second(metric: Metric, items: list[Item]) -> float:
    """Answers a second in a session of its own, after a first pass over ten answers."""
    corpus = Corpus.of(item.references for item in items)
    with Session("cpu") as session:
        session.score(metric, items[:10], corpus)
        started = time.perf_counter()
        session.score(metric, items[10:], corpus)
        return (len(items) - 10) / (time.perf_counter() - started)


def main() -> None:
    sets = {key: read_kpqa(*source) for key, source in KPQA.items()} | {"evouna": read_evouna()}
    types = np.array([question_type(item.question) for item in sets["marco"][0]])
    metrics = parse_metrics(",".join(ready_names()))
    rows: dict[str, dict[str, Any]] = {}
    for metric in metrics:
        figures: dict[str, Any] = {}
        by_type: dict[str, Any] = {}
        with Session("cpu") as session:
            for key, (items, people) in sets.items():
                scores = session.score(metric, items, Corpus.of(item.references for item in items))
                turned = scores if metric.higher_is_better else -scores
                figures[key] = {
                    "pearson": pearson(turned, people).value,
                    "spearman": spearman(turned, people).value,
                }
                if key == "marco":
                    for name in sorted(set(types.tolist())):
                        of_type = types == name
                        if of_type.sum() >= MIN_ANSWERS:
                            value = pearson(turned[of_type], people[of_type]).value
                            by_type[name] = {"n": int(of_type.sum()), "pearson": value}
        speed = answers_per_second(metric, sets["marco"][0])
        rows[metric.name] = {"sets": figures, "types": by_type, "answers_per_second": speed}
        print(metric.name, figures, round(speed), flush=True)
    for key in sets:
        ranking = sorted(rows, key=lambda name: -rows[name]["sets"][key]["pearson"])
        for rank, name in enumerate(ranking, start=1):
            rows[name]["sets"][key] |= {"rank": rank, "ranked": len(ranking)}
    machine = f"{os.cpu_count()} CPU cores ({platform.machine()})"
    document = {"machine": machine, "sets": TITLES, "metrics": rows}
    PAGE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
