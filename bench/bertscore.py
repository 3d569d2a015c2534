"""Times of BERTScore in Concord and in the package bert-score, with the same encoder and layer.

    python -m bench.bertscore [--repeat 3]

For each case the programs run in turns, and their median times are compared. "forward" is only the
forward pass over the distinct texts, sorted by length: the lower bound. Runs on a GPU if there is
one.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

import torch  # noqa: TID253
from bert_score import BERTScorer

from bench import judgment_data
from concord.formats import ReadOptions, read_judgments
from scorers import Item, Session, parse_metrics
from scorers.encoders import DEFAULT, load_encoder, locate
from scorers.encoders.batching import TOKENS_PER_BATCH, batches_by_length, pad_batch
from scorers.models import Models

LAYER = 6
CASES = ("short", "long", "several", "again", "bf16", "family")
FAMILY = "bleu-1-kpqa,rouge-l-kpqa,bertscore-kpqa,bleu-1-kp,rouge-l-kp,bertscore-kp"
Contestant = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--case", choices=CASES, action="append", help="only these; may repeat")
    options = parser.parse_args()
    repeat, cases = options.repeat, options.case or CASES
    short = _avsd()
    long = _long(60)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"device: {device}, {torch.get_num_threads()} threads")
    if "short" in cases:
        _compare("short answers, 5 references", repeat, short, "bertscore")
    if "long" in cases:
        _compare("long texts of uneven length", repeat, long, "bertscore")
    if "several" in cases:
        several = "bertscore-p,bertscore-r,bertscore,bertscore(layer=3),sentence-similarity"
        # P, R and F1 are one call of the package, layer 3 and the similarity one each.
        _compare("five metrics on one encoder", repeat, short, several, packages=3)
    if "again" in cases:
        _second_run(repeat, short)
    if "bf16" in cases and not torch.cuda.is_available():
        _compare("bf16 (a signature of its own)", repeat, long, "bertscore(dtype=bf16)")
    if "family" in cases:
        _family(repeat, short[:300])


def _avsd() -> list[Item]:
    path = judgment_data.path("kpqa/avsd_all.csv")
    rows = read_judgments([path], "kpqa", ReadOptions(references=5)).candidates
    return [Item(row.text, row.instance.references, row.instance.question) for row in rows]


def _long(count: int) -> list[Item]:
    rng = random.Random(0)
    words = ["the", "old", "mill", "river", "stands", "near", "town", "salt", "dried", "fish"]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.choice((5, 20, 60, 200, 400))))

    return [Item(text(), (text(),)) for _ in range(count)]


def _compare(title: str, repeat: int, items: list[Item], metrics: str, packages: int = 1) -> None:
    """Compare the times. `packages` is the number of calls of the package for the same figures."""
    scorer = BERTScorer(
        model_type=str(locate(DEFAULT).folder), num_layers=LAYER, idf=False, batch_size=64
    )
    candidates = [item.candidate for item in items]
    references = [list(item.references) for item in items]

    def package() -> None:
        for _ in range(packages):
            scorer.score(candidates, references, batch_size=64)

    def ours() -> None:
        with Session() as session:
            session.services.models._encoders = warm._encoders  # loading is not measured
            session.score_all(parse_metrics(metrics), items)

    key = (DEFAULT, "bf16" if "bf16" in metrics else "float32")
    warm = Models()
    warm.encoder(key)
    forward = _forward(items)
    seconds = _turns(repeat, {"ours": ours, "bert-score": package, "forward": forward})
    concord_s, package_s, forward_s = (seconds[name] for name in ("ours", "bert-score", "forward"))
    print(
        f"{title}: ours {concord_s:.2f} s, bert-score {package_s:.2f} s "
        f"(ratio {package_s / concord_s:.2f}), "
        f"forward {forward_s:.2f} s ({forward_s / concord_s:.2f} of it reached)"
    )


def _second_run(repeat: int, items: list[Item]) -> None:
    """Time new candidates with references whose states are cached."""
    scorer = BERTScorer(
        model_type=str(locate(DEFAULT).folder), num_layers=LAYER, idf=False, batch_size=64
    )
    metrics = parse_metrics("bertscore")
    with Session() as session:
        session.score_all(metrics, items)
        turn = iter(range(1000))

        def fresh() -> list[Item]:
            mark = next(turn)
            return [Item(f"{item.candidate} {mark}", item.references) for item in items]

        def ours() -> None:
            session.score_all(metrics, fresh())

        def package() -> None:
            rows = fresh()
            scorer.score([row.candidate for row in rows], [list(r.references) for r in rows])

        seconds = _turns(repeat, {"ours": ours, "bert-score": package})
    print(
        f"a second run over the same references: ours {seconds['ours']:.2f} s, "
        f"bert-score {seconds['bert-score']:.2f} s "
        f"(ratio {seconds['bert-score'] / seconds['ours']:.2f})"
    )


def _family(repeat: int, items: list[Item]) -> None:
    """The KPQA and KP metrics in one pass, and each in a session of its own, models loaded."""
    one_each = FAMILY.split(",")
    with Session() as loading:
        loading.score_all(parse_metrics(FAMILY), items[:2])
        encoders = loading.services.models._encoders
        networks = loading.services.models._networks

        def scored(metrics: str) -> None:
            with Session() as session:
                session.services.models._encoders = encoders
                session.services.models._networks = networks
                session.score_all(parse_metrics(metrics), items)

        def apart() -> None:
            for metric in one_each:
                scored(metric)

        seconds = _turns(repeat, {"together": lambda: scored(FAMILY), "apart": apart})
    ratio = seconds["apart"] / seconds["together"]
    print(
        f"the KPQA and KP metrics: one pass {seconds['together']:.2f} s, each on its own "
        f"{seconds['apart']:.2f} s (ratio {ratio:.2f})"
    )


def _forward(items: list[Item]) -> Contestant:
    encoder = load_encoder(DEFAULT, "auto")
    texts = list(dict.fromkeys(t for item in items for t in (item.candidate, *item.references)))
    inputs = encoder.tokenise(texts)
    batches = [
        pad_batch([inputs[index] for index in batch], encoder.device, 0)
        for batch in batches_by_length(
            [len(row) for row in inputs], TOKENS_PER_BATCH[encoder.device.type]
        )
    ]

    def run() -> None:
        with torch.inference_mode():
            for batch in batches:
                encoder.model(**batch)
        if encoder.device.type == "cuda":
            torch.cuda.synchronize()

    return run


def _turns(repeat: int, contestants: dict[str, Contestant]) -> dict[str, float]:
    """The median seconds of each, taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeat):
        for name, run in contestants.items():
            started = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(values) for name, values in taken.items()}


if __name__ == "__main__":
    main()
