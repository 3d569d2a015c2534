"""`concord leaderboard`: metrics that are computed, and scores of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from concord.cli import main
from tests import real_data
from tests.concord.formats.recipe_examples import FRANK, FRANK_METRICS

METRICS = ("bleu-1", "ter")


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    rows = [
        {
            "id": f"c{k}",
            "question": f"What is {k // 2}?",
            "references": [f"it is number {k // 2}"],
            "candidate": f"it is {'number' if k % 3 else 'not'} {k // 2}",
            "score": float(k % 5),
        }
        for k in range(24)
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, object]:
    code = main(["leaderboard", *map(str, arguments), "--format", "json"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    board: dict[str, object] = json.loads(printed.out)
    return board


def figures(board: dict[str, object]) -> dict[str, float]:
    rows = board["rows"]
    return {row["metric"]: row["pearson"]["value"] for row in rows}  # type: ignore[attr-defined]


def scores_file(
    capsys: pytest.CaptureFixture[str], judgments: Path, names: tuple[str, ...]
) -> Path:
    path = judgments.with_name("scores.jsonl")
    main(["score", str(judgments), "--metrics", ",".join(names), "--out", str(path), "--quiet"])
    capsys.readouterr()
    return path


def test_scores_of_a_file_rank_as_computed_ones(
    capsys: pytest.CaptureFixture[str], judgments: Path
) -> None:
    """Also those of which lower is better, by the name of the metric."""
    computed = figures(run(capsys, judgments, "--metrics", ",".join(METRICS)))
    scores = scores_file(capsys, judgments, METRICS)
    assert figures(run(capsys, judgments, "--scores", scores)) == pytest.approx(computed)
    both = scores_file(capsys, judgments, ("ter",))
    joined = run(capsys, judgments, "--metrics", "bleu-1", "--scores", both)
    assert figures(joined) == pytest.approx(computed)


def test_each_file_keeps_its_own_signatures(
    capsys: pytest.CaptureFixture[str], judgments: Path
) -> None:
    scores = scores_file(capsys, judgments, ("bleu-1",))
    signed = scores.with_name("scores.jsonl.signatures.json")
    other = scores.with_name("other.jsonl")
    other.write_bytes(scores.read_bytes())
    other.with_name("other.jsonl.signatures.json").write_text('{"bleu-1": "another"}')
    rows = run(capsys, judgments, "--scores", scores, other)["rows"]
    assert {row["metric"]: row["signature"] for row in rows} == {  # type: ignore[attr-defined]
        **json.loads(signed.read_text()),
        "other:bleu-1": "another",
    }


def test_a_metric_of_ones_own_may_be_lower_is_better(
    capsys: pytest.CaptureFixture[str], judgments: Path
) -> None:
    own = judgments.with_name("own.csv")
    own.write_text("id,edits\n" + "".join(f"c{k},{9 - k % 5}\n" for k in range(24)))
    higher = figures(run(capsys, judgments, "--scores", own))["edits"]
    lower = figures(run(capsys, judgments, "--scores", own, "--lower-is-better", "edits"))["edits"]
    assert higher == pytest.approx(-1) and lower == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "by --metrics, or files of scores by --scores"),
        (("--scores", "own.csv", "--lower-is-better", "edit"), "no scores of 'edit'"),
        (("--scores", "bleu.csv", "--metrics", "bleu-1"), "name it once"),
        (("--scores", "stray.csv"), "no item of the judge is one of people's"),
    ],
)
def test_errors_say_what_to_do(
    capsys: pytest.CaptureFixture[str],
    judgments: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(judgments.parent)
    Path("own.csv").write_text("id,edits\n" + "".join(f"c{k},1\n" for k in range(24)))
    Path("bleu.csv").write_text("id,bleu-1\n" + "".join(f"c{k},1\n" for k in range(24)))
    Path("stray.csv").write_text("id,edits\nx,1\n")
    assert main(["leaderboard", str(judgments), *arguments]) != 0
    assert message in capsys.readouterr().err


def test_a_missing_score_is_a_reason_and_not_an_error(
    capsys: pytest.CaptureFixture[str], judgments: Path
) -> None:
    own = judgments.with_name("own.csv")
    own.write_text("id,mine\n" + "".join(f"c{k},{k}\n" for k in range(20)))
    (row,) = run(capsys, judgments, "--scores", own)["rows"]  # type: ignore[misc]
    assert row["pearson"]["value"] is None
    assert "no score for 4 of 24" in row["pearson"]["reason"]


@pytest.mark.parametrize(
    ("name", "line"),
    [("mine.csv", "c{k},{k}\n"), ("mine.jsonl", '{{"id": "c{k}", "score": {k}}}\n')],
)
def test_a_file_that_is_submitted_to_a_site_has_one_metric(
    capsys: pytest.CaptureFixture[str], judgments: Path, name: str, line: str
) -> None:
    own = judgments.with_name(name)
    head = "id,score\n" if name.endswith("csv") else ""
    own.write_text(head + "".join(line.format(k=k) for k in range(24)))
    assert figures(run(capsys, judgments, "--scores", own)).keys() == {"mine"}


def test_scores_in_a_file_of_a_recipe_join_by_id(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    people, metrics = tmp_path / "people.json", tmp_path / "metrics.json"
    people.write_text(json.dumps(FRANK))
    metrics.write_text(json.dumps(FRANK_METRICS))
    board = run(capsys, people, "--criterion", "Factuality", "--scores", metrics)
    assert board["n"] == 2
    assert {"Rouge 1", "BertScore P Art", "FactCC"} <= figures(board).keys()


def test_franks_metrics_have_the_correlations_of_scipy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from scipy.stats import pearsonr

    people = real_data.path("public/frank_human.first400.json")
    metrics = real_data.path("public/frank_metrics.first400.json")
    board = run(capsys, people, "--criterion", "Factuality", "--scores", metrics)
    gold = {
        (row["hash"], row["model_name"]): row["Factuality"]
        for row in json.loads(people.read_text())
    }
    rows = json.loads(metrics.read_text())
    for name in ("Rouge 1", "FactCC", "QAGS"):
        scored = [row[name] for row in rows]
        expected = pearsonr(scored, [gold[row["hash"], row["model_name"]] for row in rows])[0]
        assert figures(board)[name] == pytest.approx(expected)
