"""The library on files and DataFrames gives the figures of the site's commands."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import concord
from concord.cli import main
from concord.frames import complete_frame
from concord.metrics import Registration
from concord.metrics.discovery import load_external_metrics

LINES = [
    {"id": "a", "references": ["the red house"], "candidate": "the red house", "system": "one",
     "passage": "p", "question": "What?", "scale": [1, 5],
     "ratings": [{"worker": "w1", "value": 5}, {"worker": "w2", "value": 4}]},
    {"id": "b", "references": ["the red house"], "candidate": "a house", "system": "two",
     "passage": "p", "question": "What?", "scale": [1, 5],
     "ratings": [{"worker": "w1", "value": 3}, {"worker": "w2", "value": 3}]},
    {"id": "c", "references": ["a boat", "one boat"], "candidate": "the lake", "system": "one",
     "question": "Which?", "scale": [1, 5],
     "ratings": [{"worker": "w1", "value": 1}, {"worker": "w2", "value": 2}]},
    {"id": "d", "references": ["a boat", "one boat"], "candidate": "one boat", "system": "two",
     "question": "Which?", "scale": [1, 5],
     "ratings": [{"worker": "w1", "value": 5}, {"worker": "w2", "value": 5}]},
]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "judgments.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


@pytest.fixture
def frame(path):
    return concord.read_judgments(path)


def test_a_frame_has_the_columns_of_the_format(frame):
    assert list(frame["id"]) == ["a", "b", "c", "d"]
    assert list(frame["score"]) == [4.5, 3.0, 1.5, 5.0]
    assert frame.attrs["scale"] == (1, 5)
    assert frame["references"][2] == ("a boat", "one boat")


def test_scores_are_those_of_the_scorers(frame):
    scores = concord.score(frame, "exact-match,token-f1")
    np.testing.assert_allclose(scores["exact-match"], [1, 0, 0, 1])
    assert scores.attrs["metrics"]["token-f1"]["signature"].startswith("token-f1|")
    assert scores["token-f1"][2] == 0


def test_a_leaderboard_ranks_metrics_best_first(frame):
    board = concord.leaderboard(frame, ["exact-match", "token-f1"])
    values = [row["pearson"]["value"] for row in board.rows]
    assert values == sorted(values, reverse=True)
    scores = concord.score(frame, "token-f1")["token-f1"]
    expected = np.corrcoef(scores, frame["score"])[0, 1]
    result = board.frame.set_index("metric").loc["token-f1", "pearson"]
    assert result == pytest.approx(expected, abs=1e-12)
    assert board.to_json()["n"] == 4
    assert board.to_csv().splitlines()[0].startswith("judgment_set,version,by,group,metric")
    assert "<table" in board._repr_html_()


def test_a_board_of_scores_equals_one_of_metrics(frame):
    scores = concord.score(frame, "token-f1")
    first, second = (
        concord.leaderboard(frame, "token-f1"),
        concord.leaderboard(frame, scores=scores),
    )
    assert first.rows[0]["pearson"] == second.rows[0]["pearson"]


def test_agreement_filter_and_gold(frame):
    result = concord.agreement(frame, level="interval", draws=50)
    assert 0 < result.alpha < 1
    assert result.ci is None and result.reason.endswith("at least 10 are needed")
    assert list(concord.aggregate(frame)) == [4.5, 3.0, 1.5, 5.0]
    filtered = concord.filter_ratings(frame, concord.ZScoreFilter(0.5, at_most=1))
    assert [len(ratings) for ratings in filtered["ratings"]] == [1, 2, 1, 2]
    assert list(frame["ratings"].map(len)) == [2, 2, 2, 2]


def test_a_frame_of_ones_own_needs_candidates_only():
    own = pd.DataFrame({"candidate": ["x"], "references": [["x", "y"]]})
    assert concord.score(own, "exact-match")["exact-match"].tolist() == [1.0]
    with pytest.raises(concord.FrameError, match="no column 'candidate'"):
        complete_frame(pd.DataFrame({"references": ["x"]}))
    with pytest.raises(concord.FrameError, match="row 0, column 'references'"):
        complete_frame(pd.DataFrame({"candidate": ["x"], "references": [[1]]}))
    with pytest.raises(concord.FrameError, match='1 candidate without references, such as "0"'):
        concord.score(pd.DataFrame({"candidate": ["x"], "references": [[]]}), "exact-match")
    with pytest.raises(concord.FrameError, match="ids must be unique"):
        complete_frame(
            pd.DataFrame({"id": ["1", "1"], "candidate": ["x", "y"], "references": ["x", "y"]})
        )


def test_the_command_prints_boards_and_agreement(path, tmp_path, capsys):
    assert main(["leaderboard", str(path), "--metrics", "token-f1", "--format", "json"]) == 0
    board = json.loads(capsys.readouterr().out)
    assert board["rows"][0]["metric"] == "token-f1"
    assert main(["agreement", str(path), "--level", "interval", "--draws", "20"]) == 0
    assert "Krippendorff's alpha" in capsys.readouterr().out
    out = tmp_path / "scores.jsonl"
    assert main(["score", str(path), "--metrics", "exact-match", "--out", str(out)]) == 0
    assert json.loads(out.read_text().splitlines()[0]) == {
        "id": "a",
        "scores": {"exact-match": 1.0},
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leaderboard", "{path}", "--metrics", "nothing"], "there is no metric 'nothing'"),
        (["leaderboard", "{path}", "--from", "kpqa", "--metrics", "bleu-1"], "judgments.jsonl"),
        (["agreement", "{path}", "--raters", "crowd"], "unknown group of raters 'crowd'"),
    ],
)
@pytest.mark.django_db  # metrics trained here are listed, too
def test_what_is_wrong_ends_the_command_with_2(path, capsys, arguments, message):
    assert main([one.format(path=path) for one in arguments]) == 2
    assert message in capsys.readouterr().err


def test_importing_the_library_imports_nothing_heavy():
    code = (
        "import concord, sys; concord.read_judgments; concord.leaderboard; concord.agreement;"
        "heavy = ('django', 'torch', 'transformers', 'jpype', 'scipy.stats');"
        "print([m for m in heavy if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_metrics_of_another_package_are_found_and_faults_are_listed(monkeypatch, tmp_path):
    for name, value in (("mine", "mine:REGISTRATIONS"), ("broken", "not_there:X")):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[concord.metrics]\n{name} = {value}\n")
    (tmp_path / "mine.py").write_text(
        "from concord.metrics import Registration\n"
        "REGISTRATIONS = (Registration('words', lambda spec: None),)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    result = load_external_metrics({"bleu-1"})
    assert isinstance(result.registrations["words"], Registration)
    assert "ModuleNotFoundError" in result.errors["broken"]
    taken = load_external_metrics({"words"})
    assert "words" not in taken.registrations
    assert "taken by another metric" in taken.errors["mine"]
