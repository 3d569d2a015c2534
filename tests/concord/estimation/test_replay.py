"""`replay` and `concord replay`: known populations, real judgments, and errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

import concord
from concord.cli import main
from concord.estimation import EstimationError, EstimationSample, replay_steps, to_sample
from concord.meta.inference.draws import Progress, run_steps
from tests import real_data


def replay(*arguments, report=None, **options):
    return run_steps(replay_steps(*arguments, **options), report)


def made_up(rng, passages=150, noise=0.3):
    """Two systems, the second better by 0.4, one metric."""
    systems = np.tile([0, 1], passages)
    outcomes = 0.4 * systems + rng.normal(0, 1, 2 * passages)
    scores = outcomes + rng.normal(0, noise, 2 * passages)
    return EstimationSample(
        outcomes, scores[:, None], systems, np.repeat(np.arange(passages), 2), ("a", "b"), ("m",)
    )


def test_a_good_metric_saves_ratings_and_covers():
    (row,) = replay(
        made_up(np.random.default_rng(1)), [40], draws=150, rng=np.random.default_rng(2)
    )
    assert (row.passages, row.rated) == (40, 80)
    assert row.used == 1.0
    assert 0.9 <= row.coverage <= 0.99
    assert 0.9 <= row.plain_coverage <= 0.99
    assert row.width < 0.45 * row.plain_width
    assert row.saving > 2
    assert row.correct > row.plain_correct
    assert row.wrong == 0


def test_the_plain_mean_saves_nothing():
    sample = made_up(np.random.default_rng(1))
    (row,) = replay(sample, [40], method="mean", draws=20, rng=np.random.default_rng(2))
    assert row.saving == pytest.approx(1)
    assert row.width == row.plain_width
    assert (row.used, row.correct) == (0.0, row.plain_correct)


def test_the_same_generator_gives_the_same_rows():
    sample = made_up(np.random.default_rng(1))
    first, second = (
        replay(sample, [10, 30], draws=10, rng=np.random.default_rng(5)) for _ in range(2)
    )
    assert first == second


def test_progress_reaches_its_end():
    steps = []
    sample = made_up(np.random.default_rng(1), passages=20)
    replay(sample, [5, 8], draws=3, rng=np.random.default_rng(1), report=steps.append)
    assert steps == [Progress(k, 6) for k in range(1, 7)]


@pytest.mark.parametrize("size", ["1 passage", "20 passages", "50 passages"])
def test_sizes_outside_of_the_set_are_refused(size):
    sample = made_up(np.random.default_rng(1), passages=20)
    with pytest.raises(EstimationError, match=f"^{size} cannot be drawn"):
        replay(sample, [int(size.split()[0])], rng=np.random.default_rng(1))


def test_a_set_that_is_rated_in_part_is_refused():
    sample = made_up(np.random.default_rng(1), passages=20)
    sample.outcomes[3] = np.nan
    with pytest.raises(EstimationError, match="1 candidate is not rated"):
        replay(sample, [5], rng=np.random.default_rng(1))


def test_real_judgments_are_estimated_with_the_promised_coverage():
    path = real_data.path("kpqa/avsd_all.csv")
    frame = concord.read_judgments(path, "kpqa", systems=("MTN", "AMF"), references=5)
    sample = to_sample(frame, concord.score(frame, "token-f1"))
    (row,) = replay(sample, [60], draws=200, rng=np.random.default_rng(3))
    assert 0.92 <= row.coverage <= 0.98
    assert row.saving > 1.3


def test_the_command_prints_a_table_and_json(tmp_path, capsys):
    rng = np.random.default_rng(1)
    judgments, scores = tmp_path / "j.jsonl", tmp_path / "s.jsonl"
    lines, rows = [], []
    for question in range(60):
        for system in ("small", "large"):
            value, key = float(rng.integers(1, 6)), f"{question}-{system}"
            answer = {"references": ["it"], "candidate": "that", "system": system}
            question_field = {"question": f"{question}?"}
            lines.append({"id": key, **question_field, **answer, "scale": [1, 5], "score": value})
            rows.append({"id": key, "scores": {"m": value + rng.normal()}})
    judgments.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["replay", str(judgments), "--scores", str(scores), "--draws", "5"]
    assert main([*arguments, "--passages", "12,30"]) == 0
    assert "one rating counts as" in capsys.readouterr().out
    assert main([*arguments, "--format", "json", "--seed", "3"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["passages"] for row in report["rows"]] == [3, 6, 12, 24]
    assert (report["passages"], report["seed"], report["systems"]) == (60, 3, ["large", "small"])
    assert main([*arguments, "--passages", "60"]) == 2
    assert "60 passages cannot be drawn" in capsys.readouterr().err
