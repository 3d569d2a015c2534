"""The results of analyses, and boards, of the demo set and of small drawn sets are the stored ones.

A change that alters a figure, a key or a sentence alters a golden file in the same commit, which
names the reason. With REWRITE_GOLDEN=1 this test rewrites the files. What needs an encoder or aev
is left out: sentinels and the plane.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.timezone import now

from benchmarks.analyses import pair_scores
from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import complete_board_runs, system_board
from benchmarks.boards.services import boards, pair_tests
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.documents.conversion import to_json
from concord.formats import read_judgments, read_pairs
from tests.benchmarks.factories import make_criteria_set, published, score_here, write_lines
from tests.concord.cli.golden_inputs import write_inputs
from tests.concord.cli.golden_json import differences, without, write_folder

FOLDER = Path(__file__).parents[2] / "golden" / "analyses"
METRICS = "token-f1,bleu-1(tokens=mocha)"

# By the name of the golden file: the set, the kind and its parameters; `run` names a metric.
ANALYSES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "agreement": ("demo", "agreement", {}),
    "agreement-kendall": ("demo", "agreement", {"coefficient": "kendall_b"}),
    "systems": ("demo", "systems", {}),
    "learning": ("demo", "learning", {}),
    "judge-on-scale": ("demo", "judge", {"run": "coarse", "raters": "crowd", "family": "concise"}),
    "judge-off-scale": ("demo", "judge", {"run": "share", "raters": "expert"}),
    "judge-of-noise": ("demo", "judge", {"run": "noise", "raters": "crowd"}),
    "judges": ("demo", "judges", {"raters": "crowd"}),
    "jury": ("demo", "jury", {}),
    "replay": ("demo", "replay", {"run": "coarse", "draws": 20}),
    "plan": ("demo", "plan", {"run": "coarse", "draws": 10}),
    "combination": ("demo", "combination", {}),
    "estimate": ("demo", "estimate", {"run": "coarse", "target": "new"}),
    "raters": ("demo", "raters", {}),
    "choices": ("votes", "choices", {}),
    "criteria": ("several", "criteria", {}),
    "spans": ("several", "spans", {}),
}


def test_analyses_and_boards_are_the_stored_ones(tmp_path, db):
    write_inputs(tmp_path)
    varying = {"run", "submission", "signature", "items_per_second"}  # keys of rows, and times
    found = {name: without(varying, of) for name, of in documents(tmp_path)}
    if os.environ.get("REWRITE_GOLDEN") == "1":
        write_folder(FOLDER, found)
    stored = {path.stem: json.loads(path.read_text()) for path in FOLDER.iterdir()}
    lines = differences(stored, json.loads(json.dumps(found)))
    assert not lines, "\n".join([*lines[:60], "Is it right? Then REWRITE_GOLDEN=1, and say why."])


def documents(folder: Path) -> Iterator[tuple[str, Any]]:
    """The names and contents of the golden files, of the inputs in a folder."""
    sets = {
        "demo": make_demo(folder),
        "drawn": make_set(folder, "drawn", "wave-1"),
        "votes": make_set(folder, "votes", "answers", "votes"),
        "several": make_criteria_set(folder),
    }
    for judgment_set in sets.values():
        score_here(judgment_set, METRICS)
    for name, (set_name, kind, parameters) in ANALYSES.items():
        result = compute(sets[set_name], kind, parameters)
        # Whether fitted grades that differ in their last bits are tied depends on the processor.
        yield name, without({"spearman"} if kind == "judges" else (), result)
    demo = sets["demo"]
    yield "board", boards.read_board(demo).to_json()
    yield "board-drawn", boards.read_board(sets["drawn"]).to_json()
    yield "board-of-systems", without({"metrics"}, to_json(system_board(demo)))
    scores = pair_scores.read(demo)
    assert scores is not None
    yield "pairs", to_json(pair_tests.accuracies(scores))
    comparison = pair_tests.compare_metrics(scores)
    assert comparison is not None
    names = [name for _, name, _ in comparison.metrics]
    yield "pairs-comparison", {"metrics": names, "p": comparison.p[0][1]}


def make_set(folder: Path, name: str, judgments: str, pairs: str = "") -> JudgmentSet:
    """A set of input files, by their names."""
    read = read_judgments([folder / f"{judgments}.jsonl"], "concord")
    made = importing.import_judgments(name, read, at=now())
    if pairs:
        made = importing.import_pairs(
            name, read_pairs([folder / f"{pairs}.jsonl"], "concord"), at=now()
        )
    return published(made)


def make_demo(folder: Path) -> JudgmentSet:
    """The demo set with three judges, the first of which answered twice."""
    made = make_set(folder, "demo", "judgments", "pairs")
    for name, files in {
        "coarse": ["coarse", "coarse-now"],
        "share": ["share"],
        "noise": ["noise"],
    }.items():
        rows = [
            {"id": row["id"], "score": row["scores"][name]}
            for file in files
            for row in map(json.loads, (folder / f"{file}.jsonl").read_text().splitlines())
        ]
        path = write_lines(folder / f"submitted-{name}.jsonl", rows)
        submissions.submit_judgments(made, SubmissionInfo(name), path, owner=None, at=now())
    return made


def compute(judgment_set: JudgmentSet, kind: str, parameters: dict[str, Any]) -> Any:
    """The result of an analysis."""
    if "run" in parameters:
        runs = {run.metric: run.pk for run in complete_board_runs(judgment_set)}
        parameters = parameters | {"run": runs[parameters["run"]]}
    analysis = analyses.request_analysis(kind, judgment_set, parameters)
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.status == "complete", f"{kind}: {analysis.reason}"
    return analysis.result
