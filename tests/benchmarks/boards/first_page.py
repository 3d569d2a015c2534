"""Write the figures of the first page's pictures, of the demo's files:
`python -m tests.benchmarks.boards.first_page`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

import concord
from benchmarks.boards.services.demo_pictures import FIGURES
from concord.demo import FOLDER, label_files
from concord.estimation import default_sizes, replay_steps, to_sample
from concord.judges import AltTestOptions, judge_report
from concord.meta.inference.draws import run_steps

METRICS = ["rouge-l", "token-f1", "bleu-1", "chrf", "exact-match"]
ANSWER = "fact-06-q1-concise"
DRAWS, SEED = 200, 1


def figures() -> dict[str, Any]:
    """The board, an answer with its ratings, two judges' verdicts, and a replay."""
    file = FOLDER / "judgments.jsonl"
    frame = concord.read_judgments(file, format="concord")
    scores = concord.score(frame, METRICS)
    board = concord.leaderboard(frame, scores=scores).to_json()
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    (answer,) = (row for row in rows if row["id"] == ANSWER)
    # As on the page of the set: with the best metric, the page's sizes, draws and seed.
    sample = to_sample(frame, scores, [board["rows"][0]["metric"]])
    sizes = default_sizes(len(np.unique(sample.passages)))
    steps = replay_steps(sample, sizes, draws=DRAWS, rng=np.random.default_rng(SEED))
    replay = run_steps(steps)
    return {
        "board": [_board_row(row) for row in board["rows"]],
        "answer": {name: answer[name] for name in ("question", "candidate")}
        | {"values": [one["value"] for one in answer["ratings"] if one["group"] == "expert"]},
        "judges": _judges(file.read_text("utf-8")),
        "replay": [
            {name: asdict(row)[name] for name in ("rated", "correct", "wrong")} for row in replay
        ],
        "candidates": len(rows),
    }


def _board_row(row: Any) -> dict[str, Any]:
    return {
        "metric": row["metric"],
        "pearson": round(row["pearson"]["value"], 3),
        "ci": [round(end, 3) for end in row["pearson"]["ci"]],
    }


def _judges(judgments: str) -> list[dict[str, Any]]:
    # Answers about one passage are dependent, as on the page of judges.
    documents = {row["id"]: row["passage"] for row in map(json.loads, judgments.splitlines())}
    files = {name: json.loads(text) for name, text in label_files(judgments)}
    reports = judge_report(
        files["experts.json"],
        files["judges.json"],
        clusters=documents,
        graded=True,
        options=AltTestOptions(epsilon=0.2),
    )
    return [
        {
            "name": name,
            "passed": report.by_cluster.passed,
            "winning_rate": report.by_cluster.winning_rate,
            "advantage": round(report.by_cluster.advantage.value, 3),
            "ci": [round(end, 3) for end in report.by_cluster.advantage.ci],
        }
        for name, report in reports.judges.items()
    ]


if __name__ == "__main__":
    FIGURES.write_text(json.dumps(figures(), indent=1, ensure_ascii=False) + "\n", "utf-8")
