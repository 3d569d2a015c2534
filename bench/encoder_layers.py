"""Which layer of an encoder agrees best with people, for BERTScore and sentence similarity.

    python -m bench.encoder_layers [--encoder NAME ...]

Prints Pearson with people for each layer on MS MARCO and on AVSD (five references): over the
answers to the first half of the questions, on which a layer may be chosen, and in brackets over
the second half.
"""

from __future__ import annotations

import argparse

import numpy as np

from bench.kpqa_tables import SETS, read
from concord.meta.correlation import pearson_rows
from scorers import Session, parse_metrics
from scorers.encoders import DEFAULT, load_encoder

METRICS = ("bertscore", "sentence-similarity")
# The hidden states of all layers of so many items fit into a session's cache.
ITEMS_AT_ONCE = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", action="append", metavar="NAME")
    for encoder in parser.parse_args().encoder or [DEFAULT]:
        layers = load_encoder(encoder).layers
        print(f"{encoder}\n{'layer':>5} {'metric':20} {'MS MARCO':>15} {'AVSD':>15}")
        rows = {name: by_half(encoder, layers, name) for name in ("MS MARCO", "AVSD")}
        for layer in range(layers + 1):
            for metric in METRICS:
                cells = (
                    "{:.3f} ({:.3f})".format(*rows[name][metric, layer])
                    for name in ("MS MARCO", "AVSD")
                )
                print(f"{layer:5} {metric:20} {'  '.join(f'{cell:>14}' for cell in cells)}")


def by_half(encoder: str, layers: int, name: str) -> dict[tuple[str, int], tuple[float, float]]:
    """Pearson in the first and in the second half of the questions, by metric and layer."""
    items, people, later = read(*SETS[name])
    specs = {
        (metric, layer): f"{metric}(model={encoder},layer={layer})"
        for metric in METRICS
        for layer in range(layers + 1)
    }
    metrics = {key: parse_metrics(spec)[0] for key, spec in specs.items()}
    session = Session()
    parts = [
        session.score_all(list(metrics.values()), items[start : start + ITEMS_AT_ONCE])
        for start in range(0, len(items), ITEMS_AT_ONCE)
    ]
    figures = {}
    for key, metric in metrics.items():
        scores = np.concatenate([part[metric.name] for part in parts])
        halves = [float(pearson_rows(scores[rows], people[rows])) for rows in (~later, later)]
        figures[key] = (halves[0], halves[1])
    return figures


if __name__ == "__main__":
    main()
