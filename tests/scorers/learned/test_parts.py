"""Parts that judges share: examples, features, figures, initial heads, training items."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.meta.correctness import metric_verdicts, tune_by_f1
from concord.word_overlap import is_included, sim_text
from scorers import Item
from scorers.batch import Services
from scorers.datasets.judgments import Judgment, Split
from scorers.errors import CheckpointError
from scorers.learned.evaluation import dev_figures, f1_threshold, verdict_figures
from scorers.learned.examples import (
    add_features,
    augment_examples,
    examples_from_judgments,
    examples_from_rows,
    soften_gold,
)
from scorers.learned.features import FeatureMetrics
from scorers.learned.rows import Row, combine_scores
from scorers.learned.training import TrainingFiles, TrainingRecipe, fit_features, read_data
from scorers.learned.training_items import overlap, training_record, write_training_items

TWO = [
    Judgment("a", "Who?", ("Tor Lind", "Orra"), "Orra came", 1.0, "They came."),
    Judgment("b", "Who?", ("Tor Lind",), "nobody", 0.0, "They came."),
]


def test_sim_text_counts_words_as_often_as_they_occur() -> None:
    assert sim_text("The mill, the mill", "the mill") == 2 * 2 / (5 + 2)
    assert sim_text("", "") == sim_text("a", "") == 0.0
    assert is_included("red mill", "A Red mill!") and not is_included("red mill", "red old mill")
    assert not is_included("", "anything") and not is_included("mill", "windmills")


def test_a_judgment_gives_a_row_for_each_reference_or_for_one() -> None:
    every = examples_from_judgments(TWO)
    assert [row.reference for row in every.rows] == ["Tor Lind", "Orra", "Tor Lind"]
    assert every.owners.tolist() == [0, 0, 1] and every.gold.tolist() == [1.0, 1.0, 0.0]
    twice = [replace(TWO[0], references=("Orra", "Orra"))]
    assert (
        len(examples_from_judgments(twice)) == 2 and len(examples_from_judgments(twice, "all")) == 1
    )
    assert [row.reference for row in examples_from_judgments(TWO, "closest").rows] == [
        "Orra",
        "Tor Lind",
    ]
    assert [row.reference for row in examples_from_judgments(TWO, "first").rows] == [
        "Tor Lind",
        "Tor Lind",
    ]


def test_identity_and_flip_make_rows_and_no_duplicates() -> None:
    rows = [Row("", "q", "r", "c"), Row("", "q", "c", "r"), Row("", "q", "s", "s")]
    augmented = augment_examples(
        examples_from_rows(rows, np.array([0.25, 0.5, 0.75])), ("identity", "flip")
    )
    assert list(augmented.rows) == [*rows, Row("", "q", "r", "r"), Row("", "q", "c", "c")]
    assert augmented.gold.tolist() == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert augmented.owners.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="augmentation must be some of identity, flip, not mirror"):
        augment_examples(examples_from_rows(rows, np.zeros(3)), ("mirror",))


def test_graded_targets_move_towards_the_features_mean() -> None:
    examples = examples_from_rows([Row("", "", "r", "c")], np.array([1.0]))
    with pytest.raises(ValueError, match="graded gold scores need features"):
        soften_gold(examples, 0.5)
    examples = examples_from_rows([Row("", "", "r", "c")], np.array([1.0]))
    object.__setattr__(examples, "features", np.array([[0.2, -0.4]]))
    assert soften_gold(examples, 0.5).gold.tolist() == [0.5 + 0.5 * 0.1]


def test_several_references_are_put_together_by_item() -> None:
    scores, owners = np.array([0.1, 0.5, 0.3, 0.9]), np.array([0, 0, 1, 4])
    assert combine_scores(scores, owners, "max").tolist() == [0.5, 0.3, 0.9]
    assert combine_scores(scores, owners, "mean").tolist() == [0.3, 0.3, 0.9]
    assert len(combine_scores(np.zeros(0), np.zeros(0, dtype=np.int64), "max")) == 0


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=30))
def test_no_threshold_has_a_better_f1(rows: list[tuple[int, bool]]) -> None:
    scores = np.array([float(score) for score, _ in rows])
    correct = np.array([right for _, right in rows])
    if not correct.any():
        with pytest.raises(ValueError, match="no answer correct"):
            f1_threshold(scores, correct)
        return
    best = verdict_figures(scores, correct, f1_threshold(scores, correct))["f1"]
    for other in np.arange(-0.5, 6.0):
        assert verdict_figures(scores, correct, other)["f1"] <= best + 1e-12


def test_a_card_and_a_board_call_the_same_answers_correct() -> None:
    """Twelve random answers with as many ties as in real sets of verdicts, three hundred times."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        scores, correct = rng.integers(0, 8, 12) / 8, rng.random(12) < 0.5
        correct[0], correct[1] = True, False
        rows = examples_from_rows(
            [Row("", "", "r", str(k)) for k in range(12)], correct.astype(np.float64)
        )
        threshold = dev_figures(scores, rows, "max")["threshold"]
        board = metric_verdicts(scores, tune_by_f1(scores, correct))
        assert np.array_equal(metric_verdicts(scores, threshold), board), seed
        assert np.isfinite(threshold), seed


def test_figures_of_nan_scores_are_undefined() -> None:
    """A training that diverges reaches the error of the training loop."""
    rows = examples_from_rows([Row("", "", "r", "c")] * 4, np.array([0.0, 1.0, 1.0, 0.0]))
    figures = dev_figures(np.array([0.5, np.nan, 0.2, 0.1]), rows, "max")
    assert {"pearson", "f1", "auc", "threshold"} <= figures.keys()
    assert all(np.isnan(value) for value in figures.values())


def test_verdicts_by_hand() -> None:
    scores, correct = np.array([0.9, 0.8, 0.4, 0.1]), np.array([True, False, True, False])
    figures = verdict_figures(scores, correct, 0.5)
    assert figures == {
        "f1": 0.5, "precision": 0.5, "recall": 0.5, "accuracy": 0.5, "balanced accuracy": 0.5,
        "auc": 0.75,
    }  # fmt: skip


@pytest.mark.parametrize("loss", ["mse", "logistic"])
def test_a_head_starts_from_weights_that_fit_and_are_not_below_zero(loss: str) -> None:
    rng = np.random.default_rng(0)
    features = rng.random((2000, 3))
    gold = np.clip(0.1 + 0.7 * features[:, 0] - 0.5 * features[:, 2] + 0.2, 0, 1)
    weights, bias = fit_features(features, gold, loss)
    assert weights[0] > 1 and weights[2] == 0.0
    outputs = features @ weights + bias
    assert np.corrcoef(outputs, gold)[0, 1] > 0.8
    best = np.mean((outputs - (1 + 4 * gold)) ** 2) if loss == "mse" else None
    if best is not None:
        assert best < np.mean((1 + 4 * gold - (1 + 4 * gold).mean()) ** 2)


def test_features_are_cached_by_row(tmp_path: Path) -> None:
    metrics = FeatureMetrics(("token-f1", "sentence-similarity"))
    rows = [Row("", "", "the red mill", "a red mill"), Row("", "", "x", ""), Row("", "", "", "")]
    services = Services("cpu")
    together = metrics.compute(services, rows)
    assert together.shape == (3, 2)
    assert together[0, 0] == 1.0  # articles do not count
    for place, row in enumerate(rows):
        assert np.abs(metrics.compute(services, [row])[0] - together[place]).max() < 1e-6
    examples = add_features(examples_from_rows(rows, np.zeros(3)), metrics, services, tmp_path)
    assert np.abs(examples.features - together).max() < 1e-6
    assert len(list(tmp_path.iterdir())) == 2
    services.close()
    again = add_features(examples_from_rows(rows, np.zeros(3)), metrics, Services("cpu"), tmp_path)
    assert np.array_equal(again.features, examples.features)
    assert FeatureMetrics(()).signature() == "none" != metrics.signature()
    with pytest.raises(ValueError, match="features must be different metrics of exact-match"):
        FeatureMetrics(("token-f2",))


def test_the_files_split_is_used_and_test_is_never_drawn_for_training() -> None:
    judgments = [
        Judgment(str(i), "q", ("r",), "c", 0.0, group=str(i), split=split)
        for i, split in enumerate(["train"] * 40 + ["test"] * 5)
    ]
    split = Split(dev=0.25)
    parts = {name: split.part(judgments, name) for name in ("train", "dev", "test")}
    assert {judgment.id for judgment in parts["test"]} == {str(i) for i in range(40, 45)}
    assert len(parts["train"]) + len(parts["dev"]) == 40 and len(parts["dev"]) > 2
    assert split.part(judgments, "all") == judgments
    with pytest.raises(ValueError, match="the part must be train, dev, test or all"):
        split.part(judgments, "validation")


def write_card(folder: Path, extra: dict) -> None:
    values = {
        "kind": "lerc", "encoder": "e", "encoder_sha256": "0", "options": {}, "settings": {},
        "data": [], "licence": "", "command": "", "figures": {}, "history": [], "versions": {},
        "weights_sha256": "0", "extra": extra,
    }  # fmt: skip
    (folder / "card.json").write_text(json.dumps(values))


def test_training_items_are_found_again(tmp_path: Path) -> None:
    trained = [Item("Tor", ("r",), "Who  came?", "They came."), Item("Orra", ("r",), "Who left?")]
    write_card(tmp_path, {"training_items": write_training_items(trained, tmp_path)})
    overlap_ = overlap(
        tmp_path,
        [
            Item("TOR", ("s",), "who came?", "They came."),  # letter case and references apart
            Item("Lind", ("r",), "Who left?"),  # another candidate
            Item("Tor", ("r",), "Who came?", "They came late."),  # another passage
            Item("Tor", ("r",), "Who ran?"),
        ],
    )
    assert (overlap_.items, overlap_.same_candidate, overlap_.same_question, overlap_.is_known) == (
        4,
        2,
        2,
        True,
    )
    assert overlap_.share == 0.5 and overlap_.any
    (tmp_path / "training_items.npy").write_bytes(b"x")
    with pytest.raises(CheckpointError, match="is not the file that its card names"):
        overlap(tmp_path, trained)
    write_card(tmp_path, {})
    assert not overlap(tmp_path, trained).is_known


def test_a_sample_of_many_hashes_estimates_the_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scorers.learned.training_items.MAX_HASHES", 1000)
    items = [Item(f"answer {i}", ("r",), f"question {i}") for i in range(2000)]
    write_card(tmp_path, {"training_items": write_training_items(items, tmp_path)})
    assert np.load(tmp_path / "training_items.npy").shape == (1000,)
    others = [Item(f"answer {i}", ("r",), f"question {i}") for i in range(1000, 3000)]
    overlap_ = overlap(tmp_path, others)
    assert overlap_.same_question == pytest.approx(1000, abs=150)
    assert overlap_.same_candidate == pytest.approx(1000, abs=150)
    assert overlap(tmp_path, items).share == 1.0


def test_training_items_include_those_of_the_initial_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, plain = (tmp_path / name for name in ("first", "second", "plain"))
    for folder in (first, second, plain):
        folder.mkdir()
    earlier = Judgment("a", "Who?", ("r",), "Tor", 1.0, constituent="mills")
    later = Judgment("b", "When?", ("r",), "in 1803", 1.0, constituent="towns")
    write_card(first, training_record([earlier], first))
    record = training_record([later], second, str(first))
    write_card(second, record)
    assert record["constituents"] == ["mills", "towns"]
    assert overlap(second, [earlier.item, later.item]).same_candidate == 2
    assert overlap(first, [earlier.item, later.item]).same_candidate == 1
    write_card(plain, {})
    assert training_record([later], second, str(plain))["constituents"] == ["towns"]
    # Initial weights that stored a sample of hashes give information about the sample only.
    monkeypatch.setattr("scorers.learned.training_items.MAX_HASHES", 1)
    write_card(first, training_record([earlier], first))
    stored = training_record([later], second, str(first))["training_items"]
    assert stored["hashes"] == 1 and stored["bound"] < 2**64 - 1


def test_a_share_of_the_training_groups_leaves_dev_as_it_is(tmp_path: Path) -> None:
    rows = [
        {"id": f"{i}", "instance": f"i{i}", "references": ["r"], "candidate": "c", "score": i % 2}
        for i in range(400)
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    split = Split(dev=0.2, test=0.2)
    whole = read_data(TrainingFiles([(path, "concord")]), TrainingRecipe(split=split))
    part = read_data(
        TrainingFiles([(path, "concord")]), TrainingRecipe(split=split, train_share=0.25)
    )
    assert part.dev == whole.dev
    assert 0.15 < len(part.train) / len(whole.train) < 0.35
    assert {one.id for one in part.train} < {one.id for one in whole.train}
