"""Requirements of every registered metric. A metric missing from the table fails here."""

import copy
import itertools
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scorers.session
from scorers import Corpus, Item, Metric, Session, names, parse_metrics
from tests.scorers.commands import command
from tests.scorers.scorer_texts import ITEMS, item_lists


@dataclass(frozen=True)
class Expected:
    """What a metric scores an empty candidate, against words and against an empty reference (None:
    nothing is fixed about it), and whether the reference scores better than all but itself."""

    empty_candidate: float | None = 0.0
    both_empty: float | None = 0.0
    best_is_itself: bool = True
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
    "bertscore-p": Expected(),
    "bertscore-r": Expected(),
    "bertscore": Expected(),
    "sentence-similarity": Expected(empty_candidate=None, both_empty=None),
    "bleu-1-kpqa": Expected(best_is_itself=False),  # a part of the reference has full precision
    "rouge-l-kpqa": Expected(),
    "bertscore-kpqa": Expected(),
    "bleu-1-kp": Expected(best_is_itself=False),
    "rouge-l-kp": Expected(),
    "bertscore-kp": Expected(),
    "lerc": Expected(empty_candidate=None, both_empty=None),
    "sts": Expected(empty_candidate=None, both_empty=None, best_is_itself=False),  # hardly trained
    "ava": Expected(empty_candidate=None, both_empty=None),
    "aev": Expected(other_options=("alpha=0.3,n=2", "alpha=1,n=4,stems=none,short=zero")),
}
VARIANTS = [
    name + (f"({option})" if option else "")
    for name, expected in EXPECTED.items()
    for option in ("", *expected.other_options)
]
NO_MODEL = [variant for variant in VARIANTS if not parse_metrics(variant)[0].has_model]
CORPUS = Corpus.from_references(item.references for item in ITEMS)
Scored = Callable[..., list[float]]
every_metric = pytest.mark.parametrize("variant", VARIANTS)
both_ways = pytest.mark.parametrize("multi_ref", ["max", "joint"])


@pytest.fixture(scope="module")
def sts_checkpoint(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of `sts`, of which none ships: trained for one epoch on a tiny encoder."""
    folder = tmp_path_factory.mktemp("sts")
    rows = [
        {"id": str(n), "instance": str(n // 2), "question": "When?", "references": [f"in {n // 2}"],
         "candidate": f"in {n // 2}" if n % 2 else "never", "scale": [0, 1], "score": n % 2}
        for n in range(40)
    ]  # fmt: skip
    judged = folder / "judged.jsonl"
    judged.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = folder / "checkpoint"
    done = command(
        *("train", "sts", "--data", f"concord:{judged}", "--out", str(out), "--epochs", "1"),
        *("--encoder", str(tiny_encoder), "--max-tokens", "32", "--seeds", "1", "--device", "cpu"),
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(autouse=True)
def sts_is_found(sts_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = {"sts": sts_checkpoint}.get
    monkeypatch.setattr("scorers.learned.checkpoint._FINDERS", [find])


@pytest.fixture(scope="module")
def scored(session: Session) -> Scored:
    """`scored(variant, items, corpus, multi_ref)`: the scores of one metric. All metrics score the
    same items together and once, as most of them share an encoder or the tokens."""
    known: dict[object, dict[str, Any]] = {}

    def scored(
        variant: str, items: Sequence[Item], corpus: Corpus | None = None, multi_ref: str = "max"
    ) -> list[float]:
        key = (tuple(items), corpus and corpus.fingerprint, multi_ref)
        if key not in known:
            metrics = parse_metrics(",".join(VARIANTS), multi_ref)
            known[key] = session.score_all(metrics, items, corpus)
        scores: list[float] = known[key][metric_named(variant, multi_ref).name].tolist()
        return scores

    return scored


def metric_named(variant: str, multi_ref: str = "max") -> Metric:
    return parse_metrics(variant, multi_ref)[0]


def rounded(metric: Metric, scores: Any) -> Any:
    """What equals these scores: the scores themselves, and for a network those that differ by the
    rounding of single floats, which follows the shape of a batch and the processor."""
    return pytest.approx(scores, rel=1e-5, abs=1e-5) if metric.has_model else scores


def test_the_table_lists_every_registered_metric() -> None:
    assert set(EXPECTED) == set(names())


@every_metric
@both_ways
def test_scores_do_not_depend_on_the_order(scored: Scored, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    forwards = scored(variant, ITEMS, CORPUS, multi_ref)
    backwards = scored(variant, ITEMS[::-1], CORPUS, multi_ref)
    assert backwards == rounded(metric, forwards[::-1])


@every_metric
@both_ways
def test_each_item_alone_scores_the_same(scored: Scored, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    together = scored(variant, ITEMS, CORPUS, multi_ref)
    alone = [scored(variant, [item], CORPUS, multi_ref)[0] for item in ITEMS]
    assert alone == rounded(metric, together)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(items=item_lists, data=st.data())
def test_generated_items_score_the_same_in_any_batch(
    session: Session, items: list[Item], data: st.DataObject
) -> None:
    assert_same_in_any_company(session, NO_MODEL, items, data)


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(items=item_lists, data=st.data())
def test_generated_items_score_the_same_in_any_batch_of_networks(
    session: Session, items: list[Item], data: st.DataObject
) -> None:
    assert_same_in_any_company(session, [v for v in VARIANTS if v not in NO_MODEL], items, data)


def assert_same_in_any_company(
    session: Session, variants: list[str], items: list[Item], data: st.DataObject
) -> None:
    metrics = parse_metrics(",".join(variants), data.draw(st.sampled_from(["max", "joint"])))
    corpus = Corpus.from_references(item.references for item in items)
    together = session.score_all(metrics, items, corpus)
    place = data.draw(st.integers(0, len(items) - 1))
    company = data.draw(item_lists)
    other = session.score_all(metrics, [*company, items[place]], _covering(corpus, company))
    alone = session.score_all(metrics, [items[place]], corpus)
    for metric in metrics:
        expected = rounded(metric, together[metric.name][place])
        assert alone[metric.name][0] == expected
        if not metric.set_dependent:
            assert other[metric.name][-1] == expected


def _covering(corpus: Corpus, items: list[Item]) -> Corpus:
    """A corpus with a row for every reference position the items have."""
    rows = [row for row, count in corpus.documents.items() for _ in range(count)]
    return Corpus.from_references([*rows, *(item.references for item in items)])


@every_metric
def test_max_is_the_best_single_reference(scored: Scored, variant: str) -> None:
    metric = metric_named(variant)
    if metric.set_dependent:  # each position of references has its own statistics
        return
    several = [item for item in ITEMS if len(item.references) > 1]
    best = max if metric.higher_is_better else min
    single = [replace(item, references=(text,)) for item in several for text in item.references]
    scores = iter(scored(variant, single))
    expected = [best(itertools.islice(scores, len(item.references))) for item in several]
    assert several and scored(variant, several) == rounded(metric, expected)


def test_scores_do_not_depend_on_slices(
    session: Session, scored: Scored, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {metric_named(variant): scored(variant, ITEMS) for variant in VARIANTS}
    monkeypatch.setattr(scorers.session, "ITEMS_PER_BATCH", 3)
    sliced = session.score_all(list(expected), ITEMS)
    for metric, scores in expected.items():
        assert sliced[metric.name].tolist() == rounded(metric, scores), metric.name


@every_metric
def test_progress_counts_the_scored_items(
    session: Session, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scorers.session, "ITEMS_PER_BATCH", 1)
    calls: list[tuple[int, int]] = []
    items = ITEMS[:2]
    session.score(
        metric_named(variant), items, progress=lambda done, total: calls.append((done, total))
    )
    # A model also reports, without a new count, that the work goes on.
    counts = [done for done, _ in calls]
    assert calls[-1] == (2, 2)
    assert counts == sorted(counts) and {1, 2} <= set(counts) <= {0, 1, 2}


@every_metric
@both_ways
def test_empty_texts_have_stated_scores(scored: Scored, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    expected = EXPECTED[metric.spec.base]
    items = [Item("", ("some words",)), Item("", ("",)), Item("some words", ("",))]
    corpus = Corpus.from_references([("some words",), ("",)])
    empty, both, against_empty = scored(variant, items, corpus, multi_ref)
    assert math.isfinite(empty) and math.isfinite(both)
    assert expected.empty_candidate in (None, empty)
    assert expected.both_empty in (None, both)
    if expected.empty_candidate is None:
        return
    # Nothing is right about words where none were wanted.
    assert against_empty == pytest.approx(0.0 if metric.higher_is_better else 100.0, abs=1e-6)


@every_metric
@both_ways
def test_scores_lie_in_the_stated_range(scored: Scored, variant: str, multi_ref: str) -> None:
    metric = metric_named(variant, multi_ref)
    low, high = metric.range
    for score in scored(variant, ITEMS, CORPUS, multi_ref):
        assert math.isfinite(score)
        assert low - 1e-6 <= score <= high + 1e-6  # a network's cosine is rounded to single floats


@every_metric
def test_nothing_scores_better_than_the_reference_itself(scored: Scored, variant: str) -> None:
    metric = metric_named(variant)
    reference = "the old mill by the river burned down"
    others = [reference[:-5], "a mill burned", "quite another thing", reference[::-1], ""]
    items = [Item(text, (reference,)) for text in [reference, *others]]
    corpus = Corpus.from_references([(reference,), ("something else",)])
    same, *different = scored(variant, items, corpus)
    best = max(different) if metric.higher_is_better else min(different)
    if not EXPECTED[metric.spec.base].best_is_itself:
        assert math.isfinite(same)
        return
    assert same > best if metric.higher_is_better else same < best


def test_inputs_are_not_modified(session: Session) -> None:
    metrics = parse_metrics(",".join(VARIANTS))
    items = list(ITEMS)
    before = copy.deepcopy(items)
    session.score_all(metrics, items, CORPUS)
    for metric in metrics:
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


def test_two_metrics_with_one_name_are_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="same name"):
        session.score_all([metric_named("chrf"), metric_named("chrf", "joint")], ITEMS)


def test_signatures_differ_by_metric_options_and_references() -> None:
    metrics = [metric_named(v, way) for v, way in itertools.product(VARIANTS, ("max", "joint"))]
    signatures = [metric.signature(CORPUS) for metric in metrics]
    assert [metric.multi_ref for metric in metrics] == ["max", "joint"] * len(VARIANTS)
    assert len(set(signatures)) == len(metrics)
    for metric, signature in zip(metrics, signatures, strict=True):
        assert signature.startswith(f"{metric.spec.base}|")
        assert f"|refs:{metric.multi_ref}|" in signature
        assert "|version:" in signature


@every_metric
def test_only_signatures_of_set_dependent_metrics_include_the_corpus(variant: str) -> None:
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


def test_another_process_gives_the_same_scores(session: Session, tmp_path: Path) -> None:
    variants = [variant for variant in VARIANTS if variant != "sts"]  # found in this process only
    metrics = parse_metrics(",".join(variants))
    given_file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    items = [replace(item, question="What happened?") for item in ITEMS]
    rows = [
        {
            "id": str(i),
            "question": item.question,
            "candidate": item.candidate,
            "references": item.references,
        }
        for i, item in enumerate(items)
    ]
    given_file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    start = [sys.executable, "-m", "scorers", "score", str(given_file), "--out", str(out)]
    done = subprocess.run(
        [*start, "--metrics", ",".join(variants)],
        env=os.environ | {"OMP_DISPLAY_ENV": "true"},
        check=True,
        capture_output=True,
        text=True,
    )
    # PyTorch's threads do not spin while they wait.
    assert re.search(r"OMP_WAIT_POLICY *= *'PASSIVE'", done.stderr)
    expected = session.score_all(metrics, items)
    for i, line in enumerate(out.read_text().splitlines()):
        scores = json.loads(line)["scores"]
        for metric in metrics:
            assert scores[metric.name] == rounded(metric, expected[metric.name][i])
