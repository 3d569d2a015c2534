"""Metrics of packages equal the packages; SQuAD's metrics equal their formula."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import HealthCheck, given, settings
from rouge_score.rouge_scorer import RougeScorer

from scorers import Item, Session, parse_metrics
from tests.scorers.scorer_texts import ITEMS, item_lists, kpqa

ItemScore = Callable[[str, Sequence[str]], float]


def squad_normalise(text: str) -> str:
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def squad_exact(candidate: str, references: Sequence[str]) -> float:
    return float(any(squad_normalise(candidate) == squad_normalise(r) for r in references))


def squad_f1(candidate: str, references: Sequence[str]) -> float:
    def single(reference: str) -> float:
        candidate_words, reference_words = (
            squad_normalise(candidate).split(),
            squad_normalise(reference).split(),
        )
        same = sum((Counter(candidate_words) & Counter(reference_words)).values())
        if same == 0:
            return 0.0
        precision, recall = same / len(candidate_words), same / len(reference_words)
        return (2 * precision * recall) / (precision + recall)

    return max(map(single, references))


def rouge(kind: str, stem: bool) -> ItemScore:
    scorer = RougeScorer([kind], use_stemmer=stem)
    return lambda candidate, references: scorer.score_multi(references, candidate)[kind].fmeasure


def sentence(function: Callable[..., object], **options: object) -> ItemScore:
    return lambda candidate, references: function(candidate, references, **options).score  # type: ignore[attr-defined]


REFERENCE: dict[str, ItemScore] = {
    "exact-match": squad_exact,
    "token-f1": squad_f1,
    "google-rouge-1": rouge("rouge1", False),
    "google-rouge-2": rouge("rouge2", False),
    "google-rouge-l": rouge("rougeL", False),
    "google-rouge-1(stem=true)": rouge("rouge1", True),
    "google-rouge-l(stem=true)": rouge("rougeL", True),
    "sacrebleu": sentence(sacrebleu.sentence_bleu),
    "chrf": sentence(sacrebleu.sentence_chrf),
    "chrf++": sentence(sacrebleu.sentence_chrf, word_order=2),
    "ter": sentence(sacrebleu.sentence_ter),
}


def assert_equal_to_reference(session: Session, items: Sequence[Item]) -> None:
    for multi_ref in ("max", "joint"):
        metrics = parse_metrics(",".join(REFERENCE), multi_ref)
        for metric in metrics:
            score = REFERENCE[metric.name]
            best = max if metric.higher_is_better else min
            expected = [
                score(item.candidate, item.references)
                if multi_ref == "joint"
                else best(score(item.candidate, [text]) for text in item.references)
                for item in items
            ]
            scores = session.score(metric, items)
            np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9, err_msg=metric.name)


def test_written_items(session: Session) -> None:
    assert_equal_to_reference(session, ITEMS)


@pytest.mark.parametrize(("name", "references"), [("marco_all", 1), ("avsd_all", 3)])
def test_real_items(session: Session, concord_data: Path, name: str, references: int) -> None:
    assert_equal_to_reference(session, kpqa(concord_data, name, references)[0][::5])


@settings(suppress_health_check=list(HealthCheck))
@given(items=item_lists)
def test_generated_items(session: Session, items: list[Item]) -> None:
    assert_equal_to_reference(session, items)


CORPUS = {
    "sacrebleu": sacrebleu.corpus_bleu,
    "chrf": sacrebleu.corpus_chrf,
    "chrf++": lambda candidates, streams: sacrebleu.corpus_chrf(candidates, streams, word_order=2),
    "ter": sacrebleu.corpus_ter,
}


@pytest.mark.parametrize("name", CORPUS)
def test_corpus_values(session: Session, name: str) -> None:
    most = max(len(item.references) for item in ITEMS)
    streams = [
        [item.references[k] if k < len(item.references) else None for item in ITEMS]
        for k in range(most)
    ]
    expected = CORPUS[name]([item.candidate for item in ITEMS], streams).score  # type: ignore[operator]
    assert session.corpus_score(parse_metrics(name)[0], ITEMS) == pytest.approx(expected, abs=1e-9)


def test_squads_corpus_value_is_the_mean_and_rouge_has_none(session: Session) -> None:
    f1, rouge_1 = parse_metrics("token-f1,google-rouge-1")
    mean = np.mean([squad_f1(item.candidate, item.references) for item in ITEMS])
    assert session.corpus_score(f1, ITEMS) == pytest.approx(mean)
    assert session.corpus_score(rouge_1, ITEMS) is None
