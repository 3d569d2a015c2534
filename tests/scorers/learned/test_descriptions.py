"""Shipped checkpoints: names, descriptions and known failures."""

import json

import pytest

from bench.printed_examples import score_examples
from scorers import Session, parse_metrics
from scorers.ava.metrics import Ava
from scorers.cli import main
from scorers.encoders import DEFAULT, is_added
from scorers.learned.card import CheckpointCard, describe_card
from scorers.learned.checkpoint import (
    RENAMED,
    checkpoint_folder,
    describe_checkpoint,
    shipped_names,
)
from scorers.learned.metric import LearnedMetric

KINDS = ("lerc", "ava")


@pytest.mark.parametrize(
    ("kind", "weights"), [("lerc", "cd2fbe6d780331fc"), ("ava", "7135535fb143f15c")]
)
def test_earlier_names_have_the_same_checkpoint_and_signature(kind: str, weights: str) -> None:
    texts = (kind, f"{kind}(checkpoint={kind})", f"{kind}(checkpoint={kind}-features)",
             f"{kind}-features")  # fmt: skip
    metrics = [parse_metrics(text)[0] for text in texts]
    assert {metric.name for metric in metrics} == {kind}
    (signature,) = {metric.signature() for metric in metrics}
    assert f"|checkpoint:{kind}-{weights}|" in signature
    assert checkpoint_folder(kind) == checkpoint_folder(f"{kind}-features")
    assert not RENAMED.keys() & set(shipped_names())


def test_descriptions_follow_from_the_options() -> None:
    card = CheckpointCard.read(checkpoint_folder("lerc-features"))
    assert "head over" in card.description
    values = {
        "kind": "lerc", "encoder": "e", "encoder_sha256": "", "settings": {}, "licence": "",
        "command": "", "figures": {}, "versions": {}, "weights_sha256": "", "history": [],
        "data": [{"file": "a.jsonl", "format": "concord", "sha256": "", "examples": 1}],
    }  # fmt: skip
    joined = {"parts": ["question", "reference", "candidate"], "reading": "joined", "bound": 0.5,
              "features": ["token-f1"], "recipe": {"start": ""}}  # fmt: skip
    described_as = {
        "LERC head over token-f1, to which an encoder adds at most 0.5 rating points; its encoder "
        "reads question, reference and candidate as one input; trained on a.jsonl.": joined,
        "LERC regression on question, reference and candidate as one input, no features, started "
        "from mc; trained on a.jsonl.": {**joined, "features": [], "recipe": {"start": "mc"}},
    }
    for sentence, options in described_as.items():
        assert describe_card(CheckpointCard.of({**values, "options": options})) == sentence
    ava = {"design": "A2", "pairs": ["r-qt", "t-qr"], "features": [], "bound": None}
    assert describe_card(CheckpointCard.of({**values, "kind": "ava", "options": ava})) == (
        "AVA A2 on the pairs r-qt and t-qr, no features; trained on a.jsonl."
    )
    linear = {"design": "linear", "features": []}
    assert "linear classifier" in describe_card(
        CheckpointCard.of({**values, "kind": "ava", "options": linear})
    )


JUDGES = [
    name for name in shipped_names() if CheckpointCard.read(checkpoint_folder(name)).kind in KINDS
]


@pytest.mark.parametrize("name", JUDGES)
def test_known_failures_equal_the_checkpoints_scores(name: str) -> None:
    card = CheckpointCard.read(checkpoint_folder(name))
    if card.encoder != DEFAULT and not is_added(card.encoder):
        pytest.skip(f"the encoder {card.encoder} was not added")
    (metric,) = parse_metrics(f"{card.kind}(checkpoint={name})")
    assert isinstance(metric, LearnedMetric)
    with Session("cpu") as session:
        failures = [one for one in score_examples(session, metric) if one["failure"]]
    stated = describe_checkpoint(name)["known_failures"]
    assert [one["source"] for one in stated] == [one["source"] for one in failures]
    for one, other in zip(stated, failures, strict=True):
        for text in ("passage", "question", "reference"):
            assert one[text] == other[text]
        scores = [[answer["score"] for answer in each["answers"]] for each in (one, other)]
        assert scores[0] == pytest.approx(scores[1], abs=0.02)


def test_the_shipped_ava_states_that_it_accepts_the_papers_wrong_answer() -> None:
    (failure,) = describe_checkpoint("ava-features")["known_failures"]
    assert failure["source"] == "AVA (Vu and Moschitti, 2021), Section 1"
    (metric,) = parse_metrics("ava")
    assert isinstance(metric, Ava) and failure["answers"][1]["score"] > metric.threshold


def test_the_list_describes_each_checkpoint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["bleu-1"]["checkpoints"] == []
    for kind in ("lerc", "ava"):
        rows = {row["name"]: row for row in listed[kind]["checkpoints"]}
        assert [name for name, row in rows.items() if row["default"]] == [f"{kind}-features"]
        assert "head over" in rows[f"{kind}-features"]["description"]
        assert rows[f"{kind}-features"]["known_failures"]
    assert main(["list"]) == 0
    assert "Checkpoint lerc-features, the default: LERC head over" in capsys.readouterr().out
