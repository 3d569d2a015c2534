"""Linear layers that oneDNN computes give the outputs of PyTorch's own, up to rounding."""

from __future__ import annotations

import pytest

from scorers.encoders import load_encoder, prepare_for_inference

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(1, 5), (7, 5), (3, 40, 5)])
def test_outputs_are_those_of_the_layer(shape: tuple[int, ...], bias: bool) -> None:
    torch.manual_seed(1)
    layer = torch.nn.Sequential(torch.nn.Linear(5, 9, bias=bias), torch.nn.GELU())
    states = torch.randn(*shape)
    with torch.inference_mode():
        expected = layer(states)
        packed = prepare_for_inference(layer, torch.device("cpu"))
        assert type(packed[0]) is not torch.nn.Linear
        torch.testing.assert_close(packed(states), expected, rtol=0, atol=1e-6)
        if len(shape) == 3:  # a view that is not contiguous
            torch.testing.assert_close(packed(states[:, 0]), expected[:, 0], rtol=0, atol=1e-6)


def test_other_precisions_and_subclasses_are_left_alone() -> None:
    class Special(torch.nn.Linear):
        pass

    network = torch.nn.Sequential(Special(3, 3), torch.nn.Linear(3, 3, dtype=torch.bfloat16))
    prepare_for_inference(network, torch.device("cpu"))
    assert [type(layer) for layer in network] == [Special, torch.nn.Linear]
    assert not network.training


def test_an_encoders_states_are_those_of_the_library() -> None:
    from scorers.encoders import DEFAULT, locate, open_model

    texts = ["The old mill stands near the river.", "It burnt down in 1803, and again in 1903."]
    encoder = load_encoder(DEFAULT, "cpu")
    tokeniser, model = open_model(locate(DEFAULT))
    all_states = encoder.encode(encoder.tokenise(texts), [encoder.layers])
    for text, states in zip(texts, all_states, strict=True):
        with torch.inference_mode():
            expected = model(**tokeniser(text, return_tensors="pt")).last_hidden_state[0]
        assert abs(states[0] - expected.numpy()).max() < 1e-4
