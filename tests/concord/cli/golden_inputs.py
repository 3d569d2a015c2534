"""The inputs of the golden files: the demo set, and small files drawn with fixed seeds."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from concord.demo import write_demo
from tests.concord.formats.recipe_examples import MQM_TSV

ACTIVE_WAVE = Path(__file__).parents[2] / "golden" / "active_wave.json"
"""How `concord draw --rule active` of release 0.2.0 drew each instance of the demo set: that rule
was removed, and its samples are still estimated."""

Row = dict[str, Any]
CHOICES = (1, 2, "tie")

POLICY = """\
[rules.people-agree]
kind = "agreement"
files = "crowd.jsonl"
draws = 50
at_least = 0.6

[rules.judge-agrees]
kind = "metric"
files = "judgments.jsonl"
scores = "fine.jsonl"
metric = "fine"
at_least = 0.7

[rules.advantage]
kind = "judge"
human = "human.json"
judges = "machines.json"
judge = "m-1"
draws = 50
item_id = "{document}__{system}"
at_least = 0.5

[rules.kappa]
kind = "judge"
figure = "kappa"
human = "human.json"
judges = "machines.json"
judge = "m-1"
draws = 50
at_least = 0.5

[rules.may-replace-a-rater]
kind = "alt-test"
human = "human.json"
judges = "machines.json"
judge = "m-1"

[rules.no-drift]
kind = "drift"
human = "human.json"
base = "machines.json"
judges = "machines-now.json"
judge = "m-1"
at_least = -0.1

[rules.same-labels]
kind = "drift"
human = "human.json"
base = "machines.json"
judges = "machines.json"
judge = "m-1"
looks = 365
at_least = -0.05

[rules.good-answers]
kind = "mean"
files = "crowd.jsonl"
system = "extractive"
at_least = 3.5

[rules.better-than-the-baseline]
kind = "difference"
files = "crowd.jsonl"
system = "extractive"
baseline = "guessing"
scores = "fine.jsonl"
at_least = 1
"""


def write_inputs(folder: Path) -> None:
    """Write all input files into a folder."""
    write_demo(folder)
    rows = [json.loads(line) for line in (folder / "judgments.jsonl").read_text().splitlines()]
    _write_judged(folder, rows)
    _write_labels(folder)
    _write_pairs(folder)
    _write_sets(folder)
    _write_spans(folder)
    _write_wave(folder, rows)
    (folder / "policy.toml").write_text(POLICY)


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _of_group(row: Row, group: str) -> Row:
    """The candidate with the ratings of one group, whose mean is its score."""
    ratings = [one for one in row["ratings"] if one["group"] == group]
    return {name: value for name, value in row.items() if name != "score"} | {"ratings": ratings}


def _write_judged(folder: Path, rows: list[Row]) -> None:
    """Judges of the demo set: scores on the scale and off it, and among the raters."""
    rng = np.random.default_rng(1)
    scores = np.array([row["score"] for row in rows])
    noise = rng.normal(size=(5, len(rows)))
    judges = {
        "fine": np.round(scores + 0.6 * noise[0], 3),
        "coarse": np.clip(np.round(scores + noise[1]), 1, 5),
        "coarse-now": np.clip(np.round(scores + 0.3 + noise[1] + 0.5 * noise[2]), 1, 5),
        "share": np.round(1 / (1 + np.exp(-(scores - 3 + 1.5 * noise[3]))), 3),
        "noise": np.round(noise[4], 3),
    }
    for file, values in judges.items():
        _write_lines(
            folder / f"{file}.jsonl",
            (
                {"id": row["id"], "scores": {file.removesuffix("-now"): float(value)}}
                for row, value in zip(rows, values, strict=True)
            ),
        )
    for group in ("crowd", "expert"):
        _write_lines(folder / f"{group}.jsonl", (_of_group(row, group) for row in rows))
    judged = [_of_group(row, "crowd") for row in rows]
    for name in ("coarse", "coarse-now"):
        for row, value in zip(judged, judges[name], strict=True):
            row["ratings"].append({"worker": name, "value": int(value)})
    _write_lines(folder / "judged.jsonl", judged)
    (folder / "read.txt").write_text("".join(f"{row['id']}\n" for row in rows[:60]))


def _write_labels(folder: Path) -> None:
    """Labels "yes" and "no" of items of 24 documents by people, by judges, and by a judge later."""
    rng = np.random.default_rng(2)
    items = [f"d{document}__s{system}" for document in range(24) for system in range(4)]
    easy = np.repeat(rng.random(24) < 0.7, 4)
    true = rng.random(len(items)) < 0.5

    def labels(right: float) -> dict[str, str]:
        is_right = rng.random(len(items)) < np.where(easy, right, 0.6)
        return {
            item: "yes" if value else "no"
            for item, value in zip(items, true == is_right, strict=True)
        }

    def write(name: str, rights: dict[str, float]) -> None:
        by_name = {rater: labels(right) for rater, right in rights.items()}
        (folder / f"{name}.json").write_text(json.dumps(by_name))

    write("human", {"r-1": 0.95, "r-2": 0.9, "r-3": 0.85})
    write("machines", {"m-1": 0.9, "m-2": 0.85, "m-3": 0.7})
    write("machines-now", {"m-1": 0.8})


def _question(number: int) -> Row:
    return {
        "instance": f"q-{number}",
        "question": f"What is {number}?",
        "references": [f"answer {number}"],
    }


def _pair(question: int, first: str, second: str, **more: Any) -> Row:
    return {
        **_question(question),
        "system1": first,
        "candidate1": f"{first} says {question}",
        "system2": second,
        "candidate2": f"{second} says {question}",
        **more,
    }


def _write_pairs(folder: Path) -> None:
    """Choices of raters, who favour a side each, between the answers of four systems; several
    pairs of a question, and a judge's choices in both orders."""
    rng = np.random.default_rng(3)
    strengths = {"a": 0.0, "b": 0.3, "c": 0.8, "d": 1.0}
    sides = rng.normal(0, 0.8, size=6)

    def vote(worker: str, gain: float, first_shown: int, side: float) -> Row:
        towards = gain + (side if first_shown == 1 else -side) + rng.logistic()
        choice = CHOICES[2] if abs(towards) < 0.3 else CHOICES[0 if towards > 0 else 1]
        return {"worker": worker, "choice": choice, "first_shown": first_shown}

    answers, votes, orders, both = [], [], [], []
    for question in range(16):
        levels = {name: level + 0.7 * rng.normal() for name, level in strengths.items()}
        answers += [
            {
                "id": f"{question}-{name}",
                **_question(question),
                "candidate": f"{name} says {question}",
                "system": name,
                "score": round(level, 3),
            }
            for name, level in levels.items()
        ]
        for first, second in combinations(levels, 2):
            gain = levels[first] - levels[second]
            raters = rng.choice(6, size=3, replace=False)
            people = [
                vote(f"w-{rater}", gain, int(rng.integers(1, 3)), float(sides[rater]))
                for rater in raters
            ]
            judge = [vote("judge", gain, shown, 0.8) for shown in (1, 2)]
            votes.append(_pair(question, first, second, ratings=people))
            orders.append(_pair(question, first, second, ratings=[*people, *judge]))
            both.append(
                {
                    "better": 1 if gain > 0 else 2,
                    "as_given": judge[0]["choice"],
                    "swapped": judge[1]["choice"],
                }
            )
    _write_lines(folder / "answers.jsonl", answers)
    _write_lines(folder / "votes.jsonl", votes)
    _write_lines(folder / "both-orders.jsonl", orders)
    _write_lines(folder / "choices.jsonl", both)


def _write_sets(folder: Path) -> None:
    """Best and worst answers of sets of four by two raters, as choices between two."""
    rng = np.random.default_rng(4)
    systems = "abcd"
    rows = []
    for question in range(20):
        ratings: dict[tuple[str, str], list[Row]] = {}
        for worker in ("w-1", "w-2"):
            order = np.argsort(np.arange(4) + 1.5 * rng.normal(size=4))
            best, worst = systems[order[-1]], systems[order[0]]
            for pair in combinations(systems, 2):
                if {best, worst} & {*pair}:
                    choice = 1 if pair[0] == best or pair[1] == worst else 2
                    ratings.setdefault(pair, []).append({"worker": worker, "choice": choice})
        for (first, second), of_pair in ratings.items():
            ids = {"id1": f"{question}-{first}", "id2": f"{question}-{second}"}
            rows.append(_pair(question, first, second, set=f"s-{question}", ratings=of_pair, **ids))
    _write_lines(folder / "best-worst.jsonl", rows)


def _write_spans(folder: Path) -> None:
    """A study of error spans in WMT's columns, and one in Google's."""
    rng = np.random.default_rng(5)
    with (folder / "spans.csv").open("w", newline="") as file:
        table = csv.writer(file)
        for document in range(6):
            for item in range(2):
                for system, rate in (("sysA", 0.6), ("sysB", 1.2), ("sysC", 1.3)):
                    for rater in ("r1", "r2"):
                        starts = rng.integers(0, 15, size=rng.poisson(rate))
                        spans = [
                            {
                                "start_i": int(start),
                                "end_i": int(start) + int(rng.integers(1, 6)),
                                "severity": "major" if rng.random() < 0.3 else "minor",
                                "error_type": None,
                            }
                            for start in starts
                        ]
                        score = int(np.clip(90 - 10 * len(spans) + rng.normal(0, 5), 0, 100))
                        table.writerow(
                            [rater, system, item, "TGT", "eng", "deu", score,
                             f"news-{document}", "doc", json.dumps(spans), 1.0, 2.0]
                        )  # fmt: skip
    (folder / "mqm.tsv").write_text(MQM_TSV)


def _write_wave(folder: Path, rows: list[Row]) -> None:
    """The demo set without ratings, and a stored wave of it with the scores of what was drawn."""
    no_ratings = ("score", "ratings")
    unrated = ({key: row[key] for key in row if key not in no_ratings} for row in rows)
    _write_lines(folder / "unrated.jsonl", unrated)
    waves = {unit["unit"]: unit for unit in json.loads(ACTIVE_WAVE.read_text())}
    drawn = [{key: row[key] for key in row if key not in no_ratings} for row in rows]
    for row, rated in zip(drawn, rows, strict=True):
        row["sampling"] = waves[row["instance"]]
        if row["sampling"].get("drawn"):
            row["score"] = rated["score"]
    _write_lines(folder / "wave-1.jsonl", drawn)
