"""Training on a tiny encoder: resumption, checkpoints and the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from scorers.datasets.questions import read
from scorers.errors import CheckpointError, TrainingError
from scorers.keyphrases.examples import build_examples
from scorers.keyphrases.predictor import KeyphrasePredictor
from scorers.keyphrases.training import KeyphraseRecipe, draw_examples, train_predictor
from scorers.learned.card import CARD, CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.loop import ProgressReport, epoch_batches, learning_rate
from scorers.learned.settings import TrainingSettings
from scorers.learned.trials import TrainingRun
from tests.scorers.commands import command

SETTINGS = TrainingSettings(epochs=2, batch_size=4, learning_rate=1e-3, max_tokens=32, lora_rank=2)


@pytest.fixture(scope="module")
def squad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of forty paragraphs in SQuAD's format."""
    paragraphs = []
    for i in range(40):
        context = f"The mill was built in {1800 + i}. It stands in Town{i}."
        answers = {"When was it built?": f"{1800 + i}", "Where is it?": f"Town{i}"}
        entries = [
            {"id": q, "question": q, "answers": [{"text": a, "answer_start": context.index(a)}]}
            for q, a in answers.items()
        ]
        paragraphs.append({"context": context, "qas": entries})
    path = tmp_path_factory.mktemp("squad") / "train.json"
    path.write_text(json.dumps({"data": [{"title": "Mills", "paragraphs": paragraphs}]}))
    return path


def trained(squad: Path, encoder: Path, out: Path, **options: Any) -> CheckpointCard:
    settings = options.pop("settings", SETTINGS)
    recipe = options.pop("recipe", KeyphraseRecipe(made=0.5))
    return train_predictor([(squad, "squad")], run_in(out, encoder, settings, **options), recipe)


def run_in(out: Path, encoder: Path, settings: TrainingSettings, **options: Any) -> TrainingRun:
    options = {"rates": (), "seeds": (), **options}
    return TrainingRun(out, settings, encoder=str(encoder), device="cpu", **options)


@pytest.fixture(scope="module")
def checkpoint(squad: Path, tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("checkpoint")
    trained(squad, tiny_encoder, out, licence="MIT", command="the command")
    return out


def test_every_epoch_sees_each_example_once_in_an_order_of_its_own() -> None:
    lengths = np.random.default_rng(0).integers(1, 50, 103).tolist()
    orders = [epoch_batches(lengths, SETTINGS, epoch) for epoch in (0, 1, 0)]
    for batches in orders:
        assert sorted(i for batch in batches for i in batch) == list(range(103))
    assert orders[0] == orders[2] != orders[1]


def test_the_learning_rate_rises_then_falls_to_zero() -> None:
    settings = TrainingSettings(learning_rate=1.0, warmup=0.1)
    rates = [learning_rate(settings, step, 100) for step in range(100)]
    assert max(rates) == rates[9] == 1.0
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert 0 < rates[99] < 0.02


def test_a_training_stopped_anywhere_ends_with_the_same_weights(
    squad: Path, tiny_encoder: Path, checkpoint: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("scorers.learned.loop._STEPS_BETWEEN_REPORTS", 1)
    monkeypatch.setattr("scorers.learned.loop._SECONDS_BETWEEN_SAVES", 0.0)
    stops = iter((3, 7, 31, 40))

    def stop_at(place: int) -> Any:
        def progress(report: ProgressReport) -> None:
            if report.step == place:
                raise KeyboardInterrupt

        return progress

    for place in stops:
        with pytest.raises(KeyboardInterrupt):
            trained(squad, tiny_encoder, tmp_path, progress=stop_at(place))
    card = trained(squad, tiny_encoder, tmp_path)
    weights = load_file(tmp_path / "weights.safetensors")
    expected = load_file(checkpoint / "weights.safetensors")
    assert weights.keys() == expected.keys()
    for name, value in weights.items():
        assert np.array_equal(value, expected[name]), name
    assert card.figures == CheckpointCard.read(checkpoint).figures


def test_the_folder_of_another_training_is_refused(
    squad: Path, tiny_encoder: Path, checkpoint: Path
) -> None:
    other = TrainingSettings(epochs=3, batch_size=4, max_tokens=32, lora_rank=2)
    with pytest.raises(TrainingError, match="holds a training with other data or settings"):
        trained(squad, tiny_encoder, checkpoint, settings=other)


def test_the_card_states_the_source_of_the_weights(checkpoint: Path) -> None:
    card = CheckpointCard.read(checkpoint)
    assert (card.kind, card.licence, card.command) == ("kpqa", "MIT", "the command")
    assert card.data[0].file == "train.json"
    assert card.data[0].examples == 80
    assert len(card.history) == 2
    assert {"dev f1", "dev loss", "best epoch"} <= card.figures.keys()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"figures": {"dev f1": "high"}}, "figures is not an object of numbers"),
        ({"extra": {"unseen": ["MS MARCO"]}}, "extra.unseen is not an object"),
        ({"extra": {"unseen": {"AVSD": 0.5}}}, "extra.unseen.AVSD is not an object"),
        (
            {"extra": {"unseen": {"AVSD": {"auc": {"value": 0.5}}}}},
            "extra.unseen.AVSD.auc is not a number or a value with its ci",
        ),
    ],
)
def test_a_card_with_other_figures_is_refused(
    checkpoint: Path, change: dict[str, object], says: str
) -> None:
    values = json.loads((checkpoint / CARD).read_text(encoding="utf-8"))
    with pytest.raises(CheckpointError, match=says):
        CheckpointCard.of(values | change)


def test_the_ablation_trains_on_the_same_examples_without_their_questions(
    squad: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    settings = TrainingSettings(epochs=1, batch_size=8, max_tokens=32, lora_rank=2)
    cards = {}
    for asks in (True, False):
        recipe = KeyphraseRecipe(asks=asks, made=0.5)
        cards[asks] = trained(
            squad, tiny_encoder, tmp_path / str(asks), settings=settings, recipe=recipe
        )
    assert (cards[True].kind, cards[False].kind) == ("kpqa", "kp")
    for name in ("training", "dev"):
        assert cards[True].figures[name] == cards[False].figures[name]
    assert {**cards[False].options, "asks": True} == cards[True].options
    assert cards[False].settings == cards[True].settings


def test_made_questions_do_not_depend_on_whether_the_question_is_shown(squad: Path) -> None:
    questions, _ = read(squad, "squad")
    examples = build_examples(questions)
    with_question, without = (
        draw_examples(examples, KeyphraseRecipe(asks=asks, made=0.5), seed=1)
        for asks in (True, False)
    )
    assert with_question == without
    assert any(example.text.startswith(("yes", "no")) for example in without[0])


def test_each_seed_is_trained_and_the_best_is_used(
    squad: Path, tiny_encoder: Path, checkpoint: Path, tmp_path: Path
) -> None:
    """The card lists the trainings; each equals a training with its seed only."""
    card = trained(squad, tiny_encoder, tmp_path, seeds=(1, 5))
    trials = {trial["seed"]: trial["figures"] for trial in card.extra["trials"]}
    assert list(trials) == [1, 5]
    assert trials[1] != trials[5]
    best = min(trials, key=lambda seed: trials[seed]["loss"])
    assert card.settings["seed"] == best
    assert card.figures["dev loss"] == trials[best]["loss"]
    assert {"dev loss, mean of 2 seeds", "dev loss, deviation"} <= card.figures.keys()
    assert len(KeyphrasePredictor(tmp_path, "cpu").keyphrases([("q", "one two")])) == 1
    alone = CheckpointCard.read(checkpoint)
    assert trials[1]["loss"] == alone.figures["dev loss"]
    assert [trial["seed"] for trial in alone.extra["trials"]] == [1]


def test_a_predictor_learns_what_the_examples_show(
    squad: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    settings = TrainingSettings(epochs=12, batch_size=8, learning_rate=5e-3, max_tokens=32)
    card = trained(squad, tiny_encoder, tmp_path, settings=settings, recipe=KeyphraseRecipe())
    first, last = card.history[0], card.history[-1]
    assert last["loss"] < first["loss"]
    assert card.figures["dev f1"] > 0.6


def test_weights_do_not_depend_on_the_batch(checkpoint: Path) -> None:
    predictor = KeyphrasePredictor(checkpoint, "cpu")
    pairs = [("When was it built?", "It was built in 1809."), ("Where?", "It was built in 1809.")]
    pairs += [("", "x"), ("q", ""), ("why " * 100, "word " * 100)]
    together = predictor.keyphrases(pairs)
    assert not np.allclose(together[0].weights, together[1].weights)
    for pair, keyphrases in zip(pairs, together, strict=True):
        alone = predictor.keyphrases([pair])[0]
        assert np.abs(alone.weights - keyphrases.weights).max(initial=0) < 1e-6
        assert alone.pieces == keyphrases.pieces
        assert ((alone.weights > 0) & (alone.weights < 1)).all()
    assert len(together[3].weights) == 0


def test_the_error_of_a_damaged_checkpoint_states_the_fault(
    checkpoint: Path, tmp_path: Path
) -> None:
    import shutil

    for name in ("card.json", "weights.safetensors"):
        shutil.copy(checkpoint / name, tmp_path / name)
    weights = (tmp_path / "weights.safetensors").read_bytes()
    (tmp_path / "weights.safetensors").write_bytes(weights[:-4] + b"\0\0\0\1")
    with pytest.raises(CheckpointError, match="is not the file that its card names"):
        KeyphrasePredictor(tmp_path, "cpu")
    (tmp_path / "card.json").write_text("{}")
    with pytest.raises(CheckpointError, match="not the card of a checkpoint"):
        KeyphrasePredictor(tmp_path, "cpu")
    (tmp_path / "card.json").unlink()
    with pytest.raises(CheckpointError, match=r"has no card\.json"):
        KeyphrasePredictor(tmp_path, "cpu")
    with pytest.raises(CheckpointError, match="there is no checkpoint 'nowhere'"):
        checkpoint_folder("nowhere")


def test_an_encoder_that_changed_is_refused(
    squad: Path, tiny_encoder: Path, checkpoint: Path, tmp_path: Path
) -> None:
    import shutil

    card = json.loads((checkpoint / "card.json").read_text())
    shutil.copy(checkpoint / "weights.safetensors", tmp_path)
    (tmp_path / "card.json").write_text(json.dumps({**card, "encoder_sha256": "0" * 64}))
    with pytest.raises(CheckpointError, match="was trained on another"):
        KeyphrasePredictor(tmp_path, "cpu")


def test_the_commands_train_and_evaluate(squad: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "kp"
    train = ["train", "kpqa", "--data", f"squad:{squad}", "--no-question", "--epochs", "1"]
    train += ["--encoder", str(tiny_encoder), "--out", str(out), "--max-tokens", "32", "--half"]
    done = command(*train)
    assert done.returncode == 0, done.stderr
    assert "dev f1" in done.stdout
    assert CheckpointCard.read(out).kind == "kp"
    assert str(tmp_path) not in CheckpointCard.read(out).command
    evaluate = ["evaluate", str(out), str(squad), "--format", "squad", "--json"]
    done = command(*evaluate)
    assert done.returncode == 0, done.stderr
    assert {"f1", "precision", "recall", "examples"} == json.loads(done.stdout).keys()


def test_the_card_and_the_help_name_the_deviation_from_kpqa(
    squad: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    """KPQA finds HotpotQA's supporting sentences by resolving coreference; the reader does not."""
    hotpotqa = Path(__file__).parents[1] / "datasets" / "files" / "hotpotqa.json"
    settings = TrainingSettings(epochs=1, batch_size=8, max_tokens=32, lora_rank=2)
    files = {"squad": [(squad, "squad")]}
    files["both"] = [*files["squad"], (hotpotqa, "hotpotqa")]
    notes = {
        name: train_predictor(
            data, run_in(tmp_path / name, tiny_encoder, settings, notes="Mine."), KeyphraseRecipe()
        ).notes
        for name, data in files.items()
    }  # fmt: skip
    assert notes["squad"] == "Mine."
    assert notes["both"].startswith("Mine. hotpotqa:")
    assert "SpanBERT" in notes["both"]
    done = command("train", "kpqa", "--help")
    assert "SpanBERT" in done.stdout


def test_the_command_takes_one_seed_or_several(
    squad: Path, tiny_encoder: Path, tmp_path: Path
) -> None:
    train = ["train", "kpqa", "--data", f"squad:{squad}", "--encoder", str(tiny_encoder)]
    train += [
        "--epochs",
        "1",
        "--max-tokens",
        "32",
        "--batch-size",
        "32",
        "--learning-rate",
        "1e-3",
    ]
    seeds = {"one": ["--seed", "3"], "several": ["--seeds", "3,4"]}
    for name, options in seeds.items():
        done = command(*train, *options, "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
    one, several = (CheckpointCard.read(tmp_path / name) for name in seeds)
    assert one.settings["seed"] == 3
    assert [trial["seed"] for trial in several.extra["trials"]] == [3, 4]
    assert several.extra["trials"][0]["figures"] == one.extra["trials"][0]["figures"]


def test_invalid_arguments_give_one_line(tmp_path: Path) -> None:
    for extra, message in (
        (["--data", "squad:nowhere.json"], "cannot be read"),
        (["--data", "nowhere.json"], "must be FORMAT:FILE"),
        (["--data", "squad:x", "--epochs", "0"], "epochs must be above 0"),
        (["--data", "squad:x", "--seeds", "1,two"], "--seeds"),
    ):
        done = command("train", "kpqa", "--out", str(tmp_path / "x"), *extra)
        assert done.returncode in (1, 2)
        assert message in done.stderr
        assert "Traceback" not in done.stderr
