"""Soricut and Brill's formulas on the examples that the papers print."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorers import Item, Session, parse_metrics
from scorers.aev.family import brevity_penalty, wordiness_penalty
from tests.papers.data import PAPERS, Entry, Values, read_paper
from tests.scorers.aev.aev_texts import (
    BLEU_MEMBER,
    RECALL_MEMBER,
    ptb_rows,
    rouge_recall_sums,
    sacrebleu_of,
)


def quoted_items() -> list[Item]:
    """Every answer quoted in `examples/`, with its references."""
    return [
        item
        for slug in PAPERS
        for entry in read_paper(slug).entries
        if entry.references
        for item in entry.items
    ]


def members(session: Session) -> Values:
    """How far the members that the paper names are from other programs, or from each other."""
    items = quoted_items()

    def ours(name: str) -> float:
        value = session.corpus_score(parse_metrics(name)[0], items)
        assert value is not None
        return value

    tokens = ptb_rows(session, items)
    matched, total = rouge_recall_sums(tokens, 1)
    as_printed = RECALL_MEMBER.removesuffix(")") + ",penalty=printed)"
    values = {
        "PS(4), B = 1, less sacrebleu's BLEU": ours(BLEU_MEMBER) - sacrebleu_of(tokens),
        "RS(1), W infinite, less ROUGE-1 recall": ours(RECALL_MEMBER) - matched / total,
        "RS(1), W infinite, penalty=printed, less ROUGE-1 recall": ours(as_printed)
        - matched / total,
    }
    return {row: [value] for row, value in values.items()}


def penalties() -> Values:
    """BP and WP for two lengths of a candidate and a reference of 8 words."""
    candidate, reference = np.array([6.0, 24.0]), np.array([8.0, 8.0])
    values = {
        "BP, B = 1": brevity_penalty(candidate, reference, 1.0),
        "BP, B = 2": brevity_penalty(candidate, reference, 2.0),
        "WP, W = 2, penalty=printed": wordiness_penalty(candidate, reference, 2.0, "printed"),
        "WP, W = 2, default": wordiness_penalty(candidate, reference, 2.0, "intended"),
    }
    return {row: value.tolist() for row, value in values.items()}


def example(session: Session, entry: Entry, rows: Sequence[str]) -> Values:
    """Members of the family on an example of another paper."""
    items = read_paper(entry.arguments["paper"]).entry(entry.arguments["example"]).items
    scores = session.score_all(parse_metrics(",".join(rows)), items)
    # A metric's own name may leave out an option at its default.
    return {row: scores[parse_metrics(row)[0].name].tolist() for row in rows}
