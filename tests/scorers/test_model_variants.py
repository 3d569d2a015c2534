"""A metric whose model is not the published one is marked, from its signature alone."""

from __future__ import annotations

import pytest

from concord.metrics.signature import model_variant, variant_suffix
from scorers import parse_metrics
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, shipped_names


@pytest.mark.parametrize("checkpoint", shipped_names())
def test_a_shipped_checkpoint_is_marked_if_it_combines_other_metrics(checkpoint: str) -> None:
    card = CheckpointCard.read(checkpoint_folder(checkpoint))
    if card.kind not in ("lerc", "ava"):
        return  # keyphrase predictors are options of other metrics
    (metric,) = parse_metrics(checkpoint)
    expected = "features" if card.options["features"] else ""
    assert model_variant(metric.signature()) == expected


def test_the_defaults_of_lerc_and_ava_are_marked_and_metrics_without_a_judge_are_not() -> None:
    names = {"lerc": " (features)", "ava": " (features)", "bleu-1": "", "bertscore": "",
             "lerc(checkpoint=lerc-paper)": "", "ava(checkpoint=ava-a2)": ""}  # fmt: skip
    for name, suffix in names.items():
        (metric,) = parse_metrics(name)
        assert variant_suffix(metric.signature()) == suffix, name
    assert model_variant("uploaded|sha:12|features:many") == ""
