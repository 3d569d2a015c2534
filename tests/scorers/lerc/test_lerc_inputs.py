"""LERC's inputs, compared with inputs written by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch  # noqa: TID253
from transformers import AutoTokenizer  # noqa: TID253

from scorers.encoders import locate, open_model, pad_batch
from scorers.learned.model import Head, build_network, network_pass
from scorers.learned.rows import Row
from scorers.lerc.metrics import LercForm

ROW = Row("the old mill burned", "what burned", "the mill", "a mill")


@pytest.fixture(scope="module")
def tokeniser(tiny_encoder: Path) -> Any:
    return AutoTokenizer.from_pretrained(tiny_encoder)


def read(tokeniser: Any, form: LercForm, row: Row, most: int = 64) -> tuple[str, list[int]]:
    ((pieces,),) = form.inputs(tokeniser, [row], most)
    return " ".join(tokeniser.convert_ids_to_tokens(pieces.ids)), pieces.types


def test_the_four_parts_are_in_order_with_type_0_through_the_question(tokeniser: Any) -> None:
    words, types = read(tokeniser, LercForm(), ROW)
    assert words == (
        "[CLS] the old mill burned [SEP] what burned [SEP] the mill [SEP] a mill [SEP]"
    )
    assert types == [0] * 9 + [1] * 6


@pytest.mark.parametrize(
    ("parts", "words", "types"),
    [
        (("reference",), "[CLS] the mill [SEP]", "0000"),
        (("candidate",), "[CLS] a mill [SEP]", "0000"),
        (("reference", "candidate"), "[CLS] the mill [SEP] a mill [SEP]", "0000111"),
        (
            ("question", "reference", "candidate"),
            "[CLS] what burned [SEP] the mill [SEP] a mill [SEP]",
            "0000111111",
        ),
    ],
)
def test_parts_can_be_left_out(
    tokeniser: Any, parts: tuple[str, ...], words: str, types: str
) -> None:
    pieces, kinds = read(tokeniser, LercForm(parts), ROW)
    assert (pieces, "".join(map(str, kinds))) == (words, types)


def test_only_the_passages_end_is_cut_off(tokeniser: Any) -> None:
    words, types = read(tokeniser, LercForm(), ROW, 13)
    assert words == "[CLS] the old [SEP] what burned [SEP] the mill [SEP] a mill [SEP]"
    assert types == [0] * 7 + [1] * 6
    words, _ = read(tokeniser, LercForm(), ROW, 11)
    assert words == "[CLS] [SEP] what burned [SEP] the mill [SEP] a mill [SEP]"
    # Even without a passage it may be too long: the answers are kept last.
    words, _ = read(tokeniser, LercForm(), ROW, 8)
    assert words == "[CLS] [SEP] [SEP] the [SEP] a mill [SEP]"
    words, _ = read(tokeniser, LercForm(("question", "reference", "candidate")), ROW, 9)
    assert words == "[CLS] what burned [SEP] the mill [SEP] a [SEP]"


def test_empty_texts_keep_their_separators(tokeniser: Any) -> None:
    words, types = read(tokeniser, LercForm(), Row("", "", "x", ""))
    assert words == "[CLS] [SEP] [SEP] x [SEP] [SEP]"
    assert types == [0, 0, 0, 1, 1, 1]


def test_a_roberta_has_two_separators_between_texts() -> None:
    class Named:
        cls_token_id, sep_token_id = 0, 2

        def __call__(self, *texts: Any, **_: Any) -> Any:
            if texts == ("a", "a"):
                return {"input_ids": [0, 9, 2, 2, 9, 2]}

            class Encoding:
                ids, offsets, word_ids = [9], [(0, 1)], [0]

            class Encodings:
                encodings = [Encoding() for _ in texts[0]]

            return Encodings()

    ((pieces,),) = LercForm(("reference", "candidate")).inputs(Named(), [Row("", "", "b", "c")], 64)
    assert pieces.ids == [0, 9, 2, 2, 9, 2]


@pytest.mark.parametrize("parts", [(), ("candidate", "reference"), ("x",)])
def test_invalid_parts_are_refused(parts: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="parts must be some of"):
        LercForm(parts)
    with pytest.raises(ValueError, match="match needs the parts reference and candidate"):
        LercForm(("question", "candidate"), "match")


def test_the_score_is_linear_in_the_first_hidden_state(tiny_encoder: Path, tokeniser: Any) -> None:
    _, encoder = open_model(locate(str(tiny_encoder)))
    form = LercForm()
    torch.manual_seed(1)
    network = build_network(form, Head(), encoder, 0).eval()
    inputs = form.inputs(tokeniser, [ROW], 64)
    run = network_pass(network, inputs, np.zeros((1, 0)), torch.device("cpu"), 0)
    ((pieces,),) = inputs
    with torch.inference_mode():
        states = encoder(
            input_ids=torch.tensor([pieces.ids]), token_type_ids=torch.tensor([pieces.types])
        ).last_hidden_state
        expected = states[0, 0] @ network.out.weight[0] + network.bias[0]
        assert torch.allclose(run([0])[0, 0], expected, atol=1e-6)


def test_the_network_adds_a_bounded_term_to_the_features(
    tiny_encoder: Path, tokeniser: Any
) -> None:
    _, encoder = open_model(locate(str(tiny_encoder)))
    form = LercForm()
    network = build_network(form, Head(features=("token-f1",), bound=0.5), encoder, 0).eval()
    network.set_feature_weights(torch.tensor([[2.0]]), torch.tensor([1.0]))
    inputs = form.inputs(tokeniser, [ROW], 64)
    run = network_pass(network, inputs, np.array([[0.25]]), torch.device("cpu"), 0)
    with torch.inference_mode():
        assert float(run([0])) == 1.5
        network.out.weight[0, 0] = 100.0
        assert abs(float(run([0])) - 1.5) == pytest.approx(0.5, abs=1e-3)
        network.bound = 0
        assert float(run([0])) == 1.5


def test_a_match_scores_an_identical_answer_one_and_others_less(
    tiny_encoder: Path, tokeniser: Any
) -> None:
    _, encoder = open_model(locate(str(tiny_encoder)))
    form = LercForm(("question", "reference", "candidate"), "match", layer=0)
    network = build_network(form, Head(), encoder, 0).eval()
    rows = [
        Row("", "what burned", "the old mill", "the old mill"),
        Row("", "what burned", "the old mill", "a boat of Orra"),
        Row("", "what burned", "the old mill", ""),
    ]
    inputs = form.inputs(tokeniser, rows, 64)
    none = np.zeros((3, 0))
    with torch.inference_mode():
        batch = [
            pad_batch([readings[k] for readings in inputs], torch.device("cpu"), 0) for k in (0, 1)
        ]
        vectors = network.reader(batch)
        assert torch.allclose(vectors[0, :4], torch.ones(4), atol=1e-5)
        assert (vectors[1, :3] < 1).all()
        assert vectors[2, :3].tolist() == [0, 0, 0]
        run = network_pass(network, inputs, none, torch.device("cpu"), 0)
        alone = torch.cat([run([place]) for place in range(3)])
        assert torch.allclose(run([0, 1, 2]), alone, atol=1e-5)
