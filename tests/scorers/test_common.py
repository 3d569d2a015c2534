"""What must hold of every registered metric. A metric missing from the table fails here."""

import copy
import itertools
import json
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scorers.session
from scorers import Corpus, Item, Metric, Session, names, parse_metrics
from tests.scorers.scorer_texts import ITEMS, item_lists


@dataclass(frozen=True)
class Expected:
    """What a metric scores an empty candidate, against words and against an empty reference."""

    empty_candidate: float = 0.0
    both_empty: float = 0.0
    other_options: tuple[str, ...] = ()


MOCHA = ("tokens=mocha",)
EXPECTED = {
    "exact-match": Expected(both_empty=1.0),
    "token-f1": Expected(),
    "bleu-1": Expected(other_options=MOCHA),
    "bleu-2": Expected(other_options=MOCHA),
    "bleu-3": Expected(other_options=MOCHA),
    "bleu-4": Expected(other_options=MOCHA),
    "rouge-l": Expected(both_empty=1.0, other_options=MOCHA),
    "meteor": Expected(other_options=MOCHA),
    "cider": Expected(other_options=MOCHA),
    "google-rouge-1": Expected(other_options=("stem=true",)),
    "google-rouge-2": Expected(other_options=("stem=true",)),
    "google-rouge-l": Expected(other_options=("stem=true",)),
    "sacrebleu": Expected(),
    "chrf": Expected(),
    "chrf++": Expected(),
    "ter": Expected(empty_candidate=100.0),
    "aev": Expected(other_options=("alpha=0.3,n=2", "alpha=1,n=4,stems=none,short=zero")),
}
VARIANTS = [
    name + (f"({option})" if option else "")
    for name, expected in EXPECTED.items()
    for option in ("", *expected.other_options)
]
CORPUS = Corpus.of(item.references for item in ITEMS)
every_metric = pytest.mark.parametrize("variant", VARIANTS)
both_ways = pytest.mark.parametrize("multi_ref", ["max", "joint"])


def metric_named(variant: str, multi_ref: str = "max") -> Metric:
    return parse_metrics(variant, multi_ref)[0]


def test_the_table_lists_every_registered_metric() -> None:
    computed_by_a_network = {name for name in names() if parse_metrics(name)[0].has_model}
    assert set(EXPECTED) == set(names()) - computed_by_a_network


@every_metric
@both_ways
def test_order_does_not_matter(session: Session, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    forwards = session.score(metric, ITEMS, CORPUS).tolist()
    assert session.score(metric, ITEMS[::-1], CORPUS).tolist() == forwards[::-1]


@every_metric
@both_ways
def test_each_item_alone_scores_the_same_to_the_last_bit(
    session: Session, variant: str, multi_ref: str
) -> None:
    metric = metric_named(variant, multi_ref)
    together = session.score(metric, ITEMS, CORPUS).tolist()
    assert [session.score(metric, [item], CORPUS)[0] for item in ITEMS] == together


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(items=item_lists, data=st.data())
def test_made_up_items_score_the_same_in_any_company(
    session: Session, items: list[Item], data: st.DataObject
) -> None:
    metrics = parse_metrics(",".join(VARIANTS), data.draw(st.sampled_from(["max", "joint"])))
    corpus = Corpus.of(item.references for item in items)
    together = session.score_all(metrics, items, corpus)
    place = data.draw(st.integers(0, len(items) - 1))
    company = data.draw(item_lists)
    other = session.score_all(metrics, [*company, items[place]], _covering(corpus, company))
    plain = [metric.name for metric in metrics if not metric.set_dependent]
    assert [other[name][-1] for name in plain] == [together[name][place] for name in plain]
    alone = session.score_all(metrics, [items[place]], corpus)
    assert [alone[m.name][0] for m in metrics] == [together[m.name][place] for m in metrics]


def _covering(corpus: Corpus, items: list[Item]) -> Corpus:
    """A corpus with a row for every reference position the items have."""
    rows = [row for row, count in corpus.documents.items() for _ in range(count)]
    return Corpus.of([*rows, *(item.references for item in items)])


@every_metric
def test_slices_do_not_matter(
    session: Session, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = metric_named(variant)
    whole = session.score(metric, ITEMS).tolist()
    monkeypatch.setattr(scorers.session, "_ITEMS_PER_BATCH", 3)
    calls: list[tuple[int, int]] = []
    sliced = session.score(metric, ITEMS, progress=lambda done, total: calls.append((done, total)))
    assert sliced.tolist() == whole
    assert calls[-1] == (len(ITEMS), len(ITEMS))
    assert [done for done, _ in calls] == [*range(3, len(ITEMS), 3), len(ITEMS)]


@every_metric
@both_ways
def test_empty_texts_have_stated_scores(session: Session, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    expected = EXPECTED[metric.spec.base]
    items = [Item("", ("some words",)), Item("", ("",)), Item("some words", ("",))]
    empty, both, against_empty = session.score(metric, items, Corpus.of([("some words",), ("",)]))
    assert empty == expected.empty_candidate
    assert both == expected.both_empty
    # Nothing is right about words where none were wanted.
    assert against_empty == pytest.approx(0.0 if metric.higher_is_better else 100.0, abs=1e-6)


@every_metric
@both_ways
def test_scores_lie_in_the_stated_range(session: Session, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    low, high = metric.range
    for score in session.score(metric, ITEMS):
        assert math.isfinite(score)
        assert low - 1e-9 <= score <= high + 1e-9


@every_metric
def test_nothing_scores_better_than_the_reference_itself(session: Session, variant: str) -> None:
    metric = metric_named(variant)
    reference = "the old mill by the river burned down"
    others = [reference[:-5], "a mill burned", "quite another thing", reference[::-1], ""]
    items = [Item(text, (reference,)) for text in [reference, *others]]
    corpus = Corpus.of([(reference,), ("something else",)])
    same, *different = session.score(metric, items, corpus)
    best = max(different) if metric.higher_is_better else min(different)
    assert same > best if metric.higher_is_better else same < best


@every_metric
def test_inputs_are_left_as_they_were(session: Session, variant: str) -> None:
    items = list(ITEMS)
    before = copy.deepcopy(items)
    metric = metric_named(variant)
    session.score(metric, items, CORPUS)
    session.corpus_score(metric, items)
    assert items == before


@every_metric
def test_an_item_without_references_is_named(session: Session, variant: str) -> None:
    with pytest.raises(ValueError, match="item 1 has no references"):
        session.score(metric_named(variant), [Item("a", ("b",)), Item("a", ())])


@every_metric
def test_no_items_give_no_scores(session: Session, variant: str) -> None:
    metric = metric_named(variant)
    assert session.score(metric, []).shape == (0,)
    if metric.has_corpus_score:
        with pytest.raises(ValueError, match="at least one item"):
            session.corpus_score(metric, [])


def test_one_name_for_two_metrics_is_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="same name"):
        session.score_all([metric_named("chrf"), metric_named("chrf", "joint")], ITEMS)


def test_signatures_tell_metrics_options_and_references_apart() -> None:
    metrics = [metric_named(v, way) for v, way in itertools.product(VARIANTS, ("max", "joint"))]
    signatures = [metric.signature(CORPUS) for metric in metrics]
    assert len(set(signatures)) == len(metrics)
    for metric, signature in zip(metrics, signatures, strict=True):
        assert signature.startswith(f"{metric.spec.base}|")
        assert f"|refs:{metric.multi_ref}|" in signature
        assert "|version:" in signature


@every_metric
def test_only_a_set_dependent_metrics_signature_holds_the_corpus(variant: str) -> None:
    metric = metric_named(variant)
    if not metric.set_dependent:
        assert metric.signature() == metric.signature(CORPUS)
        return
    assert f"|corpus:{CORPUS.fingerprint}|" in metric.signature(CORPUS)
    with pytest.raises(ValueError, match="corpus"):
        metric.signature()


@every_metric
def test_a_metric_describes_itself(variant: str) -> None:
    metric = metric_named(variant)
    assert metric.title and metric.family
    assert metric.summary.endswith(".") and "\n" not in metric.summary
    assert metric.range[0] < metric.range[1]
    assert metric.needs <= {"question", "passage"}
    # The mean of a model's scores says nothing new, and would cost the model twice.
    expected = not metric.has_model and (
        metric.family != "n-gram overlap" or "google" not in variant
    )
    assert metric.has_corpus_score == expected


def test_another_process_gives_the_same_scores_to_the_last_bit(
    session: Session, tmp_path: Path
) -> None:
    metrics = parse_metrics(",".join(VARIANTS))
    given_file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [
        {"id": str(i), "candidate": item.candidate, "references": item.references}
        for i, item in enumerate(ITEMS)
    ]
    given_file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "scorers", "score", str(given_file), "--out", str(out)]
    subprocess.run([*command, "--metrics", ",".join(VARIANTS)], check=True, capture_output=True)
    ours = session.score_all(metrics, ITEMS)
    for i, line in enumerate(out.read_text().splitlines()):
        scores = json.loads(line)["scores"]
        assert scores == {metric.name: ours[metric.name][i] for metric in metrics}
