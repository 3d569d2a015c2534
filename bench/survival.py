"""The effect of optimising a reranker against a metric, for a file of judgments.

    python -m bench.survival FORMAT:FILE [--metrics "token-f1,bleu-1,rouge-l"] [--gold 0.5]
        [--rule f1|p1] [--references N] [--seed 20] [--draws 1000] [--device auto]

Prints the figures of the page *Correctness* of a set (`concord.meta.correctness.optimisation`). For
each metric they are the shares of correct picks, by the metric and by people: of random picks, of a
linear reranker fitted to the metric, of the metric's own picks, and of a reranker fitted to people;
and how much optimising increases the gap between the two. A fifth of the passages, drawn by the
seed, is for tuning thresholds and fitting rerankers; the others are reported. `--gold` is the
lowest score of a correct answer, by default the middle of the scores in the file. In an answer
selection file (trecqa, wikiqa, tsv), the correct sentences of a question are references of each
other, and questions with fewer than two correct sentences are excluded.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from concord.formats import JUDGMENT_FORMATS, ReadOptions, read_judgments
from concord.inference import Estimate
from concord.meta import correctness
from concord.meta.correctness import Picks, Survival
from concord.meta.inference import ScoredSample
from scorers import Corpus, Item, Session, parse_metrics
from scorers.datasets.selection import FORMATS as SELECTION_FORMATS
from scorers.datasets.selection import read_questions

HEADS = ("metric", "added to the gap", "random: metric", "people", "fitted: metric", "people",
         "own pick: metric", "people", "fitted to people: people")  # fmt: skip


Row = tuple[Item, float, str, str]


def read(path: Path, format_: str, references: int | None) -> list[Row]:
    """Judged candidates as (item, gold, question's key, passage)."""
    if format_ in SELECTION_FORMATS:
        return list(selection(path, format_))
    options = ReadOptions(references=references)
    return [
        (Item(one.text, tuple(one.instance.references), one.instance.question), one.score,
         one.instance.key, one.instance.passage or one.instance.key)
        for one in read_judgments([path], format_, options).candidates
        if one.score is not None
    ]  # fmt: skip


def selection(path: Path, format_: str) -> Iterator[Row]:
    """The sentences of questions with two correct ones or more, each with the other correct ones as
    its references; gold 1 or 0."""
    for one in read_questions(path, format_):
        if len(one.correct) < 2:
            continue
        for texts, gold in ((one.correct, 1.0), (one.wrong, 0.0)):
            for text in texts:
                others = tuple(other for other in one.correct if other != text)
                yield Item(text, others, one.question), gold, one.question, one.question


def table(parsed: argparse.Namespace) -> str:
    """The figures as Markdown, the smallest added gap first."""
    format_, _, path = parsed.file.partition(":")
    rows = read(Path(path), format_, parsed.references)
    items = [row[0] for row in rows]
    metrics = parse_metrics(parsed.metrics)
    with Session(parsed.device) as session:
        scores = session.score_all(
            metrics, items, Corpus.from_references(item.references for item in items)
        )
    sample = ScoredSample.from_scores(
        {one.name: scores[one.name] * (1 if one.higher_is_better else -1) for one in metrics},
        [row[1] for row in rows],
        items=[row[2] for row in rows],
        clusters=[row[3] for row in rows],
    )
    threshold = parsed.gold
    if threshold is None:
        threshold = correctness.default_gold_threshold(sample.gold)
    right = correctness.gold_verdicts(sample.gold, threshold)
    parts = correctness.divide_by_passage(sample.clusters, np.random.default_rng(parsed.seed))
    features = correctness.candidate_features(
        [item.question for item in items], [item.candidate for item in items]
    )
    result = correctness.optimisation_test(
        sample, right, features, parts,
        correctness.tune_thresholds(sample, right, parts.tuning, parsed.rule),
        rng=np.random.default_rng(parsed.seed), draws=parsed.draws,
    )  # fmt: skip
    lines = [
        f"{result.tuned} questions fit rerankers, {result.instances} are reported. Correct for "
        f"people: random picks {_share(result.chance)}, a reranker that sees all metrics and is "
        f"fitted to people {_share(result.labels)}, questions with a correct candidate "
        f"{_share(result.best)}.",
        "",
        f"| {' | '.join(HEADS)} |",
        "|---" * len(HEADS) + "|",
    ]
    by_metric = sorted(
        zip(sample.metrics, result.metrics, strict=True),
        key=lambda row: (row[1].added.value is None, abs(row[1].added.value or 0.0)),
    )
    return "\n".join([*lines, *(_row(name, one) for name, one in by_metric)])


def _row(name: str, survival: Survival) -> str:
    ends = (
        ""
        if survival.added.ci is None
        else f" ({survival.added.ci[0]:.3f} to {survival.added.ci[1]:.3f})"
    )
    value = survival.added.value
    added = survival.added.reason if value is None else f"{value:.3f}{ends}"
    cells = [
        cell for picks in (survival.random, survival.fitted, survival.own) for cell in _cells(picks)
    ]
    return f"| {' | '.join((name, added, *cells, _share(survival.labels)))} |"


def _cells(picks: Picks) -> tuple[str, str]:
    return _share(picks.metric), _share(picks.people)


def _share(figure: Estimate) -> str:
    return "undefined" if figure.value is None else f"{figure.value:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    option = parser.add_argument
    formats = (*JUDGMENT_FORMATS, *SELECTION_FORMATS)
    option("file", metavar="FORMAT:FILE", help=", ".join(formats))
    option("--metrics", default="token-f1,bleu-1,rouge-l")
    option("--gold", type=float, default=None)
    option("--rule", choices=correctness.RULES, default="f1")
    option("--references", type=int, default=None)
    option("--seed", type=int, default=20)
    option("--draws", type=int, default=1000)
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parsed = parser.parse_args(arguments)
    if parsed.file.partition(":")[0] not in formats:
        parser.error(f"{parsed.file}: must be FORMAT:FILE, the format one of {', '.join(formats)}")
    print(table(parsed))


if __name__ == "__main__":
    main()
