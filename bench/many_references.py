"""CPU time of metrics on questions with many references, such as TriviaQA's aliases.

    python -m bench.many_references [--candidates 100] [--out SCORES.npz] [--same-as SCORES.npz]

Scores EVOUNA's answers to Natural Questions, whose references are extended to 14 by made-up aliases
of the first: other case and punctuation, articles, parts, longer names. Each metric runs in a
session of its own, its models loaded before. With `--same-as`, prints the largest difference to the
scores of another version.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from bench import judgment_data
from concord.formats import read_judgments
from scorers import Item, Session, parse_metrics

METRICS = ("ava", "lerc", "bertscore", "bleu-1-kpqa", "rouge-l-kpqa", "bertscore-kpqa")
REFERENCES = 14


def aliases(text: str) -> list[str]:
    """Other names of a thing, as encyclopedias redirect them."""
    words = text.split()
    return [
        text.lower(),
        text.upper(),
        f"The {text}",
        f"{text}.",
        text.replace(" ", "-"),
        text.title(),
        words[0],
        words[-1],
        f"{words[-1]}, {' '.join(words[:-1])}",
        f"{text} (disambiguation)",
        f"{text} (film)",
        f"the {text.lower()}",
        f"History of {text}",
        f"{text} family",
    ]


def answers(count: int) -> list[Item]:
    """The first answers, each with REFERENCES different references."""
    rows = read_judgments([judgment_data.path("evouna/NQ.json")], "evouna").candidates[:count]
    items = []
    for row in rows:
        given = row.instance.references
        references = tuple(dict.fromkeys([*given, *aliases(given[0])]))[:REFERENCES]
        items.append(Item(row.text, references, row.instance.question))
    return items


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--out")
    parser.add_argument("--same-as")
    options = parser.parse_args()
    items = answers(options.candidates)
    print(f"{len(items)} answers, {sum(len(item.references) for item in items)} comparisons")
    scores = {}
    for metric in parse_metrics(",".join(METRICS)):
        with Session() as session:
            session.score(metric, [Item("a", ("b",), "c")])
            started = time.process_time()
            scores[metric.name] = session.score(metric, items)
            print(f"{metric.name:20} {time.process_time() - started:7.2f} s", flush=True)
    if options.out:
        np.savez(options.out, **scores)
    if options.same_as:
        for name, before in np.load(options.same_as).items():
            print(f"{name:20} {np.abs(scores[name] - before).max():.1e}")


if __name__ == "__main__":
    main()
