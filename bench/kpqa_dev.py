"""Figures of keyphrase predictors on the dev examples of a training, with and without a threshold.

    python -m bench.kpqa_dev --data qamr:dev.tsv --data qamr:test.tsv [--seed 1] PREDICTOR ...

F1 uses the wordpieces with a weight above one half. A predictor without the question has hardly
any, because the words of the answer depend on the question. Average precision (the area under the
precision-recall curve) and the best F1 of any threshold show how well it ranks the wordpieces.
`random` is the share of marked wordpieces: the average precision of a random order.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from concord.meta.correctness import (
    FIGURES,
    average_precision,
    count_confusion,
    metric_verdicts,
    threshold_steps,
    tune_by_f1,
)
from scorers.keyphrases.examples import KeyphraseExample
from scorers.keyphrases.predictor import KeyphrasePredictor
from scorers.keyphrases.training import (
    KeyphraseRecipe,
    draw_examples,
    label_wordpieces,
    read_examples,
)
from scorers.learned.checkpoint import checkpoint_folder


def weights_and_marks(
    predictor: KeyphrasePredictor, examples: list[KeyphraseExample]
) -> tuple[np.ndarray, np.ndarray]:
    """Every wordpiece's weight, and whether more than half of the annotators marked it."""
    pairs = [(example.question, example.text) for example in examples]
    rows = label_wordpieces(
        predictor.tokeniser,
        examples,
        uses_question=predictor.uses_question,
        max_tokens=predictor.max_tokens,
    )
    weights = np.concatenate([found.weights for found in predictor.keyphrases(pairs)])
    return weights, np.concatenate([labels for _, labels in rows]) > 0.5


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", action="append", required=True, metavar="FORMAT:FILE")
    parser.add_argument("--seed", type=int, default=1, help="of the training")
    parser.add_argument("predictors", nargs="+", metavar="PREDICTOR")
    parsed = parser.parse_args()
    files = [(Path(path), form) for form, _, path in (d.partition(":") for d in parsed.data)]
    _, dev = draw_examples(read_examples(files)[0], KeyphraseRecipe(), parsed.seed)
    print("| predictor | F1 | best F1 | average precision | random |")
    print("|---|---|---|---|---|")
    for name in parsed.predictors:
        predictor = KeyphrasePredictor(checkpoint_folder(name))
        weights, marked = weights_and_marks(predictor, dev)
        verdicts = (weights > 0.5, metric_verdicts(weights, tune_by_f1(weights, marked)))
        f1, best_f1 = (
            float(FIGURES["f1"](count_confusion(one, marked).counts)) for one in verdicts
        )
        precision = average_precision(threshold_steps(weights, marked))
        print(
            f"| {name} | {f1:.3f} | {best_f1:.3f} | {precision:.3f} | {marked.mean():.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
