"""Shared by the tests of AEv: the score of one item, and token rows for other programs."""

from collections.abc import Sequence
from typing import Any

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU

from scorers import Item, Session, parse_metrics
from tests.scorers.coco_oracle import tokenised

RAW = "stems=none"
BLEU_MEMBER = f"aev(alpha=1,n=4,{RAW},short=zero)"
RECALL_MEMBER = f"aev(alpha=0,n=1,{RAW},wordiness=inf)"


def one(
    session: Session, metric: str, candidate: str, *references: str, way: str = "joint"
) -> float:
    (parsed,) = parse_metrics(metric, way)
    return float(session.score(parsed, [Item(candidate, references)])[0])


def ptb_rows(session: Session, items: Sequence[Item]) -> list[tuple[str, list[str]]]:
    texts = [text for item in items for text in (item.candidate, *item.references)]
    return tokenised(items, session.services.tokenise("ptb", texts).__getitem__)


def sacrebleu_of(rows: Sequence[tuple[str, list[str]]]) -> float:
    """sacrebleu's corpus BLEU of given tokens, unsmoothed, in [0, 1]."""
    most = max(len(references) for _, references in rows)
    streams: Any = [[(r + [None] * most)[k] for _, r in rows] for k in range(most)]
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    return float(metric.corpus_score([candidate for candidate, _ in rows], streams).score) / 100


class Spaces:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


def rouge_recall_sums(rows: Sequence[tuple[str, list[str]]], n: int) -> tuple[float, float]:
    """Matches and n-grams of rouge-score's ROUGE-n recall, summed over items and references."""
    scorer = RougeScorer([f"rouge{n}"], tokenizer=Spaces())
    matched = total = 0.0
    for candidate, references in rows:
        for reference in references:
            ngrams = max(0, len(reference.split()) - n + 1)
            matched += scorer.score(reference, candidate)[f"rouge{n}"].recall * ngrams
            total += ngrams
    return matched, total
