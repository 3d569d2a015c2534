"""What the training commands do where nothing is chosen."""

from __future__ import annotations

import argparse

import pytest

from scorers.learned.settings import PAPER, training_defaults
from scorers.learned.trials import TrainingRun
from scorers.training_commands import add_train_command, build_run


def run(kind: str, *options: str) -> TrainingRun:
    parser = argparse.ArgumentParser()
    add_train_command(parser.add_subparsers())
    arguments = ["train", kind, "--data", "concord:x", "--out", "x", *options]
    return build_run(parser.parse_args(arguments))


@pytest.mark.parametrize("kind", ["lerc", "lerc-choices", "ava", "sts", "kpqa"])
def test_without_a_choice_all_train_as_in_the_paper(kind: str) -> None:
    defaults = training_defaults(kind, PAPER)
    chosen = run(kind)
    assert chosen.settings == defaults.settings
    assert (chosen.rates, chosen.seeds) == (defaults.rates, defaults.seeds)


def test_the_papers_settings() -> None:
    """MOCHA's Appendix A, AVA's Section 6.1 and KPQA's Appendix C.1."""
    lerc, ava, kpqa = (training_defaults(kind) for kind in ("lerc", "ava", "kpqa"))
    assert (lerc.epochs, lerc.batch_size, lerc.seeds) == (3, 32, (1, 2, 3))
    assert lerc.rates == (1e-5, 2e-5, 3e-5) and (lerc.max_tokens, lerc.lora_rank) == (512, 0)
    assert (ava.epochs, ava.rates, ava.max_tokens, ava.design) == (2, (1e-6,), 128, "A2")
    assert (kpqa.epochs, kpqa.batch_size, kpqa.rates) == (5, 16, (2e-5,))


def test_what_is_chosen_replaces_a_default_only() -> None:
    settings = run("lerc", "--epochs", "7", "--defaults", "quick").settings
    assert (settings.epochs, settings.lora_rank, settings.patience) == (7, 16, 2)
