"""The KPQA family's correlations with people, for the README and the cards.

    python -m bench.kpqa_tables [--also NAME=FOLDER ...] [--seeds FOLDER ...]
        [--options NAME=VALUE[,NAME=VALUE...] ...]

For MS MARCO, AVSD (five references) and the multi-sentence answers, prints Pearson / Spearman over
all answers, and over the answers to the second half of the questions, on which no setting was
chosen. `--also` adds other predictors, `--options` the -kpqa metrics with options, and `--seeds`
the mean and standard deviation over several predictors.
"""

from __future__ import annotations

import argparse

import numpy as np

from bench import judgment_data
from concord.formats import ReadOptions, read_judgments
from concord.meta import pearson, spearman
from scorers import Item, Session, parse_metrics

SETS = {"MS MARCO": ("marco_all", 1), "AVSD": ("avsd_all", 5), "multi": ("marcomulti_unilm", 1)}
PLAIN = ("bleu-1", "rouge-l", "bertscore")

Figures = dict[str, tuple[float, float, float, float]]


def read(name: str, references: int) -> tuple[list[Item], np.ndarray, np.ndarray]:
    """Items, people's scores, and which belong to the second half of the distinct questions."""
    path = judgment_data.path(f"kpqa/{name}.csv")
    rows = read_judgments([path], "kpqa", ReadOptions(references=references)).candidates
    questions = {q: i for i, q in enumerate(dict.fromkeys(row.instance.question for row in rows))}
    items = [Item(row.text, row.instance.references, row.instance.question) for row in rows]
    people = np.array([row.score for row in rows], dtype=np.float64)
    later = [questions[row.instance.question] >= len(questions) / 2 for row in rows]
    return items, people, np.array(later)


def figures(session: Session, metrics: str, name: str) -> Figures:
    """Pearson and Spearman over all answers, then over the second half, by metric."""
    items, people, later = read(*SETS[name])
    by_metric: Figures = {}
    for metric, scores in session.score_all(parse_metrics(metrics), items).items():
        row: list[float] = []
        for rows in (np.ones(len(people), dtype=bool), later):
            for coefficient in (pearson, spearman):
                value = coefficient(scores[rows], people[rows]).value
                row.append(float("nan") if value is None else value)
        by_metric[metric] = (row[0], row[1], row[2], row[3])
    return by_metric


def format_row(row: tuple[float, float, float, float], name: str) -> str:
    if name == "multi":
        return f"{row[0]:.3f} / {row[1]:.3f}"
    return f"{row[0]:.3f} / {row[1]:.3f} ({row[2]:.3f} / {row[3]:.3f})"


def table(session: Session, rows: dict[str, str]) -> None:
    print(f"| | {' | '.join(SETS)} |")
    print("|---|" + "---|" * len(SETS))
    for title, metric in rows.items():
        cells = []
        for name in SETS:
            (metric_figures,) = figures(session, metric, name).values()
            cells.append(format_row(metric_figures, name))
        print(f"| {title} | {' | '.join(cells)} |", flush=True)


def seeds_table(session: Session, folders: list[str]) -> None:
    print(f"| mean and standard deviation of Pearson's r over {len(folders)} seeds | | | |")
    for base in ("bleu-1-kpqa", "rouge-l-kpqa", "bertscore-kpqa"):
        cells = []
        for name in SETS:
            values = [
                next(iter(figures(session, f"{base}(predictor={folder})", name).values()))[0]
                for folder in folders
            ]
            cells.append(f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}")
        print(f"| {base} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--also", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--options", action="append", default=[], metavar="NAME=VALUE[,...]")
    parser.add_argument("--seeds", nargs="*", default=[])
    parser.add_argument("--layers", action="store_true", help="the encoder's layers as well")
    parsed = parser.parse_args()
    rows = {name: name for name in PLAIN}
    rows["bertscore, idf"] = "bertscore(idf=true)"
    for suffix in ("kp", "kpqa"):
        rows |= {f"{name}-{suffix}": f"{name}-{suffix}" for name in PLAIN}
    for entry in parsed.also:
        title, _, folder = entry.partition("=")
        rows |= {f"{name}-kpqa, {title}": f"{name}-kpqa(predictor={folder})" for name in PLAIN}
    for options in parsed.options:
        rows |= {f"{name}-kpqa, {options}": f"{name}-kpqa({options})" for name in PLAIN}
    if parsed.layers:
        for layer in range(7):
            rows[f"bertscore, layer {layer}"] = f"bertscore(layer={layer})"
            rows[f"bertscore-kpqa, layer {layer}"] = f"bertscore-kpqa(layer={layer})"
    with Session() as session:
        table(session, rows)
        if parsed.seeds:
            seeds_table(session, parsed.seeds)


if __name__ == "__main__":
    main()
