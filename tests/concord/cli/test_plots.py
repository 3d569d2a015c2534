"""The option --plot of commands: a picture with every row, in the order of the table."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from concord.cli import main
from concord.plots.forest import IntervalPlot

DEMO = Path(__file__).parents[3] / "concord" / "demo" / "judgments.jsonl"
SVG = "{http://www.w3.org/2000/svg}"


def parts(svg, name):
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{name}"))


def test_the_figures_of_a_forest_are_on_one_scale():
    rows = [("a <b>", 0.5, (0.25, 0.75)), ("none", None, None), ("zero", 0.0, None)]
    svg = IntervalPlot("r", rows).svg("file & co")
    texts = [one.text for one in parts(svg, "text")]
    assert "file & co: r" in texts and "a <b>" in texts
    assert "0.500 (0.250 to 0.750)" in texts and "undefined" in texts
    (whisker,) = (one for one in parts(svg, "line") if one.get("class") == "whisker")
    half, zero = (float(one.get("cx")) for one in parts(svg, "circle"))
    low, high = float(whisker.get("x1")), float(whisker.get("x2"))
    assert half - low == pytest.approx(high - half)
    assert half - zero == pytest.approx(2 * (half - low))


@pytest.fixture
def answers(tmp_path):
    rows = [json.loads(line) for line in DEMO.read_text().splitlines()]
    scores = tmp_path / "scores.jsonl"
    scores.write_text(
        "".join(
            json.dumps({"id": r["id"], "scores": {"m": len(r["candidate"])}}) + "\n" for r in rows
        )
    )
    return DEMO, scores


def plotted(tmp_path, *arguments):
    out = tmp_path / "plot.svg"
    assert main([*map(str, arguments), "--plot", str(out)]) == 0
    return [one.text for one in parts(out.read_text(), "text")]


def test_a_board_and_an_agreement_are_plotted(answers, tmp_path, capsys):
    texts = plotted(tmp_path, "leaderboard", answers[0], "--metrics", "bleu-1,exact-match")
    assert texts[0] == "judgments.jsonl: Pearson's r with people"
    assert texts.index("bleu-1") < texts.index("exact-match")
    alpha = ("agreement", answers[0], "--raters", "crowd", "--draws", "100")
    assert "all" in plotted(tmp_path, *alpha)
    filtered = plotted(tmp_path, *alpha, "--filter", "zscore:1:2", "--format", "json")
    assert {"all", "kept", "shuffled, kept"} <= set(filtered)


def test_an_estimate_is_plotted_in_the_order_of_its_table(answers, tmp_path, capsys):
    texts = plotted(tmp_path, "estimate", answers[0], "--scores", answers[1])
    table = capsys.readouterr().out
    systems = [one for one in texts if one in ("instructed", "extractive", "guessing")]
    assert systems == sorted(systems, key=table.index)


def test_a_ranking_is_plotted(tmp_path, capsys):
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {"instance": f"q{k}", "question": f"q{k}?", "system1": "one", "candidate1": "a"}
        | {"system2": "two", "candidate2": "b"}
        | {"ratings": [{"worker": "w", "choice": 1 if k % 3 else 2}]}
        for k in range(30)
    ]
    pairs.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert {"one", "two"} <= set(plotted(tmp_path, "ranking", pairs))


def test_a_picture_has_a_name_that_says_so_and_a_place(answers, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["agreement", str(answers[0]), "--plot", "plot.gif"])
    assert "must end in .svg or .png" in capsys.readouterr().err
    out = tmp_path / "none" / "plot.svg"
    command = ["agreement", str(answers[0]), "--raters", "crowd", "--draws", "10"]
    assert main([*command, "--plot", str(out)]) == 2
    assert f"{out}: cannot be written" in capsys.readouterr().err


def test_judges_and_a_plan_are_plotted(answers, tmp_path, capsys):
    texts = plotted(tmp_path, "alt-test", *answers, "--graded", "--raters", "crowd", "--draws", 20)
    assert texts[0] == "judgments.jsonl: rho, as good as a rater" and "m" in texts
    plan = ("plan", answers[0], "--raters", "crowd", "--width", "0.5", "--draws", "20")
    texts = plotted(tmp_path, *plan)
    assert texts[0] == "judgments.jsonl: passages for a width of 0.5"
    assert "mean, 1 rating an answer" in texts
    rules = plotted(tmp_path, *plan, "--scores", answers[1], "--format", "json")
    assert rules[0] == "judgments.jsonl: units for a width of 0.5"


def test_a_picture_may_be_a_png(answers, tmp_path, capsys):
    out = tmp_path / "plot.PNG"
    command = ["agreement", str(answers[0]), "--raters", "crowd", "--draws", "10"]
    assert main([*command, "--plot", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")
