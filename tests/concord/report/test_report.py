"""`concord report`: its sections, its figures, and what it leaves out."""

from __future__ import annotations

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import concord
from concord.boards import stored_scores
from concord.cli import main
from concord.estimation import EstimationError
from concord.formats.scores import read_scores

DEMO = Path(__file__).parents[3] / "concord" / "demo"
JUDGMENTS = DEMO / "judgments.jsonl"
TITLES = [
    "What was judged",
    "Agreement of the raters",
    "Systems by people's ratings",
    "Metrics against people",
    "Comparison of the metrics",
    "Minimal pairs",
    "Fewer ratings",
    "Method and signatures",
    "How to cite",
]


def report(tmp_path, *arguments):
    out = tmp_path / "report.html"
    assert main(["report", *map(str, arguments), "--out", str(out)]) == 0
    return out.read_text()


def titles(page):
    return [title.replace("&#x27;", "'") for title in re.findall("<h2[^>]*>(.*?)</h2>", page)]


def parsed(page):
    """The page as XML: every element is closed, and every text escaped."""
    body = page.split("<body>")[1].split("</body>")[0]
    return ET.fromstring(f"<body>{body}</body>")


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(1)
    rows = [json.loads(line) for line in JUDGMENTS.read_text().splitlines()]
    lines = [
        json.dumps({"id": row["id"], "scores": {"my <judge>": row["score"] + rng.normal()}})
        for row in rows
    ]
    (folder / "judged.jsonl").write_text("\n".join(lines))
    options = ("--metrics", "bleu-1,exact-match", "--pairs", DEMO / "pairs.jsonl")
    return report(folder, JUDGMENTS, "--scores", folder / "judged.jsonl", *options)


def test_the_page_has_every_section_and_stands_alone(full):
    assert titles(full) == TITLES
    assert "Not in this report" not in full
    assert len(full.encode()) < 1_000_000
    assert not re.search(r"<script|<link|<img|https?://|@import|url\(", full)
    parsed(full)


def test_the_figures_are_those_of_the_commands(full, capsys):
    text = " ".join(" ".join(parsed(full).itertext()).split())

    def output(*arguments):
        assert main([*map(str, arguments), "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    alpha = output("agreement", JUDGMENTS, "--raters", "crowd")
    (row,) = output("leaderboard", JUDGMENTS, "--metrics", "bleu-1")["rows"]
    figures = [(alpha["alpha"], alpha["ci"]), (row["pearson"]["value"], row["pearson"]["ci"])]
    for value, (low, high) in figures:
        assert f"{value:.3f}" in text and f"{low:.3f} to {high:.3f}" in text
    # The summary and both tables have one interval of the best metric.
    (best,) = re.findall(r"highest Pearson r: \S+ 95% interval (\S+ to [0-9.]+)", text)
    assert text.count(best) == 3
    assert "draws that swap the scores of whole passages" in text
    assert row["signature"] in text
    assert "my <judge>" in text and "scores of judged.jsonl" in text


def test_what_has_no_data_is_left_out_in_one_line(tmp_path):
    page = report(tmp_path, JUDGMENTS)
    assert titles(page) == [*TITLES[:3], *TITLES[-2:]]
    text = " ".join(parsed(page).itertext())
    assert "minimal pairs (no file of pairs was named)" in text
    assert "metrics against people (no metric was named, and no file of scores)" in text


def test_names_of_a_file_cannot_be_markup(tmp_path):
    row = {"candidate": "a", "references": ["a"], "passage": "", "score": 1}
    rows = [
        row | {"id": f"{k}-{name}", "instance": f"q{k}", "system": f"<script>{name}</script>"}
        | {"constituent": "<b>&"}
        for k in range(12) for name in "ab"
    ]  # fmt: skip
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    page = report(tmp_path, path, "--title", "<i>title</i> & $x")
    assert "<script" not in page and "<i>" not in page
    assert "<i>title</i> & $x" in " ".join(parsed(page).itertext())


def test_stored_scores_are_ranked_as_computed_ones(tmp_path):
    frame = concord.read_judgments(JUDGMENTS)
    computed = concord.score(frame, "exact-match")
    path = tmp_path / "scores.jsonl"
    pairs = zip(frame["id"], computed["exact-match"], strict=True)
    path.write_text("".join(json.dumps({"id": k, "scores": {"m": s}}) + "\n" for k, s in pairs))
    stored = stored_scores(frame.iloc[::-1], read_scores(path))
    (own,) = concord.leaderboard(frame, scores=computed).rows
    (other,) = concord.leaderboard(frame.iloc[::-1], scores=stored).rows
    assert other["pearson"]["value"] == pytest.approx(own["pearson"]["value"])
    with pytest.raises(EstimationError, match="no scores of 'other'"):
        stored_scores(frame, read_scores(path), ["other"])


def test_files_of_one_name_are_all_named(tmp_path):
    lines = JUDGMENTS.read_text().splitlines(keepends=True)
    paths = [tmp_path / folder / "judged.jsonl" for folder in ("first", "second")]
    for path, part in zip(paths, (lines[:180], lines[180:]), strict=True):
        path.parent.mkdir()
        path.write_text("".join(part))
    page = report(tmp_path, *paths)
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() in page for path in paths)
