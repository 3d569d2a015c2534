"""`concord draw` and `concord estimate` on its files: a study wave by wave, without a site."""

from __future__ import annotations

import json

import numpy as np
import pytest

import concord
from concord.cli import main
from concord.formats.scores import read_scores
from concord.sampling import estimate_sampled, unit_hashes


@pytest.fixture
def study(tmp_path):
    """120 questions to two systems, not rated, with a metric; and the ratings people would give."""
    rng = np.random.default_rng(1)
    lines, rows, ratings = [], [], {}
    for question in range(120):
        for number, system in enumerate(("small", "large")):
            key = f"{question}-{system}"
            ratings[key] = float(np.clip(np.round(3 + 0.7 * number + rng.normal(0, 1)), 1, 5))
            lines.append({"id": key, "instance": f"q{question}", "question": f"What is {question}?",
                          "references": ["it"], "candidate": "that", "system": system,
                          "scale": [1, 5]})  # fmt: skip
            rows.append({"id": key, "scores": {"good": ratings[key] + rng.normal(0, 0.5)}})
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write(tmp_path / "wave-0.jsonl", lines)
    return tmp_path, ratings


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def draw(folder, wave, *options, out=None):
    return main(["draw", str(folder / f"wave-{wave - 1}.jsonl"), "--scores",
                 str(folder / "scores.jsonl"), "--out", str(folder / (out or f"wave-{wave}.jsonl")),
                 "--seed", "7", *options])  # fmt: skip


def rate(folder, wave, ratings, skip=()):
    """People rate what was drawn."""
    path = folder / f"wave-{wave}.jsonl"
    lines = read(path)
    for line in lines:
        if line["sampling"]["drawn"] and line["id"] not in skip:
            line["score"] = ratings[line["id"]]
    write(path, lines)
    return lines


def test_three_waves_are_drawn_rated_and_estimated(study, capsys):
    folder, ratings = study
    for wave in (1, 2, 3):
        options = ["--rule", "stratified", "--wave", "20", "--format", "json"]
        assert draw(folder, wave, *options) == 0
        counts = json.loads(capsys.readouterr().out)
        lines = rate(folder, wave, ratings)
        new = {line["instance"] for line in lines if line["sampling"]["drawn"] == wave}
        assert (counts["wave"], counts["units"]) == (wave, len(new))
        assert counts["candidates"] == 2 * len(new)
        assert counts["expected"] == pytest.approx(20)
    # Anybody can check the draws by the hash of seed, wave and unit.
    for line in lines:
        sampling = line["sampling"]
        hashes = [unit_hashes(7, k, [sampling["unit"]])[0] for k in (1, 2, 3)]
        is_drawn = [h < p for h, p in zip(hashes, sampling["probabilities"], strict=False)]
        assert is_drawn == [k == sampling["drawn"] for k in range(1, len(is_drawn) + 1)]
    arguments = ["estimate", str(folder / "wave-3.jsonl"), "--scores", str(folder / "scores.jsonl")]
    assert main([*arguments, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    rated = len({line["instance"] for line in lines if "score" in line})
    assert report["sampling"] == {
        "waves": 3, "units": rated, "pending": 0, "of": 120, "confidence": 0.95
    }  # fmt: skip
    truth = np.mean([value for key, value in ratings.items() if key.endswith("large")])
    large = report["systems"]["large"]
    assert large["ci"][0] <= truth <= large["ci"][1]
    frame = concord.read_judgments(folder / "wave-3.jsonl")
    own = estimate_sampled(frame, read_scores(folder / "scores.jsonl")).to_json()
    assert own == {name: report[name] for name in own}
    assert main([*arguments, "--budget", "100"]) == 0
    out = capsys.readouterr().out
    assert "By the probabilities of 3 waves" in out and f"{rated} of 120 units" in out
    corrected = estimate_sampled(frame, read_scores(folder / "scores.jsonl"), budget=100)
    assert corrected.sampling.confidence > 0.95
    assert corrected.systems[0].ci[0] < own["systems"]["large"]["ci"][0]
    # A board and comparisons are weighted; figures without weights are withheld.
    assert main(["leaderboard", str(folder / "wave-3.jsonl"), "--metrics", "token-f1"]) == 0
    assert "Correlations weigh by the unequal probabilities" in capsys.readouterr().out
    comparison = concord.compare(frame, "token-f1,bleu-1")
    assert {row["metric"] for row in comparison["metrics"]} == {"token-f1", "bleu-1"}
    with pytest.raises(concord.FrameError, match="unequal probabilities"):
        concord.agreement(frame)


def test_a_wave_is_drawn_when_the_last_is_rated(study, capsys):
    folder, ratings = study
    draw(folder, 1, "--wave", "20")
    drawn = [line["id"] for line in read(folder / "wave-1.jsonl") if line["sampling"]["drawn"]]
    rate(folder, 1, ratings, skip=drawn[:1])
    assert draw(folder, 2) == 2
    assert "wave 1 is not rated completely" in capsys.readouterr().err
    assert not (folder / "wave-2.jsonl").exists()


def test_nothing_is_drawn_after_the_target(study, capsys):
    folder, ratings = study
    draw(folder, 1, "--wave", "40")
    rate(folder, 1, ratings)
    assert draw(folder, 2, "--target", "width:3") == 2
    assert "the target is reached after" in capsys.readouterr().err
    assert draw(folder, 2, "--target", "width:0.01", "--budget", "40") == 2
    assert "the budget is used" in capsys.readouterr().err
    assert draw(folder, 2, "--target", "width:0.01") == 0


def test_ratings_that_no_rule_drew_are_refused(study, capsys):
    folder, _ = study
    lines = read(folder / "wave-0.jsonl")
    lines[0]["score"] = 3
    write(folder / "wave-0.jsonl", lines)
    assert draw(folder, 1) == 2
    assert "ratings of candidates that no rule drew" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[0].pop("sampling"), "1 of 240 candidates have no sampling"),
        (lambda lines: lines[0]["sampling"].update(probabilities=[0.9], drawn=None),
         "the candidates of unit 'q0' were drawn differently"),
        (lambda lines: [line["sampling"].update(probabilities=[0.5, 0.5], drawn=None)
                        for line in lines if line["instance"] == "q3"],
         "lacks the probability of a wave"),
    ],
)  # fmt: skip
def test_a_faulty_design_is_refused(study, capsys, change, message):
    folder, ratings = study
    draw(folder, 1, "--wave", "30")
    lines = rate(folder, 1, ratings)
    change(lines)
    write(folder / "wave-1.jsonl", lines)
    assert draw(folder, 2) == 2
    assert message in capsys.readouterr().err


def test_passages_can_be_drawn_whole(study, capsys):
    folder, _ = study
    lines = read(folder / "wave-0.jsonl")
    for line in lines:
        line["passage"] = f"text {int(line['instance'][1:]) // 3}"
    write(folder / "wave-0.jsonl", lines)
    assert draw(folder, 1, "--unit", "passage", "--wave", "15") == 0
    drawn = {}
    for line in read(folder / "wave-1.jsonl"):
        drawn.setdefault(line["passage"], set()).add(line["sampling"]["drawn"])
    assert len(drawn) == 40
    assert all(len(values) == 1 for values in drawn.values())
