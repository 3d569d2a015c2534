"""The short answer of an instance reaches AVA's linear classifier on the site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils.timezone import now

from benchmarks.sets.fingerprints import context_key
from benchmarks.sets.services import frames, importing
from concord.formats.options import ReadOptions
from concord.formats.records import InstanceRecord
from concord.formats.registry import read_judgments, read_pairs
from scorers.ava.training import train_ava
from scorers.datasets.judgments import Split
from scorers.learned.evaluation import evaluate_on_judgments
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles, TrainingRecipe
from scorers.learned.trials import TrainingRun
from tests.benchmarks.factories import score_here, write_lines

pytestmark = pytest.mark.django_db


def lines(count: int = 30) -> list[dict]:
    """Answers that are right if they hold the short answer, whatever else they say."""
    made = []
    for i in range(count):
        shared = {
            "instance": f"i{i}",
            "question": f"When was mill {i} built by the river?",
            "references": [f"it stood from {1800 + i} on"],
            "short_answer": f"{1800 + i}",
            "scale": [0, 1],
        }
        answers = {f"they put it up around {1800 + i}": 1, "it stood from then on": 0}
        for k, (candidate, score) in enumerate(answers.items()):
            made.append({**shared, "id": f"{i}-{k}", "candidate": candidate, "score": score})
    return made


def test_a_run_scores_with_the_short_answer_as_evaluation_does(tmp_path: Path):
    data = write_lines(tmp_path / "mills.jsonl", lines())
    pair = {**lines(1)[0], "id": "p", "candidate1": "about 1800", "candidate2": "about 1801"}
    pair = {name: pair[name] for name in pair if name not in ("candidate", "score", "scale")}
    pairs = write_lines(tmp_path / "pairs.jsonl", [{**pair, "score1": 1, "score2": 0}])
    judged = importing.import_judgments(
        "mills",
        read_judgments([data], "concord", ReadOptions()),
        read_pairs([pairs], "concord"),
        at=now(),
    )
    assert {item.short_answer for item in frames.items(judged, range(2))} == {"1800"}
    assert frames.items(judged, [judged.n_candidates])[0].short_answer == "1800"
    assert frames.items(judged, [0], context=False)[0].short_answer == ""

    run = TrainingRun(tmp_path / "linear", TrainingSettings(), (1e-3,), (1,))
    recipe = TrainingRecipe(split=Split(dev=0.4, seed=2))
    train_ava(TrainingFiles([(data, "concord")]), run, None, recipe=recipe)
    (scored,) = score_here(judged, f"ava(checkpoint={run.out})")
    scores = scored.score_array
    threshold = json.loads((run.out / "card.json").read_text())["figures"]["dev threshold"]
    gold = frames.frame(judged).gold > 0.5
    assert ((scores[: judged.n_candidates] >= threshold) == gold).all()
    assert evaluate_on_judgments(str(run.out), data, "concord", "cpu")["f1"] == 1.0
    assert "reads:short-answer" in scored.signature


def test_items_that_differ_in_their_short_answer_have_keys_of_their_own():
    instance = InstanceRecord("i", ("r",), "p", "q")
    # Sets stored before short answers were scored have this key.
    assert context_key("c", instance).hex() == "40ea050b03e93c64d791b6ee2796d880"
    short = InstanceRecord("i", ("r",), "p", "q", short_answer="s")
    assert context_key("c", short) != context_key("c", instance)
