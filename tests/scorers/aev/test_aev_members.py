"""AEv's members BLEU and ROUGE recall, compared with the original programs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from rouge_score.rouge_scorer import RougeScorer

from scorers import Item, Session, parse_metrics
from scorers.aev.counts import item_counts
from scorers.aev.preparation import TextPreparation
from tests.scorers.aev.aev_texts import (
    BLEU_MEMBER,
    RAW,
    RECALL_MEMBER,
    Spaces,
    ptb_rows,
    rouge_recall_sums,
    sacrebleu_of,
)
from tests.scorers.coco_oracle import run_scripts
from tests.scorers.scorer_texts import ITEMS, item_lists, kpqa


@pytest.mark.parametrize(("name", "references"), [("marco_all", 1), ("avsd_all", 6)])
def test_alpha_1_of_order_4_is_corpus_bleu(
    session: Session, concord_data: Path, name: str, references: int
) -> None:
    items = kpqa(concord_data, name, references)[0]
    rows = ptb_rows(session, items)
    score = session.corpus_score(parse_metrics(BLEU_MEMBER)[0], items)
    assert score == pytest.approx(sacrebleu_of(rows), abs=1e-12)
    # The COCO scripts add 1e-15 to matches and 1e-9 to counts.
    assert score == pytest.approx(run_scripts(rows, ["bleu-4"])["bleu-4"][0], abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_alpha_1_of_lower_orders_is_bleu_of_lower_orders(session: Session, n: int) -> None:
    metric = parse_metrics(f"aev(alpha=1,n={n},{RAW})")[0]
    expected = run_scripts(ptb_rows(session, ITEMS), [f"bleu-{n}"])[f"bleu-{n}"][0]
    assert session.corpus_score(metric, ITEMS) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("name", "references"), [("marco_all", 1), ("avsd_all", 6)])
def test_alpha_0_of_order_1_without_penalty_is_rouge_1_recall(
    session: Session, concord_data: Path, name: str, references: int
) -> None:
    items = kpqa(concord_data, name, references)[0]
    rows = ptb_rows(session, items)
    metric = parse_metrics(RECALL_MEMBER)[0]
    matched, total = rouge_recall_sums(rows, 1)
    assert session.corpus_score(metric, items) == pytest.approx(matched / total, abs=1e-12)
    scorer = RougeScorer(["rouge1"], tokenizer=Spaces())
    expected = [
        max(scorer.score(reference, candidate)["rouge1"].recall for reference in references)
        for candidate, references in rows
    ]
    np.testing.assert_allclose(session.score(metric, items), expected, rtol=0, atol=1e-12)


@settings(suppress_health_check=list(HealthCheck))
@given(items=item_lists)
@example(items=[Item("", ("",)), Item("0", ("", "0<"))])  # the closest reference is an empty one
@example(items=[Item("", ("",))])
@example(items=[Item("two words", ("two words",))])  # orders of which there is no n-gram
def test_the_members_of_generated_sets_are_bleu_and_rouge(
    session: Session, items: list[Item]
) -> None:
    rows = ptb_rows(session, items)
    bleu, recall = parse_metrics(f"{BLEU_MEMBER},{RECALL_MEMBER}")
    assert session.corpus_score(bleu, items) == pytest.approx(sacrebleu_of(rows), abs=1e-12)
    matched, total = rouge_recall_sums(rows, 1)
    expected = matched / total if total else 0.0
    assert session.corpus_score(recall, items) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_recall_counts_of_every_order_are_those_of_rouge_score(session: Session, n: int) -> None:
    counts = item_counts(ITEMS, TextPreparation("ptb", "none"), session)
    matched, total = rouge_recall_sums(ptb_rows(session, ITEMS), n)
    assert counts.reference_matches.sum(axis=0)[n - 1] == pytest.approx(matched)
    assert counts.reference_ngrams.sum(axis=0)[n - 1] == total


# Golden values: the members as other programs have them (make_golden.py).


def golden() -> tuple[dict[str, Any], list[Item]]:
    golden_values = json.loads(
        (Path(__file__).parents[2] / "golden" / "aev_members.json").read_text()
    )
    cases = [Item(case["candidate"], tuple(case["references"])) for case in golden_values["cases"]]
    return golden_values, cases


def test_alpha_1_of_order_4_is_the_bleu_of_sacrebleus_command_line(session: Session) -> None:
    golden_values, items = golden()
    score = session.corpus_score(parse_metrics(BLEU_MEMBER)[0], items)
    assert score == pytest.approx(golden_values["sacrebleu"]["corpus"], abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_alpha_1_is_the_bleu_of_the_coco_scripts(session: Session, n: int) -> None:
    golden_values, items = golden()
    (metric,) = parse_metrics(f"aev(alpha=1,n={n},{RAW},short=zero)", "joint")
    assert session.corpus_score(metric, items) == pytest.approx(
        golden_values["coco"]["corpus"][n - 1], abs=1e-9
    )
    # Where an order has no match their constants leave a little, and here it is 0.
    expected = np.array(golden_values["coco"]["items"][n - 1])
    scores = session.score(metric, items)
    np.testing.assert_allclose(scores[scores > 0], expected[scores > 0], rtol=0, atol=1e-8)
    assert np.all(expected[scores == 0] < 0.02)


@pytest.mark.parametrize("n", [1, 2])
def test_alpha_0_is_the_recall_of_rouge_scores_command_line(session: Session, n: int) -> None:
    golden_values, items = golden()
    by_reference = golden_values["rouge_recall"]["by_reference"]
    expected = np.array([[row[f"rouge{n}"] for row in rows] for rows in by_reference])
    weights = "1" if n == 1 else "0/1"
    (metric,) = parse_metrics(f"aev(alpha=0,n={n},{RAW},wordiness=inf,weights={weights})")
    scores = session.score(metric, items)
    np.testing.assert_allclose(scores, expected.max(axis=0), rtol=0, atol=1e-6)
    words = np.array([[len(text.split()) for text in item.references] for item in items]).T
    ngrams = np.maximum(0, words - (n - 1))
    summed = float((expected * ngrams).sum() / ngrams.sum())
    assert session.corpus_score(metric, items) == pytest.approx(summed, abs=1e-6)
