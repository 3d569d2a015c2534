"""The options of every metric that uses hidden states: encoder, layer and precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import EncoderKey, Metric
from concord.metrics.registration import Option, choice
from concord.metrics.signature import installed_version
from scorers.batch import Batch
from scorers.encoders import DEFAULT, locate
from scorers.options import number_option, text_option


def encoder_options(layer_of: Callable[[str], int]) -> Mapping[str, Option]:
    """The options `model` (an encoder's name or folder), `layer` and `dtype` (its precision).

    layer_of: the default of the layer, by the encoder's name.
    """
    return {
        "model": text_option(
            DEFAULT,
            "the encoder: a known one (`python -m scorers encoders`), a folder in Hugging Face's "
            "form, or a hub name",
        ),
        "layer": number_option(
            layer_of(DEFAULT),
            0,
            "the hidden layer whose states are compared; 0 is the embedding layer",
            default_of=lambda options: layer_of(options["model"]),
        ),
        "dtype": choice(
            "float32", "bf16", "fp16", help="the precision of the encoder: float32, bf16 or fp16"
        ),
    }


def encoder_key(metric: Metric) -> EncoderKey:
    """The encoder and precision that a metric's options name."""
    options = metric.spec.options
    return options["model"], options["dtype"]


def encoder_settings(metric: Metric) -> dict[str, str]:
    """The encoder's entry in a signature: its name and the hash of its weights."""
    name = metric.spec.options["model"]
    return {"model": f"{name}-{locate(name).sha256[:16]}"}


def encoder_versions() -> dict[str, str]:
    """The versions of the libraries that compute the hidden states."""
    return {"torch": installed_version("torch"), "transformers": installed_version("transformers")}


# Characters of text whose hidden states are in memory at a time: about 150 MB a layer of 384 units.
_CHARACTERS_PER_GROUP = 400_000


#: The scores of (question, candidate, reference), one for each figure of a metric.
PairScorer = Callable[[str, str, str], tuple[float, ...]]


def best_of_pairs(
    batch: Batch,
    prepare: Callable[[list[tuple[str, str]]], PairScorer],
    *,
    figures: int = 1,
    uses_question: bool = False,
) -> NDArray[np.float64]:
    """Each figure's best score over the references of each comparison: (figures, comparisons).

    `prepare` gets the distinct (question, text) of a group of comparisons whose hidden states fit
    into memory, and returns what scores a pair of these texts; each pair is scored once. The
    question is empty unless `uses_question`.
    """
    comparisons = batch.comparisons
    best = np.full((figures, len(comparisons)), -np.inf)
    for group in _comparison_groups(batch):
        rows = [
            (comparisons.questions[i] if uses_question else "", comparisons.candidates[i], text, i)
            for i in group
            for text in comparisons.references[i]
        ]
        texts = dict.fromkeys((q, text) for q, c, r, _ in rows for text in (c, r))
        score = cache(prepare(list(texts)))
        for question, candidate, reference, i in rows:
            best[:, i] = np.maximum(best[:, i], score(question, candidate, reference))
    return best


def _comparison_groups(batch: Batch) -> list[range]:
    """Split a batch's comparisons into groups whose hidden states fit into memory."""
    comparisons = batch.comparisons
    groups = []
    start = characters = 0
    for i, (candidate, references) in enumerate(
        zip(comparisons.candidates, comparisons.references, strict=True)
    ):
        size = len(candidate) + sum(map(len, references))
        if characters and characters + size > _CHARACTERS_PER_GROUP:
            groups.append(range(start, i))
            start, characters = i, 0
        characters += size
    if len(comparisons):
        groups.append(range(start, len(comparisons)))
    return groups
