"""BLEU, ROUGE-L, CIDEr and METEOR equal the COCO caption scripts, item by item."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from scorers import Corpus, Item, Session, parse_metrics
from tests.scorers.coco_oracle import (
    meteor_wrapper,
    remove_punctuation,
    run_scripts,
    run_scripts_by_reference,
    tokenised,
)
from tests.scorers.scorer_texts import ITEMS, item_lists, kpqa

NAMES = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "cider")
TOLERANCE = 1e-9
GOLDEN = Path(__file__).parents[1] / "golden" / "meteor.json"


def ptb_of(session: Session, items: Sequence[Item]) -> Callable[[str], str]:
    texts = [text for item in items for text in (item.candidate, *item.references)]
    return session.services.tokenise("ptb", texts).__getitem__


def assert_equal_to_scripts(
    session: Session, items: Sequence[Item], names: Sequence[str], tokens: str, multi_ref: str
) -> None:
    suffix = "" if tokens == "ptb" else f"(tokens={tokens})"
    metrics = parse_metrics(",".join(name + suffix for name in names), multi_ref)
    scores_by_metric = session.score_all(metrics, items)
    rows = tokenised(items, ptb_of(session, items) if tokens == "ptb" else remove_punctuation)
    if multi_ref == "max":
        expected = run_scripts_by_reference(rows, names)
    else:
        joint = run_scripts(rows, names)
        expected = {name: scores for name, (_, scores) in joint.items()}
        for name, metric in zip(names, metrics, strict=True):
            value = session.corpus_score(metric, items)
            assert value == pytest.approx(joint[name][0], abs=TOLERANCE), name
    for name in names:
        np.testing.assert_allclose(
            scores_by_metric[name + suffix], expected[name], rtol=0, atol=TOLERANCE
        )


def one_line_each(items: Sequence[Item]) -> list[Item]:
    """METEOR's text protocol cannot take line breaks, nor `|||` in a reference."""

    def clean(text: str) -> str:
        cleaned = " ".join(text.replace("|", "").splitlines())
        return cleaned.encode("utf-8", "replace").decode()

    return [Item(clean(i.candidate), tuple(map(clean, i.references))) for i in items]


@pytest.mark.parametrize("multi_ref", ["max", "joint"])
@pytest.mark.parametrize("tokens", ["ptb", "mocha"])
def test_written_items(session: Session, tokens: str, multi_ref: str) -> None:
    assert_equal_to_scripts(session, ITEMS, NAMES, tokens, multi_ref)
    assert_equal_to_scripts(session, one_line_each(ITEMS), ("meteor",), tokens, multi_ref)


@pytest.mark.parametrize("multi_ref", ["max", "joint"])
@pytest.mark.parametrize("tokens", ["ptb", "mocha"])
@pytest.mark.parametrize(("name", "references"), [("marco_all", 1), ("avsd_all", 6)])
@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_real_items(
    session: Session,
    concord_data: Path,
    every: int,
    name: str,
    references: int,
    tokens: str,
    multi_ref: str,
) -> None:
    items = kpqa(concord_data, name, references)[0][::every]
    assert_equal_to_scripts(session, items, NAMES, tokens, multi_ref)
    assert_equal_to_scripts(session, items[: 300 // every], ("meteor",), tokens, multi_ref)


@pytest.mark.parametrize("multi_ref", ["max", "joint"])
@pytest.mark.parametrize("tokens", ["ptb", "mocha"])
@settings(suppress_health_check=list(HealthCheck))
@given(items=item_lists)
def test_generated_items(session: Session, tokens: str, multi_ref: str, items: list[Item]) -> None:
    assert_equal_to_scripts(session, items, NAMES, tokens, multi_ref)


@settings(suppress_health_check=list(HealthCheck))
@given(items=item_lists)
def test_generated_items_by_meteor(session: Session, items: list[Item]) -> None:
    assert_equal_to_scripts(session, one_line_each(items), ("meteor",), "ptb", "joint")


def test_scores_equal_those_of_meteors_command_line(session: Session) -> None:
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
    results = session.services.meteor(
        [(c["candidate"], tuple(c["references"])) for c in cases[:-1]]
    )
    assert [score for score, _ in results] == [case["score"] for case in cases[:-1]]
    total = session.services.meteor_aggregate([line for _, line in results])
    assert total == cases[-1]["aggregate"]


def test_cider_counts_documents_in_the_corpus_not_in_the_items(session: Session) -> None:
    metric = parse_metrics("cider")[0]
    corpus = Corpus.from_references(item.references for item in ITEMS)
    whole = session.score(metric, ITEMS)
    parts = [session.score(metric, [item], corpus)[0] for item in ITEMS]
    assert parts == whole.tolist()
    assert session.score(metric, ITEMS[:1])[0] == 0.0


def test_cider_refuses_a_reference_position_the_corpus_does_not_have(session: Session) -> None:
    metric = parse_metrics("cider")[0]
    with pytest.raises(ValueError, match="an item has 2 references"):
        session.score(metric, [Item("a", ("a", "b"))], Corpus.from_references([["a"]]))


def teardown_module() -> None:
    wrapper = meteor_wrapper()
    wrapper.meteor_p.kill()
    wrapper.meteor_p.wait()
