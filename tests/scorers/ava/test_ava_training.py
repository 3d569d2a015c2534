"""Training of AVA on a tiny encoder: designs, resumption, threshold, serving, command."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from scorers import Item, Session, parse_metrics
from scorers.ava.metrics import Ava, AvaForm
from scorers.ava.training import Construction, train_ava
from scorers.errors import MetricError, TrainingError
from scorers.learned.card import CheckpointCard
from scorers.learned.loop import ProgressReport
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles
from scorers.learned.trials import TrainingRun
from tests.scorers.commands import command

SETTINGS = TrainingSettings(
    epochs=1, batch_size=16, learning_rate=1e-3, max_tokens=48, lora_rank=2, best_by="f1"
)
FORMS = {
    "A0": AvaForm("A0", ("q-r", "q-t", "r-t")),
    "A1-shared": AvaForm("A1", ("r-qt", "t-qr"), shared=True),
    "A2": AvaForm(),
    "A2-cross": AvaForm(peer="cross", shared=True),
    "linear": None,
}
ITEMS = [
    Item("mill 3 is red", ("it is red", "mill 3 is red"), "what colour is mill 3"),
    Item("nobody knows", ("mill 3 is red",), "what colour is mill 3"),
    Item("", ("",), ""),
    Item("word " * 90, ("long " * 90, "x"), "why " * 90),
]


@pytest.fixture(scope="module")
def selection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty questions with two correct and two wrong sentences."""
    rows = []
    for i in range(30):
        question = f"what colour is mill {i}"
        rows += [
            f"{question}\tmill {i} is red\t1",
            f"{question}\tred is the colour of mill {i}\t1",
            f"{question}\tnobody knows\t0",
            f"{question}\tit rained on mill {i}\t0",
        ]
    path = tmp_path_factory.mktemp("selection") / "mills.tsv"
    path.write_text("\n".join(rows) + "\n")
    return path


def run_in(out: Path, encoder: Path, **options: Any) -> TrainingRun:
    settings = options.pop("settings", SETTINGS)
    return TrainingRun(out, settings, (1e-3,), (1,), encoder=str(encoder), device="cpu", **options)


@pytest.mark.parametrize("name", FORMS)
def test_every_design_trains_and_scores_each_item_independently(
    selection: Path, tiny_encoder: Path, tmp_path: Path, name: str
) -> None:
    card = train_ava(
        TrainingFiles([(selection, "tsv")]), run_in(tmp_path, tiny_encoder), FORMS[name]
    )
    assert {"dev f1", "dev auc", "dev threshold"} <= card.figures.keys()
    assert card.figures["training"] + card.figures["dev"] == 30 * (2 + 4)
    (metric,) = parse_metrics(f"ava(checkpoint={tmp_path})", "joint")
    assert isinstance(metric, Ava) and metric.threshold == card.figures["dev threshold"]
    assert "|references:mean|" in metric.signature()
    (best,) = parse_metrics(f"ava(checkpoint={tmp_path},references=max)", "joint")
    (single,) = parse_metrics(f"ava(checkpoint={tmp_path})", "max")
    assert "|refs:max|" in single.signature()
    with pytest.raises(MetricError, match="choose multi_ref joint, or leave out references=mean"):
        parse_metrics(f"ava(checkpoint={tmp_path},references=mean)", "max")
    with Session("cpu") as session:
        together, greatest = session.score(metric, ITEMS), session.score(best, ITEMS)
        assert session.score(single, ITEMS).tolist() == pytest.approx(greatest.tolist(), abs=1e-5)
    assert ((together >= 0) & (together <= 1)).all()
    for item, mean, top in zip(ITEMS, together, greatest, strict=True):
        with Session("cpu") as session:
            assert abs(session.score(metric, [item])[0] - mean) < 1e-5
            each = [
                session.score(metric, [replace(item, references=(reference,))])[0]
                for reference in item.references
            ]
        assert np.mean(each) == pytest.approx(mean, abs=1e-5)
        assert max(each) == pytest.approx(top, abs=1e-5)


def test_a_training_stopped_anywhere_ends_with_the_same_weights(
    selection: Path, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scorers.learned.loop._STEPS_BETWEEN_REPORTS", 1)
    monkeypatch.setattr("scorers.learned.loop._SECONDS_BETWEEN_SAVES", 0.0)
    files, form = [(selection, "tsv")], AvaForm()
    settings = replace(SETTINGS, epochs=2)
    train_ava(
        TrainingFiles(files), run_in(tmp_path / "whole", tiny_encoder, settings=settings), form
    )
    for stop in (2, 13):

        def progress(report: ProgressReport, stop: int = stop) -> None:
            if report.step == stop:
                raise KeyboardInterrupt

        run = run_in(tmp_path / "parts", tiny_encoder, settings=settings, progress=progress)
        with pytest.raises(KeyboardInterrupt):
            train_ava(TrainingFiles(files), run, form)
    train_ava(
        TrainingFiles(files), run_in(tmp_path / "parts", tiny_encoder, settings=settings), form
    )
    first, second = (load_file(tmp_path / n / "weights.safetensors") for n in ("whole", "parts"))
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_dev_answers_of_one_kind_have_no_threshold(
    tiny_encoder: Path, selection: Path, tmp_path: Path
) -> None:
    dev = tmp_path / "dev.jsonl"
    row = {"id": "a", "question": "q", "references": ["r"], "candidate": "c", "score": 1}
    dev.write_text(json.dumps(row) + "\n")
    for form, message in (
        (None, "all correct or all wrong"),
        (AvaForm(), "dev figure 'f1', which"),
    ):
        with pytest.raises(TrainingError, match=message):
            train_ava(
                TrainingFiles([(selection, "tsv")], [(dev, "concord")]),
                run_in(tmp_path / "x", tiny_encoder),
                form,
            )


def test_the_command_trains_on_judgments_and_on_selections(
    selection: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    judged = tmp_path / "judged.jsonl"
    rows = [
        {"id": f"{i}-{k}", "question": f"q {i}", "references": ["red"], "candidate": answer,
         "scale": [1, 5], "score": score}
        for i in range(20)
        for k, (answer, score) in enumerate({"red": 5, "reddish": 4, "blue": 1}.items())
    ]  # fmt: skip
    judged.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "ava"
    words = ["train", "ava", "--data", f"concord:{judged}", "--data", f"tsv:{selection}",
             "--design", "A1", "--shared", "--most", "2", "--correct-from", "0.6", "--encoder",
             str(tiny_encoder), "--out", str(out), "--device", "cpu"]  # fmt: skip
    done = command(*words)
    assert done.returncode == 0, done.stderr
    card = CheckpointCard.read(out)
    assert card.options["pairs"] == ["q-rt", "r-qt", "t-qr"]
    assert card.settings["learning_rate"] == 1e-6 and card.settings["max_tokens"] == 128
    assert card.options["construction"] == {"most": 2, "correct_from": 0.6, "seed": 1}
    assert [source.examples for source in card.data] == [60, 30 * 4]
    done = command("evaluate", str(out), str(judged), "--format", "concord", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 60


def test_the_construction_is_checked() -> None:
    with pytest.raises(ValueError, match="must be above 0, not 0"):
        Construction(most=0)
    with pytest.raises(ValueError, match="correct_from must be above 0"):
        Construction(correct_from=0.0)
