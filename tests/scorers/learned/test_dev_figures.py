"""A checkpoint's dev figures equal those of `evaluate` on the same dev part."""

import json
from pathlib import Path
from typing import Any

import pytest

from scorers.ava.metrics import AvaForm
from scorers.ava.training import train_ava
from scorers.datasets.judgments import Split
from scorers.learned.card import CheckpointCard
from scorers.learned.evaluation import evaluate_on_judgments
from scorers.learned.model import Head
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles, TrainingRecipe
from scorers.learned.trials import TrainingRun
from scorers.lerc.metrics import STS, LercForm
from scorers.lerc.training import train_lerc

# Merged adapters round differently, and so small an encoder's scores hardly vary.
ROUNDING = 5e-3
RECIPE = TrainingRecipe(split=Split(dev=0.4, seed=3))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers to forty questions that are right if they hold the short answer.

    A right answer shares few words with its references, and one reference is there twice.
    """
    rows = []
    for i in range(40):
        year = f"{1800 + i}"
        shared = {
            "instance": f"i{i}",
            "question": f"When was mill {i} built by the river?",
            "references": [f"it stood from {year} on", f"in {year}", f"in {year}"],
            "short_answer": year,
            "scale": [0, 1],
        }
        answers = {
            f"they put it up around {year}": 1,
            f"{year}": 1,
            "it stood from then on": 0,
            f"in {1700 + i}": 0,
        }
        for k, (candidate, score) in enumerate(answers.items()):
            rows.append({**shared, "id": f"{i}-{k}", "candidate": candidate, "score": score})
    path = tmp_path_factory.mktemp("judged") / "mills.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run_in(out: Path, encoder: Path, best_by: str) -> TrainingRun:
    settings = TrainingSettings(
        epochs=1, batch_size=16, learning_rate=1e-3, max_tokens=48, lora_rank=2, best_by=best_by
    )
    return TrainingRun(out, settings, (1e-3,), (1,), encoder=str(encoder), device="cpu")


def same_figures(card: CheckpointCard, folder: Path, judged: Path) -> dict[str, Any]:
    figures = evaluate_on_judgments(str(folder), judged, "concord", "cpu", part="dev")
    stated = {
        name.removeprefix("dev "): value
        for name, value in card.figures.items()
        if name.startswith("dev ")
    }
    shared = figures.keys() & stated.keys()
    assert {"pearson", "f1", "balanced accuracy", "auc"} <= shared
    for name in shared:
        assert figures[name] == pytest.approx(stated[name], abs=ROUNDING), name
    return figures


DESIGNS = {
    "linear": None,
    "A0": AvaForm("A0", ("q-r", "q-t", "r-t"), shared=True),
    "A1": AvaForm("A1", ("r-qt", "t-qr"), shared=True),
    "A2": AvaForm(shared=True),
    "A2-own": AvaForm(shared=True, peer="own"),
    "A2-cross": AvaForm(shared=True, peer="cross"),
}


@pytest.mark.parametrize("combine", ["mean", "max"])
@pytest.mark.parametrize("design", DESIGNS)
def test_ava(judged: Path, tiny_encoder: Path, tmp_path: Path, design: str, combine: Any) -> None:
    run = run_in(tmp_path, tiny_encoder, "f1")
    card = train_ava(TrainingFiles([(judged, "concord")]), run, DESIGNS[design], recipe=RECIPE,
                     combine=combine)  # fmt: skip
    figures = same_figures(card, tmp_path, judged)
    if design == "linear":
        # The short answer decides, in training and in evaluation.
        assert figures["f1"] == 1.0


LERC = {
    "joined": ("lerc", LercForm(), Head()),
    "joined, with features": ("lerc", LercForm(), Head(features=("token-f1",), bound=0.5)),
    "match": ("lerc", LercForm(reading="match"), Head()),
    "sts": (STS, LercForm(("reference", "candidate")), Head()),
}


@pytest.mark.parametrize("loss", ["mse", "logistic"])
@pytest.mark.parametrize("reading", LERC)
def test_lerc_and_sts(
    judged: Path, tiny_encoder: Path, tmp_path: Path, reading: str, loss: Any
) -> None:
    kind, form, head = LERC[reading]
    run = run_in(tmp_path, tiny_encoder, "pearson")
    files = TrainingFiles([(judged, "concord")])
    card = train_lerc(files, run, form, kind=kind, head=head, recipe=RECIPE,
                      loss=loss)  # fmt: skip
    same_figures(card, tmp_path, judged)


@pytest.mark.parametrize("design", ["linear", "A1"])
def test_ava_on_graded_answers(
    judged: Path, tiny_encoder: Path, tmp_path: Path, design: str
) -> None:
    """Verdicts are as in training; correlations are with the grades."""
    rows = [json.loads(line) for line in judged.read_text().splitlines()]
    for k, row in enumerate(rows):
        row |= {"scale": [1, 5], "score": (4 if row["score"] else 1) + k % 2}
    graded = tmp_path / "graded.jsonl"
    graded.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = run_in(tmp_path / "ava", tiny_encoder, "f1")
    card = train_ava(TrainingFiles([(graded, "concord")]), run, DESIGNS[design], recipe=RECIPE)
    figures = evaluate_on_judgments(str(tmp_path / "ava"), graded, "concord", "cpu", part="dev")
    for name in ("f1", "precision", "recall", "balanced accuracy", "auc"):
        assert figures[name] == pytest.approx(card.figures[f"dev {name}"], abs=ROUNDING), name
    assert figures["pearson"] != card.figures["dev pearson"]
