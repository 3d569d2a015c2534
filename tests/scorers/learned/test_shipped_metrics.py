"""The shipped judges: sensible scores, complete cards, small files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import scorers
from scorers import Item, Session, parse_metrics
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, shipped_names

ITEMS = [
    Item("It was built in 1803.", ("in 1803",), "When was the mill built?"),
    Item("It was built in 1903.", ("in 1803",), "When was the mill built?"),
    Item("Orra and Tor Lind built it.", ("Tor Lind", "Orra"), "Who built the mill?"),
    Item("", ("Tor Lind",), "Who built the mill?"),
    Item("I do not know. " * 60, ("Tor Lind",), "Who built the mill?"),
]


def test_lerc_and_ava_need_no_download_and_separate_right_from_wrong() -> None:
    assert {"lerc", "ava"} <= set(scorers.ready_names())
    with Session("cpu") as session:
        for metric in parse_metrics("lerc,ava"):
            right, wrong, named, nothing, evasive = session.score(metric, ITEMS).tolist()
            assert min(right, named) > max(wrong, nothing, evasive), metric.name


def test_cards_state_the_source_of_the_weights() -> None:
    for name in ("lerc", "ava"):
        card = CheckpointCard.read(checkpoint_folder(name))
        assert card.licence == "Apache-2.0" and card.command.startswith("python -m scorers train")
        assert all(len(source.sha256) == 64 for source in card.data)
        assert card.notes and card.settings["seed"] == 1
        unseen = card.extra["unseen"]
        assert unseen["EVOUNA NQ, test"]["pearson"]["value"] > 0.7
        assert {"MS MARCO", "AVSD"} <= unseen.keys()


def test_bf16_is_close_and_has_a_signature_of_its_own() -> None:
    with Session("cpu") as session:
        for name in ("lerc", "ava"):
            full, half = parse_metrics(f"{name},{name}(dtype=bf16)")
            assert "dtype" not in full.signature()
            assert "dtype:bf16" in half.signature()
            scores = session.score_all([full, half], ITEMS)
            difference = np.abs(scores[half.name] - scores[full.name])
            assert 0 < difference.max() < 0.02, name


def test_checkpoints_are_adapters_of_less_than_12_megabytes() -> None:
    for name in shipped_names():
        assert _size(checkpoint_folder(name)) < 12_000_000, name


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_a_gpu_gives_the_same_scores() -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU")
    with Session("cpu") as cpu, Session("cuda") as cuda:
        for metric in parse_metrics("lerc,ava"):
            cpu_scores, cuda_scores = cpu.score(metric, ITEMS), cuda.score(metric, ITEMS)
            assert np.abs(cpu_scores - cuda_scores).max() < 1e-4, metric.name
