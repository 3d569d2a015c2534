"""AVA's pairs, linear classifier and peer attention, compared with values by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch  # noqa: TID253
from transformers import AutoTokenizer  # noqa: TID253

from scorers.ava.metrics import AvaForm, fit_linear, similarities
from scorers.ava.training import Construction, binarise_gold, make_pairs
from scorers.datasets.judgments import Judgment
from scorers.datasets.selection import SelectionQuestion
from scorers.encoders import locate, open_model, pad_batch
from scorers.errors import TrainingError
from scorers.learned.model import Head, build_network
from scorers.learned.rows import Row

ROW = Row("a passage", "what burned", "the mill", "a mill")
QUESTION = SelectionQuestion("q", ("a", "b", "c"), ("x", "y"))


def test_pairs_are_all_ordered_correct_ones_and_correct_with_wrong() -> None:
    pairs = make_pairs(QUESTION, Construction())
    assert {(j.references[0], j.candidate) for j in pairs if j.gold == 1} == {
        ("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")
    }  # fmt: skip
    assert {(j.references[0], j.candidate) for j in pairs if j.gold == 0} == {
        ("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "y")
    }  # fmt: skip
    assert len(pairs) == 12 and {(j.question, j.group) for j in pairs} == {("q", "q")}
    assert make_pairs(SelectionQuestion("q", ("a",), ("x",)), Construction()) == []


def test_pairs_are_drawn_by_the_question_and_the_seed() -> None:
    pairs = make_pairs(QUESTION, Construction(most=2))
    assert [j.gold for j in pairs] == [1, 1, 0, 0]
    assert set(pairs) <= set(make_pairs(QUESTION, Construction()))
    assert pairs == make_pairs(QUESTION, Construction(most=2))
    seeds = {tuple(make_pairs(QUESTION, Construction(most=2, seed=seed))) for seed in range(10)}
    assert len(seeds) > 3


def test_judgments_become_verdicts() -> None:
    judged = [Judgment("", "q", ("r",), "c", gold) for gold in (0.2, 0.5, 0.9)]
    assert [j.gold for j in binarise_gold(judged, 0.5)] == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("design", "pairs", "words"),
    [
        ("A0", ("q-t", "r-t"), ["what burned [SEP] a mill", "the mill [SEP] a mill"]),
        (
            "A1",
            ("q-rt", "r-qt", "t-qr"),
            [
                "what burned [SEP] the mill a mill",
                "the mill [SEP] what burned a mill",
                "a mill [SEP] what burned the mill",
            ],
        ),
    ],
)
def test_pairs_are_read_as_sentence_pairs(
    tiny_encoder: Path, design: Any, pairs: tuple[str, ...], words: list[str]
) -> None:
    tokeniser = AutoTokenizer.from_pretrained(tiny_encoder)
    (readings,) = AvaForm(design, pairs).inputs(tokeniser, [ROW], 32)
    texts = [" ".join(tokeniser.convert_ids_to_tokens(row.ids)) for row in readings]
    assert texts == [f"[CLS] {text} [SEP]" for text in words]
    first = readings[0].types
    assert first == sorted(first) and first.index(1) == words[0].split().index("[SEP]") + 2


@pytest.mark.parametrize(
    ("design", "pairs", "message"),
    [
        ("A0", ("q-rt",), "the pairs of A0 must be different ones of q-r, q-t, r-t"),
        ("A1", ("q-rt", "q-rt"), "the pairs of A1"),
        ("A2", ("q-rt",), "A2 needs two pairs, not 1"),
        ("A2", (), "the pairs of A2"),
    ],
)
def test_invalid_pairs_are_refused(design: Any, pairs: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AvaForm(design, pairs)


def peers(folder: Path, form: AvaForm) -> tuple[Any, list[dict[str, torch.Tensor]], Any]:
    """A network, a padded batch of two rows of different length, and the same rows alone."""
    tokeniser, encoder = open_model(locate(str(folder)))
    torch.manual_seed(3)
    network = build_network(form, Head(), encoder, 0).eval()
    # Four different encoders, as after training.
    with torch.no_grad():
        for value in network.reader.parameters():
            value.add_(0.02 * torch.randn_like(value))
    rows = [ROW, replace_candidate(ROW, "an old mill that stood at the river")]
    inputs = form.inputs(tokeniser, rows, 48)
    together = [pad_batch([r[k] for r in inputs], torch.device("cpu"), 0) for k in (0, 1)]
    alone = [[pad_batch([r[k]], torch.device("cpu"), 0) for k in (0, 1)] for r in inputs]
    return network, together, alone


def replace_candidate(row: Row, candidate: str) -> Row:
    return row._replace(candidate=candidate)


@pytest.mark.parametrize("peer", ["other", "own"])
@pytest.mark.parametrize("shared", [False, True])
def test_first_states_are_exchanged_as_one_more_embedding(
    tiny_encoder: Path, peer: Any, shared: bool
) -> None:
    network, together, alone = peers(tiny_encoder, AvaForm(peer=peer, shared=shared))
    encoders = list(network.reader.encoders) * (4 if shared else 1)
    assert len(encoders) == 4
    with torch.inference_mode():
        batch_states = network.reader(together)
        for row, pair in enumerate(alone):
            first = [encoders[k](**pair[k]).last_hidden_state[:, 0] for k in (0, 1)]
            second = []
            for k in (0, 1):
                state = first[k] if peer == "own" else first[1 - k]
                words = encoders[2 + k].embeddings.word_embeddings(pair[k]["input_ids"])
                embeds = torch.cat([words, state[:, None]], dim=1)
                types = torch.cat([pair[k]["token_type_ids"], torch.ones(1, 1).long()], dim=1)
                states = encoders[2 + k](inputs_embeds=embeds, token_type_ids=types)
                second.append(states.last_hidden_state[:, 0])
            expected = torch.cat([first[0], second[0], first[1], second[1]], dim=-1)
            assert torch.allclose(batch_states[row], expected[0], atol=1e-5)


def test_through_cross_attention_a_pair_sees_all_of_the_other(tiny_encoder: Path) -> None:
    network, together, alone = peers(tiny_encoder, AvaForm(peer="cross"))
    encoders = network.reader.encoders
    with torch.inference_mode():
        batch_states = network.reader(together)
        for row, pair in enumerate(alone):
            first = [encoders[k](**pair[k]).last_hidden_state for k in (0, 1)]
            second = [
                encoders[2 + k](
                    **pair[k],
                    encoder_hidden_states=first[1 - k],
                    encoder_attention_mask=pair[1 - k]["attention_mask"],
                ).last_hidden_state
                for k in (0, 1)
            ]
            states = (first[0], second[0], first[1], second[1])
            expected = torch.cat([state[:, 0] for state in states], dim=-1)
            assert torch.allclose(batch_states[row], expected[0], atol=1e-5)
        # Attention within a pair is bidirectional: [CLS] depends on the pair's last word.
        changed = {name: value.clone() for name, value in alone[1][0].items()}
        changed["input_ids"][0, -2] += 1
        width = first[0].shape[-1]
        other = network.reader([changed, alone[1][1]])
        assert not torch.allclose(other[0, width : 2 * width], batch_states[1, width : 2 * width])


def test_two_passes_leave_room_for_the_state(tiny_encoder: Path) -> None:
    tokeniser = AutoTokenizer.from_pretrained(tiny_encoder)
    row = replace_candidate(ROW, "word " * 300)
    for form, most in ((AvaForm(), 127), (AvaForm(peer="cross"), 128), (AvaForm("A1"), 128)):
        (readings,) = form.inputs(tokeniser, [row], 128)
        assert len(readings[0]) == most


def test_the_linear_classifiers_features_by_hand() -> None:
    rows = [ROW, replace_candidate(ROW, "It was the mill, what else")]
    features = similarities(rows)
    assert features[0].tolist() == [0.0, 2 * 1 / 4, 0.0, 0.0]
    assert features[1].tolist() == pytest.approx([1.0, 2 * 2 / 9, 0.0, 2 * 1 / 9])
    assert similarities([ROW._replace(short_answer="mill")])[0, 0] == 1.0


def test_the_linear_classifier_learns_and_predicts_probabilities() -> None:
    rng = np.random.default_rng(0)
    similar = rng.random((600, 4))
    correct = similar[:, 1] + 0.3 * rng.random(600) > 0.65
    judge = fit_linear(similar, correct, 1)
    probabilities = judge.probabilities(similar)
    assert ((probabilities > 0.5) == correct).mean() > 0.85
    assert probabilities.min() > 0 and probabilities.max() < 1
    assert abs(probabilities.mean() - correct.mean()) < 0.03
    # Against scikit-learn's own reading of the four numbers and two.
    distance = similar @ judge.weights + judge.bias
    assert np.allclose(probabilities, 1 / (1 + np.exp(judge.slope * distance + judge.offset)))
    assert judge == replace(judge) and judge.values().shape == (7,)
    with pytest.raises(TrainingError, match="needs at least 5 correct and 5 wrong answers"):
        fit_linear(similar[:8], np.arange(8) < 6, 1)
