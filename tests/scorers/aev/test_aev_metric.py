"""AEv as a metric: counts of items and sets, references, options, signature."""

from collections import Counter

import pytest

from scorers import Item, MetricError, Session, parse_metrics
from scorers.aev.counts import NgramCounts, count_texts, item_counts
from scorers.aev.family import aev
from scorers.aev.metric import Aev
from scorers.aev.preparation import TextPreparation
from scorers.ngrams import BatchTexts
from tests.scorers.aev.aev_texts import RAW, one
from tests.scorers.scorer_texts import ITEMS


def test_the_best_reference_under_max_and_pooled_references_under_joint(session: Session) -> None:
    metric = f"aev(alpha=0,n=1,{RAW},wordiness=inf)"
    references = ("cat sat", "a red cat sat down")
    assert one(session, metric, "cat sat", *references, way="max") == 1.0
    assert one(session, metric, "cat sat", *references) == pytest.approx(4 / 7)


def test_the_closest_length_counts_among_references(session: Session) -> None:
    metric = f"aev(alpha=1,n=1,{RAW})"
    score = one(session, metric, "a b c", "a b c d e f g h", "a b c d", "a b")
    assert score == 1.0  # two words and four are equally far from three; the shorter one counts


def test_item_counts_add_up_to_the_corpus_value(session: Session) -> None:
    (metric,) = parse_metrics("aev(alpha=0.3,n=2)")
    assert isinstance(metric, Aev)
    counts = item_counts(ITEMS, metric.preparation, session)
    assert counts.table.shape == (len(ITEMS), 18)
    summed = NgramCounts(counts.table.sum(axis=0))
    assert aev(summed, 0.3, 2, metric.formula) == session.corpus_score(metric, ITEMS)
    alone = aev(counts, 0.3, 2, metric.formula)
    joint = session.score(parse_metrics("aev(alpha=0.3,n=2)", "joint")[0], ITEMS)
    assert alone.tolist() == joint.tolist()


def test_counts_agree_with_a_plain_count(session: Session) -> None:
    item = Item("the the cat sat on the cat", ("the cat sat", "a cat sat on the cat cat"))
    counts = item_counts([item], TextPreparation("ptb", "none"), session)

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


def test_a_batch_is_counted_once_for_all_members(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def counting(texts: BatchTexts) -> NgramCounts:
        calls.append(1)
        return count_texts(texts)

    monkeypatch.setattr("scorers.aev.metric.count_texts", counting)
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
        ("aev(alpha=0.3000001)", "option alpha must have at most 8 characters"),
        ("aev(weights=0.12345678)", "option weights must have at most 8 characters"),
        ("aev(n=3,weights=1/2)", "N = 3 needs 3 weights, not 2"),
        ("aev(n=2,weights=0/0)", "weights must be 0 or above, and one of them above 0"),
        ("aev(n=2,weights=2/-1)", "weights must be 0 or above, and one of them above 0"),
        ("aev(n=2,weights=1/nan)", "option weights must be equal, or numbers such as 1/2/1"),
    ],
)
def test_invalid_options_are_refused(text: str, message: str) -> None:
    with pytest.raises(MetricError, match=message):
        parse_metrics(text)
