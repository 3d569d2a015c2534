"""AEv: its formulas by hand, BLEU and ROUGE-1's recall as members, stems, stop words, options."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU

from scorers import Item, MetricError, Session, parse_metrics
from scorers.aev.counts import Counts, counts_of, item_counts
from scorers.aev.family import (
    Form,
    aev,
    balance,
    brevity_penalty,
    precision_and_recall,
    wordiness_penalty,
)
from scorers.aev.metric import Aev
from scorers.aev.preparation import Preparation
from scorers.aev.words import CLOSED_CLASS, is_stop_word
from scorers.batch import Texts
from tests.scorers.coco_oracle import run_scripts, tokenised
from tests.scorers.scorer_texts import ITEMS, item_lists, kpqa

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
    return tokenised(items, session._services.tokenise("ptb", texts).__getitem__)


def sacrebleu_of(rows: Sequence[tuple[str, list[str]]]) -> float:
    """sacrebleu's corpus BLEU of given tokens, unsmoothed, in [0, 1]."""
    most = max(len(references) for _, references in rows)
    streams: Any = [[(r + [None] * most)[k] for _, r in rows] for k in range(most)]
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    return float(metric.corpus_score([candidate for candidate, _ in rows], streams).score) / 100


class _Spaces:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


def rouge_recall_sums(rows: Sequence[tuple[str, list[str]]], n: int) -> tuple[float, float]:
    """Matches and n-grams of rouge-score's ROUGE-n recall, summed over items and references."""
    scorer = RougeScorer([f"rouge{n}"], tokenizer=_Spaces())
    matched = total = 0.0
    for candidate, references in rows:
        for reference in references:
            ngrams = max(0, len(reference.split()) - n + 1)
            matched += scorer.score(reference, candidate)[f"rouge{n}"].recall * ngrams
            total += ngrams
    return matched, total


# Members.


@pytest.mark.parametrize(("name", "references"), [("marco_all", 1), ("avsd_all", 6)])
def test_alpha_1_of_order_4_is_corpus_bleu(
    session: Session, data: Path, name: str, references: int
) -> None:
    items = kpqa(data, name, references)[0]
    rows = ptb_rows(session, items)
    ours = session.corpus_score(parse_metrics(BLEU_MEMBER)[0], items)
    assert ours == pytest.approx(sacrebleu_of(rows), abs=1e-12)
    # The COCO scripts add 1e-15 to matches and 1e-9 to counts.
    assert ours == pytest.approx(run_scripts(rows, ["bleu-4"])["bleu-4"][0], abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_alpha_1_of_lower_orders_is_bleu_of_lower_orders(session: Session, n: int) -> None:
    metric = parse_metrics(f"aev(alpha=1,n={n},{RAW})")[0]
    theirs = run_scripts(ptb_rows(session, ITEMS), [f"bleu-{n}"])[f"bleu-{n}"][0]
    assert session.corpus_score(metric, ITEMS) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("name", "references"), [("marco_all", 1), ("avsd_all", 6)])
def test_alpha_0_of_order_1_without_penalty_is_rouge_1_recall(
    session: Session, data: Path, name: str, references: int
) -> None:
    items = kpqa(data, name, references)[0]
    rows = ptb_rows(session, items)
    metric = parse_metrics(RECALL_MEMBER)[0]
    matched, total = rouge_recall_sums(rows, 1)
    assert session.corpus_score(metric, items) == pytest.approx(matched / total, abs=1e-12)
    scorer = RougeScorer(["rouge1"], tokenizer=_Spaces())
    theirs = [
        max(scorer.score(reference, candidate)["rouge1"].recall for reference in references)
        for candidate, references in rows
    ]
    np.testing.assert_allclose(session.score(metric, items), theirs, rtol=0, atol=1e-12)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(items=item_lists)
def test_the_members_of_made_up_sets_are_bleu_and_rouge(
    session: Session, items: list[Item]
) -> None:
    rows = ptb_rows(session, items)
    bleu, recall = parse_metrics(f"{BLEU_MEMBER},{RECALL_MEMBER}")
    ours = session.corpus_score(bleu, items)
    assert ours == pytest.approx(run_scripts(rows, ["bleu-4"])["bleu-4"][0], abs=1e-6) or ours == 0
    matched, total = rouge_recall_sums(rows, 1)
    theirs = matched / total if total else 0.0
    assert session.corpus_score(recall, items) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_recall_counts_of_every_order_are_those_of_rouge_score(session: Session, n: int) -> None:
    counts = item_counts(ITEMS, Preparation("ptb", "none"), session._services)
    matched, total = rouge_recall_sums(ptb_rows(session, ITEMS), n)
    assert counts.reference_matches.sum(axis=0)[n - 1] == pytest.approx(matched)
    assert counts.reference_ngrams.sum(axis=0)[n - 1] == total


# Formulas.


def made_up(matches: Sequence[float], candidate: int, reference: int) -> Counts:
    """Counts of one text of so many words against one reference."""
    four = [[max(0, length - k) for k in range(4)] for length in (candidate, reference)]
    table = [*matches, *four[0], *matches, *four[1], candidate, reference]
    return Counts(np.array(table, dtype=np.float64))


def test_the_formulas_by_hand() -> None:
    # Eight words against five: four, two, one and no n-grams are shared.
    counts = made_up([4, 2, 1, 0], candidate=8, reference=5)
    (precision, cut), (recall, also) = precision_and_recall(counts, (3, 4), Form(wordiness=1.0))
    assert precision == pytest.approx((4 / 8 * 2 / 7 * 1 / 6) ** (1 / 3))
    penalty = math.exp(1 - 8 / 5)
    assert recall == pytest.approx((4 / 5 * 2 / 4 * 1 / 3) ** (1 / 3) * penalty)
    assert (cut, also) == (0.0, 0.0)
    mixed = aev(counts, 0.3, 3, Form(wordiness=1.0))
    assert mixed == pytest.approx(precision * recall / (0.3 * recall + 0.7 * precision))


def test_weights_are_relative() -> None:
    counts = made_up([4, 2, 0, 0], candidate=8, reference=5)
    found = aev(counts, 1, 2, Form(weights=(3, 1)))
    assert found == pytest.approx((4 / 8) ** 0.75 * (2 / 7) ** 0.25)
    assert aev(counts, 1, 3, Form(weights=(1, 1, 0))) == aev(counts, 1, 2, Form())


def test_the_wordiness_penalty_intended_and_printed() -> None:
    c, r = np.array([4.0, 10.0, 15.0, 0.0, 3.0]), np.array([10.0, 10.0, 5.0, 0.0, 0.0])
    intended = wordiness_penalty(c, r, 2.0, "intended")
    np.testing.assert_allclose(intended, [1, 1, math.exp(1 - 15 / 10), 1, 0])
    printed = wordiness_penalty(c, r, 2.0, "printed")
    np.testing.assert_allclose(printed, [1, math.exp(1 - 20 / 10), math.exp(1 - 30 / 5), 1, 0])


def test_infinite_wordiness_is_rouge_as_intended_and_nothing_as_printed() -> None:
    c, r = np.array([4.0, 500.0]), np.array([10.0, 10.0])
    assert wordiness_penalty(c, r, math.inf, "intended").tolist() == [1.0, 1.0]
    assert wordiness_penalty(c, r, math.inf, "printed").tolist() == [0.0, 0.0]


def test_brevity_is_bleus() -> None:
    c, r = np.array([5.0, 10.0, 12.0, 0.0, 0.0]), np.array([10.0, 10.0, 10.0, 10.0, 0.0])
    found = brevity_penalty(c, r, 1.0)
    np.testing.assert_allclose(found, [math.exp(1 - 10 / 5), 1, 1, 0, 1])
    np.testing.assert_allclose(brevity_penalty(c, r, 2.0), [1, 1, 1, 0, 1])


def test_orders_longer_than_a_text_are_skipped_or_count_as_nothing() -> None:
    counts = made_up([2, 1, 0, 0], candidate=2, reference=2)
    assert aev(counts, 0.5, 4, Form(short="skip")) == 1.0
    assert aev(counts, 0.5, 4, Form(short="zero")) == 0.0
    # Precision looks at the candidate's orders, recall at the reference's.
    longer = made_up([2, 1, 0, 0], candidate=2, reference=4)
    assert aev(longer, 1, 4, Form(brevity=math.inf)) == 1.0
    assert aev(longer, 0, 4, Form()) == 0.0


counted = st.lists(st.integers(0, 30), min_size=4, max_size=4)


@given(
    shared=counted,
    extra=counted,
    missing=counted,
    alpha=st.floats(0, 1),
    n=st.integers(1, 4),
    penalty=st.sampled_from(["intended", "printed"]),
    short=st.sampled_from(["skip", "zero"]),
)
def test_scores_lie_between_recall_and_precision(
    shared: list[int],
    extra: list[int],
    missing: list[int],
    alpha: float,
    n: int,
    penalty: Literal["intended", "printed"],
    short: Literal["skip", "zero"],
) -> None:
    candidate, reference = np.add(shared, extra), np.add(shared, missing)
    table = [*shared, *candidate, *shared, *reference, candidate[0], reference[0]]
    form = Form(penalty=penalty, short=short)
    (precision,), (recall,) = precision_and_recall(Counts(np.array(table)), (n,), form)
    score = aev(Counts(np.array(table)), alpha, n, form)
    assert 0 <= score <= 1
    assert score >= min(precision, recall) * (1 - 1e-12)
    assert score <= max(precision, recall) * (1 + 1e-12)
    assert aev(Counts(np.array(table)), 0, n, form) == recall
    assert aev(Counts(np.array(table)), 1, n, form) == precision


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.99))
def test_the_balance_is_van_rijsbergens_f(precision: float, recall: float, alpha: float) -> None:
    found = balance(np.array(precision), np.array(recall), alpha)
    if precision < 1e-150 or recall < 1e-150:
        assert found <= 1e-145
    else:
        assert found == pytest.approx(1 / (alpha / precision + (1 - alpha) / recall))


# Stems and stop words.


def test_stems_are_those_of_porters_paper() -> None:
    # Examples of each step in Porter (1980), An algorithm for suffix stripping.
    words = """caresses ponies cats feed agreed plastered bled motoring conflated hopping falling
        filing happy sky relational conditional digitizer vietnamization predication feudalism
        hopefulness callousness triplicate formalize electrical goodness revival allowance
        gyroscopic defensible replacement adoption communism effective bowdlerize probate rate
        controll roll generalizations oscillators"""
    stems = """caress poni cat feed agre plaster bled motor conflat hop fall
        file happi sky relat condit digit vietnam predic feudal
        hope callous triplic formal electr good reviv allow
        gyroscop defens replac adopt commun effect bowdler probat rate
        control roll gener oscil"""
    assert Preparation().words(words).split() == stems.split()


def test_words_of_two_letters_keep_apart() -> None:
    assert Preparation().words("us as is a") == "us as is a"


def test_the_stop_list_leaves_what_answers_a_question_alone() -> None:
    kept = "no not never n't nobody nothing nowhere none one two all few many most more half yes"
    assert not CLOSED_CLASS & set(kept.split())
    removed = "the He 's that's THIS of and were does would what she\u2019ll themselves upon"
    assert all(is_stop_word(word) for word in removed.split())
    assert (
        Preparation(stems="none", stops="closed-class").words("the doe does not do it") == "doe not"
    )


def test_the_stop_list_is_sane() -> None:
    assert 250 <= len(CLOSED_CLASS) <= 350
    assert all(word == word.lower().strip() and word for word in CLOSED_CLASS)


def test_stop_words_go_before_ngrams_are_formed(session: Session) -> None:
    assert one(session, "aev(n=2,stops=closed-class)", "old mills of Ghent", "mills in Ghent") > 0
    assert one(session, "aev(n=2)", "old mills of Ghent", "mills in Ghent") == 0


def test_texts_that_differ_in_stems_and_stop_words_are_equal(session: Session) -> None:
    pair = ("He was walking to the bridges.", "they walk by that bridge")
    assert one(session, "aev(n=2,stops=closed-class)", *pair) == 1.0
    assert one(session, f"aev(n=2,{RAW})", *pair) == 0.0


def test_an_answer_of_nothing_but_stop_words_scores_0(session: Session) -> None:
    assert one(session, "aev(stops=closed-class)", "it was there", "it was there") == 0.0
    assert one(session, "aev", "it was there", "it was there") == 1.0


# The metric.


def test_the_best_reference_under_max_and_pooled_references_under_joint(session: Session) -> None:
    metric = f"aev(alpha=0,n=1,{RAW},wordiness=inf)"
    references = ("cat sat", "a red cat sat down")
    assert one(session, metric, "cat sat", *references, way="max") == 1.0
    assert one(session, metric, "cat sat", *references) == pytest.approx(4 / 7)


def test_the_closest_length_counts_among_references(session: Session) -> None:
    metric = f"aev(alpha=1,n=1,{RAW})"
    found = one(session, metric, "a b c", "a b c d e f g h", "a b c d", "a b")
    assert found == 1.0  # two words and four are equally far from three; the shorter one counts


def test_item_counts_add_up_to_the_corpus_value(session: Session) -> None:
    (metric,) = parse_metrics("aev(alpha=0.3,n=2)")
    assert isinstance(metric, Aev)
    counts = item_counts(ITEMS, metric.preparation, session._services)
    assert counts.table.shape == (len(ITEMS), 18)
    summed = Counts(counts.table.sum(axis=0))
    assert aev(summed, 0.3, 2, metric.form) == session.corpus_score(metric, ITEMS)
    alone = aev(counts, 0.3, 2, metric.form)
    joint = session.score(parse_metrics("aev(alpha=0.3,n=2)", "joint")[0], ITEMS)
    assert alone.tolist() == joint.tolist()


def test_counts_agree_with_a_plain_count(session: Session) -> None:
    item = Item("the the cat sat on the cat", ("the cat sat", "a cat sat on the cat cat"))
    counts = item_counts([item], Preparation("ptb", "none"), session._services)

    def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
        words = text.split()
        return Counter(zip(*(words[k:] for k in range(n)), strict=False))

    for n in range(1, 5):
        candidate = grams(item.candidate, n)
        references = [grams(text, n) for text in item.references]
        highest = references[0] | references[1]
        assert counts.candidate_matches[0, n - 1] == (candidate & highest).total()
        assert counts.reference_matches[0, n - 1] == sum(
            (candidate & r).total() for r in references
        )
        assert counts.candidate_ngrams[0, n - 1] == candidate.total()
        assert counts.reference_ngrams[0, n - 1] == sum(r.total() for r in references)
    assert (counts.candidate_length[0], counts.reference_length[0]) == (7, 7)


def test_one_batch_counts_once_for_all_members(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def counting(texts: Texts) -> Counts:
        calls.append(1)
        return counts_of(texts)

    monkeypatch.setattr("scorers.aev.metric.counts_of", counting)
    metrics = ",".join(f"aev(alpha={a / 10},n={n})" for a in range(11) for n in range(1, 5))
    session.score_all(parse_metrics(metrics), ITEMS)
    assert len(calls) == 1


def test_the_name_keeps_the_papers_numbers_and_the_signature_every_choice() -> None:
    metric = parse_metrics("aev(n=2, alpha=0.30)")[0]
    assert metric.name == "aev(alpha=0.3,n=2)"
    signature = metric.signature()
    for part in (
        "aev|alpha:0.3|brevity:1|n:2|penalty:intended|short:skip|stems:porter|stops:none",
        "|tokens:ptb|weights:equal|wordiness:2|reflen:closest|stopped:before-ngrams|refs:max|",
        "|nltk:",
    ):
        assert part in signature
    assert "nltk" not in parse_metrics("aev(stems=none)")[0].signature()
    assert parse_metrics("aev(wordiness=inf)")[0].name == "aev(wordiness=inf)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("aev(alpha=1.5)", "option alpha must be from 0 to 1, not '1.5'"),
        ("aev(alpha=nan)", "option alpha must be from 0 to 1, not 'nan'"),
        ("aev(n=5)", "option n must be from 1 to 4, not '5'"),
        ("aev(n=2.0)", "option n must be from 1 to 4"),
        ("aev(brevity=0)", "option brevity must be above 0"),
        ("aev(wordiness=-2)", "option wordiness must be above 0"),
        ("aev(weights=1;2)", "option weights must be equal, or numbers such as 1/2/1"),
        ("aev(n=3,weights=1/2)", "3 weights are needed for N = 3, there are 2"),
        ("aev(n=2,weights=0/0)", "weights must not be negative, nor all 0"),
        ("aev(n=2,weights=2/-1)", "weights must not be negative, nor all 0"),
        ("aev(n=2,weights=1/nan)", "weights must not be negative, nor all 0"),
    ],
)
def test_wrong_options_are_answered(text: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        parse_metrics(text)


def test_wrong_arguments_of_the_formulas_are_answered() -> None:
    counts = made_up([1, 0, 0, 0], 1, 1)
    with pytest.raises(ValueError, match="alpha must be from 0 to 1"):
        aev(counts, -0.1, 1, Form())
    with pytest.raises(ValueError, match="N must be from 1 to 4"):
        aev(counts, 0.5, 5, Form())
    with pytest.raises(ValueError, match="18 columns"):
        Counts(np.zeros((3, 4)))
