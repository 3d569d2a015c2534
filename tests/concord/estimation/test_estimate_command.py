"""`concord estimate`: its table, its JSON, and its errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

import concord
from concord.cli import main
from concord.estimation import estimate
from concord.formats import FormatError
from concord.formats.scores import read_scores


@pytest.fixture
def files(tmp_path):
    """100 questions to two systems, 30 of them rated, and two metrics on all."""
    rng = np.random.default_rng(1)
    judgments, scores = tmp_path / "judgments.jsonl", tmp_path / "scores.jsonl"
    lines, rows = [], []
    for question in range(100):
        for number, system in enumerate(("small", "large")):
            value = float(np.clip(np.round(3 + number + rng.normal(0, 1)), 1, 5))
            key = f"{question}-{system}"
            line = {"id": key, "question": f"What is {question}?", "references": ["it"],
                    "candidate": "that", "system": system, "scale": [1, 5]}  # fmt: skip
            lines.append(line | ({"score": value} if question < 30 else {}))
            good, noise = value / 5 + rng.normal(0, 0.05), rng.normal()
            rows.append({"id": key, "scores": {"good": good, "noise(a=1,b=2)": noise}})
    judgments.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return judgments, scores


def run(capsys, judgments, scores, *arguments):
    code = main(["estimate", str(judgments), "--scores", str(scores), *arguments])
    return code, *capsys.readouterr()


def test_json_has_each_system_and_their_difference(files, capsys):
    code, out, _ = run(capsys, *files, "--metric", "good", "--format", "json")
    report = json.loads(out)
    assert code == 0
    large = report["systems"]["large"]
    assert large["method"] == "prediction-powered"
    assert large["ci"][0] <= large["mean"] <= large["ci"][1]
    assert large["effective_n"] > 60
    assert (large["rated"], large["candidates"]) == (30, 100)
    assert (large["rank"], report["systems"]["small"]["rank"]) == (1, 2)
    (difference,) = report["differences"]
    assert (difference["first"], difference["second"]) == ("large", "small")
    assert difference["adjusted_p"] < 0.001


def test_a_column_of_joint_references_is_read_by_the_plain_name(files, capsys):
    _, scores = files
    _, plain, _ = run(capsys, *files, "--metric", "good", "--format", "json")
    scores.write_text(scores.read_text().replace('"good"', '"good/joint"'))
    for name in ("good", "good/joint"):
        code, joint, _ = run(capsys, *files, "--metric", name, "--format", "json")
        assert code == 0
        assert json.loads(joint)["systems"] == json.loads(plain)["systems"]


def test_a_metric_of_noise_falls_back_to_the_plain_mean(files, capsys):
    _, out, _ = run(capsys, *files, "--metric", "noise(a=1,b=2)", "--format", "json")
    large = json.loads(out)["systems"]["large"]
    assert large["method"] == "mean"
    assert "does not help" in large["reason"]


def test_the_table_says_what_was_used(files, capsys):
    code, out, _ = run(capsys, *files)
    assert code == 0
    assert "prediction-powered" in out
    assert "as many as" in out
    assert "noise(a=1,b=2)" in out


def test_the_library_gives_the_same(files, capsys):
    _, out, _ = run(capsys, *files, "--target", "new", "--format", "json")
    report = estimate(concord.read_judgments(files[0]), read_scores(files[1]), target="new")
    expected = json.loads(out)
    assert report.to_json() == {name: expected[name] for name in report.to_json()}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"scores": {"good": 1}}', "id: is null; text is expected"),
        ('{"id": "0-small", "scores": {"good": 1}}', "occurs twice"),
        ('{"id": "x", "scores": 1}', "scores: is a number"),
        ('{"id": "x", "scores": {"good": "high"}}', 'scores.good: is "high"; a number'),
        ("[1]", "one JSON object per line is expected"),
    ],
)
def test_a_faulty_line_of_scores_is_named(files, capsys, line, message):
    judgments, scores = files
    with scores.open("a") as file:
        file.write(line + "\n")
    code, out, error = run(capsys, judgments, scores)
    assert (code, out) == (2, "")
    assert f"{scores}:201: " in error and message in error


def test_scores_are_read_from_a_table_as_from_lines(files, tmp_path):
    scores = read_scores(files[1])
    table = scores.rename_axis("id").reset_index()
    table.insert(1, "system", "a")
    table.insert(2, "score", 5)
    table.loc[3, "good"] = None
    table.to_csv(tmp_path / "scores.csv", index=False)
    expected = scores.copy()
    expected.iloc[3, 0] = float("nan")
    assert read_scores(tmp_path / "scores.csv").equals(expected)
    table["good"] = "high"
    table.to_excel(tmp_path / "scores.xlsx", index=False)
    with pytest.raises(FormatError, match=r'scores.xlsx\[Sheet1\]:2: scores.good: is "high"'):
        read_scores(tmp_path / "scores.xlsx")


def test_candidates_without_a_score_are_counted(files, capsys):
    judgments, scores = files
    scores.write_text("".join(scores.read_text().splitlines(keepends=True)[:-5]))
    code, _, error = run(capsys, judgments, scores)
    assert code == 2
    assert "no score for 5 of 200 candidates" in error


def test_an_unknown_metric_is_named(files, capsys):
    code, _, error = run(capsys, *files, "--metric", "bleu-9")
    assert code == 2
    assert "there are no scores of 'bleu-9'; there are those of good" in error


def test_a_file_without_ratings_says_what_to_do(files, capsys):
    judgments, scores = files
    rows = [json.loads(line) for line in judgments.read_text().splitlines()]
    judgments.write_text(
        "".join(json.dumps({k: v for k, v in row.items() if k != "score"}) + "\n" for row in rows)
    )
    code, _, error = run(capsys, judgments, scores)
    assert code == 2
    assert "rate a random sample of passages first" in error
