"""Encoders: loading, layers, batches and independence of inputs."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorers.encoders import DEFAULT, Encoder, load_encoder, locate, tokenise_pairs
from scorers.encoders.batching import batches_by_length
from scorers.encoders.locate import KNOWN, MINILM, WEIGHTS, KnownEncoder
from scorers.errors import EncoderError

TEXTS = [
    "The cat sat on the mat.",
    "",
    "no",
    "Ein Satz mit Umlauten: ä ö ü, and a lone surrogate \ud800.",
    "שלום עולם",
    "emoji 😀😀 here",
    "word " * 5000,
    "It is a guy, or is it a girl?",
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder(DEFAULT, "cpu")


def test_importing_the_library_imports_nothing_heavy() -> None:
    heavy = "'torch', 'transformers', 'scipy.stats'"
    code = f"import scorers, sys; print([m for m in ({heavy}) if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_error_of_a_missing_encoder_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EncoderError, match=r"no encoder 'no/such-model'.*use the default"):
        locate("no/such-model")


def test_a_folder_without_an_encoder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"it has no config\.json"):
        locate(str(tmp_path))


def test_a_default_encoder_with_other_weights_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(MINILM, files={WEIGHTS: "0" * 64})
    monkeypatch.setitem(cast(dict[str, KnownEncoder], KNOWN), DEFAULT, other)
    locate.cache_clear()
    with pytest.raises(EncoderError, match="not the expected ones"):
        locate(DEFAULT)
    locate.cache_clear()


def test_a_missing_gpu_is_an_error() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(EncoderError, match="no GPU"):
        load_encoder(DEFAULT, "cuda")


def test_a_missing_layer_is_an_error(encoder: Encoder) -> None:
    with pytest.raises(EncoderError, match=r"has no layer 7: choose one from 0 .* to 6"):
        encoder.encode(encoder.tokenise(["a"]), [7])


def test_layers_equal_those_of_the_model(encoder: Encoder) -> None:
    import torch

    inputs = encoder.tokenise(["The cat sat on the mat."])
    with torch.inference_mode():
        output = encoder.model(
            input_ids=torch.tensor([inputs[0].ids]), output_hidden_states=True
        ).hidden_states
    for layers in ([0], [1], [3, 0], [6], list(range(7))):
        states = encoder.encode(inputs, layers)[0]
        expected = np.stack([output[layer][0].numpy() for layer in layers])
        assert states.shape == expected.shape
        assert np.abs(states - expected).max() < 1e-5


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(len(TEXTS))), st.integers(1, len(TEXTS)))
def test_states_do_not_depend_on_other_inputs(
    encoder: Encoder, order: list[int], size: int
) -> None:
    alone = {place: encoder.encode(encoder.tokenise([TEXTS[place]]), [6])[0] for place in order[:2]}
    together = encoder.encode(encoder.tokenise([TEXTS[place] for place in order[:size]]), [6])
    for place, states in zip(order[:size], together, strict=True):
        if place in alone:
            cosines = (states[0] * alone[place][0]).sum(-1) / (
                np.linalg.norm(states[0], axis=-1) * np.linalg.norm(alone[place][0], axis=-1)
            )
            assert np.abs(cosines - 1).max() < 1e-6


def test_offsets_of_pieces_are_correct(encoder: Encoder) -> None:
    text = "Naïve cafés: 50,000 😀 words"
    (row,) = encoder.tokenise([text])
    assert row.ids[0] == encoder.tokeniser.cls_token_id
    assert row.ids[-1] == encoder.tokeniser.sep_token_id
    assert "".join(text[a:b] for a, b in row.spans) == text.replace(" ", "")


def test_a_pair_marks_the_text_and_cuts_the_text_only(encoder: Encoder) -> None:
    rows = tokenise_pairs(
        encoder.tokeniser,
        [("how many ?", "four steps"), ("", "four"), ("who", ""), ("why " * 90, "word " * 90)],
        32,
    )
    assert [row.end - row.start for row in rows] == [2, 1, 0, 13]
    assert all(set(row.types[row.start : row.end]) <= {1} for row in rows)
    assert [row.truncated for row in rows] == [False, False, False, True]
    assert max(map(len, rows)) == 32


@given(st.lists(st.integers(1, 600), max_size=60), st.integers(1, 1000))
def test_batches_have_each_input_once_within_the_budget(lengths: list[int], budget: int) -> None:
    batches = batches_by_length(lengths, budget)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or max(lengths[p] for p in batch) * len(batch) <= budget


def test_a_batch_too_big_for_the_memory_is_halved(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    inputs = encoder.tokenise(["one", "two words", "three words here", "four"])
    expected = encoder.encode(inputs, [6])
    whole = encoder._states

    def small(batch: dict[str, torch.Tensor], layers: list[int]) -> torch.Tensor:
        if len(batch["input_ids"]) > 1:
            raise torch.OutOfMemoryError
        return whole(batch, layers)

    monkeypatch.setattr(encoder, "_states", small)
    for actual, states in zip(encoder.encode(inputs, [6]), expected, strict=True):
        assert np.abs(actual - states).max() < 1e-5


def test_an_input_that_does_not_fit_is_an_error_that_says_what_to_do(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def never(*_: object) -> torch.Tensor:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(encoder, "_states", never)
    with pytest.raises(EncoderError, match="does not fit the memory"):
        encoder.encode(encoder.tokenise(["one", "two"]), [6])


def test_encoding_can_be_stopped_and_resumed(encoder: Encoder) -> None:
    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoder.encode(encoder.tokenise(TEXTS), [1], stop)
    assert len(encoder.encode(encoder.tokenise(TEXTS[:1]), [6])) == 1
