"""Training of LERC on a tiny encoder: resumption, pre-training, serving and commands."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from scorers import Item, ModelError, Session, parse_metrics
from scorers.datasets.choices import ChoiceQuestion
from scorers.errors import CheckpointError, TrainingError
from scorers.learned.card import CheckpointCard
from scorers.learned.evaluation import evaluate_on_judgments
from scorers.learned.loop import ProgressReport
from scorers.learned.model import Head
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles, TrainingRecipe
from scorers.learned.training_items import overlap
from scorers.learned.trials import TrainingRun, load_initial_weights
from scorers.lerc.metrics import LercForm
from scorers.lerc.training import (
    BOTH,
    FIRST,
    SECOND,
    TwoAnswers,
    make_choices,
    pretrain_lerc,
    train_lerc,
)
from tests.scorers.commands import command

SETTINGS = TrainingSettings(
    epochs=2, batch_size=8, learning_rate=1e-3, max_tokens=48, lora_rank=2, best_by="pearson"
)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two right and two wrong answers to each of thirty questions, with passages."""
    rows = []
    for i in range(30):
        shared = {
            "instance": f"i{i}",
            "passage": f"The mill of Town{i} was built in {1800 + i}. It is red.",
            "question": f"When was the mill of Town{i} built?",
            "references": [f"in {1800 + i}", f"{1800 + i}"],
            "scale": [0, 1],
            "constituent": "mills" if i % 2 else "towns",
        }
        answers = {f"in {1800 + i}": 1, f"built {1800 + i}": 1, "it is red": 0, f"Town{i}": 0}
        for k, (candidate, score) in enumerate(answers.items()):
            rows.append(
                {**shared, "id": f"{i}-{k}", "candidate": candidate, "score": score,
                 "system": f"s{k}"}
            )  # fmt: skip
    path = tmp_path_factory.mktemp("judged") / "mills.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A question answering set in SQuAD's format, for learning keyphrases."""
    paragraphs = []
    for i in range(20):
        context = f"The mill was built in {1800 + i}."
        answers = [{"text": f"{1800 + i}", "answer_start": context.index(f"{1800 + i}")}]
        entry = {"id": f"{i}", "question": "When was it built?", "answers": answers}
        paragraphs.append({"context": context, "qas": [entry]})
    path = tmp_path_factory.mktemp("qa") / "train.json"
    path.write_text(json.dumps({"data": [{"title": "Mills", "paragraphs": paragraphs}]}))
    return path


def run_in(out: Path, encoder: Path, **options: Any) -> TrainingRun:
    settings = options.pop("settings", SETTINGS)
    rates = options.pop("rates", (settings.learning_rate,))
    seeds = options.pop("seeds", (1,))
    return TrainingRun(out, settings, rates, seeds, encoder=str(encoder), device="cpu", **options)


@pytest.fixture(scope="module")
def checkpoint(judged: Path, tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lerc")
    train_lerc(TrainingFiles([(judged, "concord")]), run_in(out, tiny_encoder))
    return out


def interrupted(train: Any, out: Path, tiny_encoder: Path, stops: tuple[int, ...]) -> None:
    """Train, with stops at some steps and resumptions."""
    for stop in stops:

        def progress(report: ProgressReport, stop: int = stop) -> None:
            if report.step == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(run_in(out, tiny_encoder, progress=progress))
    train(run_in(out, tiny_encoder))


def same_weights(one: Path, other: Path) -> bool:
    first, second = (load_file(folder / "weights.safetensors") for folder in (one, other))
    return first.keys() == second.keys() and all(np.array_equal(first[n], second[n]) for n in first)


@pytest.fixture
def saving_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorers.learned.loop._STEPS_BETWEEN_REPORTS", 1)
    monkeypatch.setattr("scorers.learned.loop._SECONDS_BETWEEN_SAVES", 0.0)


@pytest.mark.usefixtures("saving_always")
def test_a_stopped_training_with_keyphrases_ends_with_the_same_weights(
    judged: Path, qa: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    recipe = TrainingRecipe(augment=("identity", "flip"), keyphrases=((qa, "squad"),), graded=0.2)
    head = Head(features=("token-f1",), bound=1.0)

    def train(run: TrainingRun) -> CheckpointCard:
        return train_lerc(TrainingFiles([(judged, "concord")]), run, head=head, recipe=recipe)

    train(run_in(tmp_path / "whole", tiny_encoder))
    interrupted(train, tmp_path / "parts", tiny_encoder, (2, 9, 31, 50))
    assert same_weights(tmp_path / "whole", tmp_path / "parts")
    card = CheckpointCard.read(tmp_path / "parts")
    assert card.options["keyphrases"] and len(card.data) == 2


@pytest.mark.usefixtures("saving_always")
def test_a_stopped_pretraining_ends_with_the_same_weights(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "boolq.jsonl"
    rows = [
        {"question": f"is mill {i} red", "passage": f"mill {i} is red", "answer": i % 3 > 0}
        for i in range(40)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = replace(SETTINGS, best_by="accuracy")

    def train(run: TrainingRun) -> CheckpointCard:
        return pretrain_lerc(TrainingFiles([(path, "boolq")]), replace(run, settings=settings))

    card = train(run_in(tmp_path / "whole", tiny_encoder))
    interrupted(train, tmp_path / "parts", tiny_encoder, (3, 12))
    assert same_weights(tmp_path / "whole", tmp_path / "parts")
    assert {"dev accuracy", "dev chance", "dev accuracy, both right"} <= card.figures.keys()
    assert card.figures["training"] + card.figures["dev"] == 80
    with pytest.raises(CheckpointError, match="is a checkpoint of 'lerc-choices', not of lerc"):
        parse_metrics(f"lerc(checkpoint={tmp_path / 'whole'})")[0].signature()


def test_pretraining_reads_the_selected_parts(tiny_encoder: Path, tmp_path: Path) -> None:
    path = tmp_path / "boolq.jsonl"
    rows = [
        {"question": f"is mill {i} red", "passage": f"mill {i} " * 99, "answer": i % 3 > 0}
        for i in range(40)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = replace(SETTINGS, epochs=1, max_tokens=16, best_by="accuracy")
    run = replace(run_in(tmp_path / "out", tiny_encoder), settings=settings)
    form = LercForm(("question", "reference", "candidate"))
    pretrain_lerc(TrainingFiles([(path, "boolq")]), run, form=form)
    assert CheckpointCard.read(tmp_path / "out").options["parts"] == list(form.parts)
    with pytest.raises(TrainingError, match="the parts must include reference and candidate"):
        pretrain_lerc(
            TrainingFiles([(path, "boolq")]), run, form=LercForm(("question", "candidate"))
        )


def test_choices_are_all_pairs_with_a_correct_answer() -> None:
    question = ChoiceQuestion("p", "q", ("a",), ("b", "c"), "g")
    assert make_choices(question) == [
        TwoAnswers("p", "q", "a", "b", False),
        TwoAnswers("p", "q", "a", "c", False),
        TwoAnswers("p", "q", "a", "a", True),
    ]
    several = ChoiceQuestion("p", "q", ("a", "b", "c"), ("d",), "g", several=True)
    assert [c for c in make_choices(several) if c.both] == [
        TwoAnswers("p", "q", "a", "b", True),
        TwoAnswers("p", "q", "a", "c", True),
        TwoAnswers("p", "q", "b", "c", True),
    ]
    choice = make_choices(question)[0]
    assert [choice.label(turned=turned) for turned in (False, True)] == [FIRST, SECOND]
    assert choice.row(turned=True).reference == "b" and choice.row(turned=True).candidate == "a"
    assert make_choices(question)[2].label(turned=True) == BOTH


def test_training_selects_the_best_learning_rate_over_seeds(
    judged: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    run = run_in(tmp_path, tiny_encoder, rates=(1e-5, 1e-2), seeds=(1, 2))
    card = train_lerc(
        TrainingFiles([(judged, "concord")]), run, LercForm(("reference", "candidate"))
    )
    trials = card.extra["trials"]
    assert [(t["learning_rate"], t["seed"]) for t in trials] == [
        (1e-5, 1), (1e-5, 2), (1e-2, 1), (1e-2, 2)
    ]  # fmt: skip
    means = {
        rate: np.mean([t["figures"]["pearson"] for t in trials if t["learning_rate"] == rate])
        for rate in (1e-5, 1e-2)
    }
    best_rate = card.settings["learning_rate"]
    assert best_rate == max(means, key=lambda rate: means[rate])
    assert card.figures["dev pearson, mean of 2 seeds"] == pytest.approx(means[best_rate])
    best = max(t["figures"]["pearson"] for t in trials if t["learning_rate"] == best_rate)
    assert card.figures["dev pearson"] == best


def test_encoders_start_from_another_checkpoint(
    judged: Path, checkpoint: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    from scorers.encoders import locate, open_model
    from scorers.learned.model import build_network

    located = locate(str(tiny_encoder))
    network = build_network(LercForm(), Head(), open_model(located)[1], 2)
    load_initial_weights(network, str(checkpoint), located.sha256)
    weights = load_file(checkpoint / "weights.safetensors")
    trained = {name: value for name, value in network.named_parameters() if value.requires_grad}
    for name, value in trained.items():
        if "lora_B" in name:
            assert np.array_equal(value.detach().numpy(), weights[name])
    assert any(weights[name].any() for name in trained if "lora_B" in name)
    other = build_network(LercForm(), Head(), open_model(located)[1], 4)
    with pytest.raises(TrainingError, match="with the same LoRA rank"):
        load_initial_weights(other, str(checkpoint), located.sha256)
    with pytest.raises(TrainingError, match="was trained on another encoder"):
        load_initial_weights(network, str(checkpoint), "0")


def test_an_items_score_is_the_best_of_its_references(checkpoint: Path) -> None:
    (metric,) = parse_metrics(f"lerc(checkpoint={checkpoint})")
    items = [
        Item("in 1805", ("in 1805", "1805"), "When was it built?", "It was built in 1805."),
        Item("red", ("in 1805",), "When was it built?", "It was built in 1805."),
        Item("", ("in 1805", ""), "", ""),
        Item("word " * 60, ("word " * 60,), "why " * 60, "long " * 200),
    ]
    with Session("cpu") as session:
        together = session.score(metric, items)
    for item, score in zip(items, together, strict=True):
        with Session("cpu") as session:
            alone = session.score(metric, [item])[0]
            each = [
                session.score(metric, [replace(item, references=(reference,))])[0]
                for reference in item.references
            ]
        assert abs(alone - score) < 1e-5 and abs(max(each) - score) < 1e-5
    (unit,) = parse_metrics(f"lerc(checkpoint={checkpoint},form=unit)")
    with Session("cpu") as session:
        assert session.score(unit, items) == pytest.approx(np.clip((together - 1) / 4, 0, 1))
    assert f"checkpoint:lerc-{metric.card.weights_sha256[:16]}" in metric.signature()
    assert "features:none" in metric.signature()


def test_the_description_states_the_training_data(checkpoint: Path, judged: Path) -> None:
    rows = [json.loads(line) for line in judged.read_text().splitlines()]
    items = [
        Item(row["candidate"], tuple(row["references"]), row["question"], row["passage"])
        for row in rows
    ]
    assert overlap(checkpoint, items).share == 1.0
    assert overlap(checkpoint, [Item("a", ("b",), "Who?")]).share == 0.0
    figures = evaluate_on_judgments(str(checkpoint), judged, "concord", "cpu", by="system")
    assert figures["n"] == 120 and figures["trained on"] == 1.0
    assert set(figures["groups"]) == {"s0", "s1", "s2", "s3"}
    dev = evaluate_on_judgments(str(checkpoint), judged, "concord", "cpu", part="dev")
    card = CheckpointCard.read(checkpoint)
    # Merged adapters round differently, and so small an encoder's scores hardly vary.
    for name in ("pearson", "f1", "auc"):
        assert dev[name] == pytest.approx(card.figures[f"dev {name}"], abs=5e-3)


def test_a_constituent_can_be_left_out(judged: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    card = train_lerc(
        TrainingFiles([(judged, "concord")]),
        run_in(tmp_path, tiny_encoder, settings=replace(SETTINGS, epochs=1)),
        recipe=TrainingRecipe(without=("mills",)),
    )
    # Two references each; dev has a row for each as well.
    assert card.figures["training"] + card.figures["dev"] == 60 * 2
    assert CheckpointCard.read(tmp_path).options["recipe"]["without"] == ["mills"]


def test_errors_name_missing_and_unsuitable_files(checkpoint: Path, tmp_path: Path) -> None:
    for name in ("sts", "lerc(checkpoint=nowhere)"):
        (metric,) = parse_metrics(name)
        with pytest.raises(ModelError, match="there is no checkpoint"):
            metric.signature()
        with Session("cpu") as session, pytest.raises(ModelError, match="there is no checkpoint"):
            session.score(metric, [Item("a", ("b",))])
    with pytest.raises(ModelError, match="is a checkpoint of 'lerc', not of sts"):
        parse_metrics(f"sts(checkpoint={checkpoint})")[0].signature()
    with (
        Session("cpu") as session,
        pytest.raises(ModelError, match="was trained on another all-MiniLM-L6-v2"),
    ):
        (metric,) = parse_metrics(f"lerc(checkpoint={checkpoint},model=all-MiniLM-L6-v2)")
        session.score(metric, [Item("a", ("b",))])
    with pytest.raises(TrainingError, match="reads only reference and candidate"):
        train_lerc(TrainingFiles([]), run_in(tmp_path, tmp_path), LercForm(), kind="sts")


def test_the_commands_train_and_evaluate(judged: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    shared = ["--encoder", str(tiny_encoder), "--epochs", "1", "--max-tokens", "48",
              "--learning-rate", "1e-3", "--seeds", "1", "--device", "cpu"]  # fmt: skip
    out = tmp_path / "lerc"
    done = command("train", "lerc", "--data", f"concord:{judged}", "--parts",
                   "question,reference,candidate", "--test-share", "0.2", "--half",
                   "--notes", "mills and/or towns", "--out", str(out), *shared)  # fmt: skip
    assert done.returncode == 0, done.stderr
    card = CheckpointCard.read(out)
    assert str(tmp_path) not in card.command and "mills and/or towns" in card.command
    done = command("evaluate", str(out), str(judged), "--format", "concord", "--part", "test",
                   "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["trained on"] == 0.0 and figures["n"] > 0 and "pearson" in figures
    out = tmp_path / "sts"
    done = command("train", "sts", "--data", f"concord:{judged}", "--out", str(out), *shared)
    assert done.returncode == 0, done.stderr
    assert CheckpointCard.read(out).options["parts"] == ["reference", "candidate"]
    done = command("train", "lerc-choices", "--data", "race:nowhere", "--out", str(out), *shared,
                   "--parts", "question,reference")  # fmt: skip
    assert done.returncode == 1 and "the parts must include" in done.stderr, done.stderr
    for extra, message in (
        (["--parts", "candidate,reference"], "parts must be some of"),
        (["--features", "nothing"], "features must be different metrics of"),
        (["--max-tokens", "512"], "the encoder reads 128 tokens at most, not 512"),
        (["--bound", "1"], "a bound and fixed feature weights need features"),
        (["--data", "squad:x"], "with one of the formats concord, mocha, sts"),
    ):
        done = command("train", "lerc", "--data", f"concord:{judged}", "--out",
                       str(tmp_path / "x"), *shared, *extra)  # fmt: skip
        assert done.returncode == 1 and message in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
