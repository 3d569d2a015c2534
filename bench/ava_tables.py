"""AVA's Table 4 on answer selection sets, and its Tables 5 to 7 on any systems' answers.

    python -m bench.ava_tables configurations --train FORMAT:FILE --dev FORMAT:FILE
        --test FORMAT:FILE --work DIR [--questions 80] [--most 4] [--seeds 1,2,3] [--epochs 1]
        [--batch-size 32] [--learning-rate 1e-3] [--lora-rank 16] [--max-tokens 64] [--only A1,A2]
        [--out TABLE.md]
    python -m bench.ava_tables systems FORMAT:FILE --checkpoint NAME [--dev FORMAT:FILE]
        [--threshold T] [--questions paper|all|mixed]

"configurations" trains every design of Table 4 on pairs of sentences (Section 4.2): `--questions`
questions are drawn, with at most `--most` positive and negative pairs of each. It prints F1 and AUC
on the test pairs, with thresholds tuned on dev. Trainings that are in `--work` are not repeated.
The table is rewritten after each training.

"systems" reads a file of judgments with each system's candidates to a question in ranked order. For
each system it prints P@1, MAP and MRR by people and by AVA's verdicts (Table 7), with their RMSE
and Kendall's tau over systems (Table 5). If each system gives one answer to a question, it prints
P@1 only (Table 6). The questions are those of each table (`counted_judgments`), or of
`--questions`. With `--dev`, the threshold is the one with the lowest RMSE of P@1 on these judgments
(section 6.4), and the table is printed for dev too. Otherwise it is `--threshold` or the
checkpoint's own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from concord.inference import Estimate
from concord.meta.correctness import system_wise, tune_thresholds
from concord.meta.inference import ScoredSample
from scorers import Item, Session, parse_metrics
from scorers.ava.metrics import PAIRS, Ava, AvaForm
from scorers.ava.training import Construction, make_pairs, train_ava
from scorers.datasets.judgments import Judgment, read_judgments
from scorers.datasets.selection import read_questions
from scorers.encoders import DEFAULT
from scorers.errors import TrainingError
from scorers.learned.evaluation import verdict_figures
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles
from scorers.learned.trials import TrainingRun

#: Table 4's rows: a design and its pairs; None is the linear classifier.
CONFIGURATIONS: dict[str, tuple[str, tuple[str, ...]] | None] = {
    "Linear classifier": None,
    "A0 (q, r)": ("A0", ("q-r",)),
    "A0 (r, t)": ("A0", ("r-t",)),
    "A0 (q, t)": ("A0", ("q-t",)),
    "A0 (P0)": ("A0", tuple(PAIRS["A0"])),
    "A1 (q, r∘t)": ("A1", ("q-rt",)),
    "A1 (r, q∘t)": ("A1", ("r-qt",)),
    "A1 (t, q∘r)": ("A1", ("t-qr",)),
    "A1 (q, r∘t), (t, q∘r)": ("A1", ("q-rt", "t-qr")),
    "A1 (r, q∘t), (t, q∘r)": ("A1", ("r-qt", "t-qr")),
    "A1 (r, q∘t), (q, r∘t)": ("A1", ("r-qt", "q-rt")),
    "A1 (P1)": ("A1", tuple(PAIRS["A1"])),
    "A2 (r, q∘t), (t, q∘r)": ("A2", ("r-qt", "t-qr")),
}

#: A judgment's answer is correct for people from above this gold share on.
CORRECT_ABOVE = 0.5


@dataclass(frozen=True)
class Trial:
    """One configuration and seed on the test pairs."""

    f1: float
    auc: float


def configurations(parsed: argparse.Namespace) -> None:
    """Table 4."""
    work: Path = parsed.work
    work.mkdir(parents=True, exist_ok=True)
    files, tests = {}, []
    for split in ("train", "dev", "test"):
        format_, _, path = getattr(parsed, split).partition(":")
        made = _pairs(Path(path), format_, parsed.questions, parsed.most)
        files[split] = _write_judgments(made, work / f"{split}.jsonl")
        if split == "test":
            tests = made
        print(f"{split}: {len(made)} pairs, {sum(one.gold for one in made):.0f} positive")
    trials: dict[str, dict[int, Trial]] = {}
    only = parsed.only.split(",") if parsed.only else []
    for seed in (int(seed) for seed in parsed.seeds.split(",")):
        for name, shape in CONFIGURATIONS.items():
            if only and not any(name.startswith(prefix) for prefix in only):
                continue
            trial = _trial(parsed, files, tests, name, shape, seed)
            trials.setdefault(name, {})[seed] = trial
            print(f"{name}, seed {seed}: F1 {trial.f1:.4f}, AUC {trial.auc:.4f}", flush=True)
            if parsed.out:
                parsed.out.write_text(table(trials) + "\n", encoding="utf-8")
    print(table(trials))


def table(trials_by_name: dict[str, dict[int, Trial]]) -> str:
    """Every seed's F1, their mean with the standard deviation, and the same of AUC."""
    seeds = sorted({seed for trials in trials_by_name.values() for seed in trials})
    heads = [f"F1, seed {seed}" for seed in seeds]
    lines = [
        f"| configuration | {' | '.join(heads)} | F1 | AUC |",
        "|---" * (len(heads) + 3) + "|",
    ]
    for name, trials in trials_by_name.items():
        cells = [f"{trials[seed].f1:.3f}" if seed in trials else "" for seed in seeds]
        cells += [
            _spread([t.f1 for t in trials.values()]),
            _spread([t.auc for t in trials.values()]),
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def systems(parsed: argparse.Namespace) -> None:
    """Tables 5 to 7."""
    (metric,) = parse_metrics(f"ava(checkpoint={parsed.checkpoint})", "joint")
    threshold = parsed.threshold
    if threshold is None and isinstance(metric, Ava):
        threshold = metric.threshold
    with Session() as session:
        if parsed.dev:
            dev = _counted(session, metric, parsed.dev, parsed.questions)
            threshold = tune_threshold(dev)
            print(f"Dev. Threshold {threshold:.4f}, tuned on it: the least RMSE of P@1.\n")
            print(f"{system_table(dev, threshold)}\n\nTest.\n")
        test = _counted(session, metric, parsed.file, parsed.questions)
        print(system_table(test, threshold))


def _counted(session: Session, metric: Any, file: str, questions: str) -> ScoredSample:
    """The judgments of a file that count, scored; says how many questions they are."""
    format_, _, path = file.partition(":")
    every = read_judgments(Path(path), format_)
    judgments = counted_judgments(every, questions)
    counted_questions, all_questions = (
        len({one.group for one in some}) for some in (judgments, every)
    )
    print(f"{counted_questions} of {all_questions} questions of {Path(path).name} count.\n")
    return make_sample(judgments, session.score(metric, [one.item for one in judgments]))


def make_sample(judgments: Sequence[Judgment], scores: Any) -> ScoredSample:
    """Judgments, in ranked order within a system and question, with AVA's scores, (n,)."""
    return ScoredSample.from_scores(
        {"ava": np.asarray(scores, dtype=np.float64)},
        [one.gold for one in judgments],
        items=[one.group for one in judgments],
        systems=[one.system for one in judgments],
    )


def counted_judgments(judgments: Sequence[Judgment], questions: str = "paper") -> list[Judgment]:
    """The judgments of the questions that count in the paper's tables.

    "paper": where systems rank several candidates (Tables 5 and 7), questions with at least two
    different correct candidates and a wrong one. Section 6.4 says that questions without a correct
    or a wrong answer were removed; of TREC-QA that leaves 65 on dev and 68 on test, while the
    printed P@1 are multiples of 1/46 and 1/52, which are the questions with two correct answers or
    more: a correct candidate then has a reference other than itself. Where each system gives one
    answer to a question (Table 6), all count. "mixed" asks for one correct and one wrong candidate,
    "all" for nothing.
    """
    single = len({(one.system, one.group) for one in judgments}) == len(judgments)
    if questions == "all" or (questions == "paper" and single):
        return list(judgments)
    correct: dict[str, set[str]] = {}
    wrong: dict[str, set[str]] = {}
    for one in judgments:
        texts = correct if one.gold > CORRECT_ABOVE else wrong
        texts.setdefault(one.group, set()).add(one.candidate)
    least = 2 if questions == "paper" else 1
    return [
        one for one in judgments if len(correct.get(one.group, ())) >= least and one.group in wrong
    ]


def tune_threshold(dev: ScoredSample) -> float:
    """The threshold of least RMSE of P@1 over the systems of dev judgments (section 6.4).

    Raises ValueError where none can be tuned.
    """
    every = np.ones(dev.n, dtype=bool)
    (threshold,) = tune_thresholds(dev, dev.gold > CORRECT_ABOVE, every, "p1")
    if threshold.value is None:
        raise ValueError(f"no threshold can be tuned: {threshold.reason}")
    return threshold.value


def system_table(sample: ScoredSample, threshold: float) -> str:
    """Each system by people (gold above one half) and by AVA, with RMSE and tau; P@1 alone where
    every system gives one answer to a question."""
    result = system_wise(sample, sample.gold > CORRECT_ABOVE, [Estimate(threshold)])
    ava = result.metrics[0]
    lines = [f"| | {' | '.join(result.systems)} | RMSE ± sigma | tau | p |",
             "|---" * (len(result.systems) + 4) + "|"]  # fmt: skip
    for measure in result.measures:
        title = {"p1": "P@1", "map": "MAP", "mrr": "MRR"}[measure]
        lines.append(f"| {title}, people | {_cells(result.people[measure])} | | | |")
        if ava.reason:
            lines.append(f"| {title}, AVA | {ava.reason} |")
            continue
        errors = ava.errors[measure]
        sigma = "" if errors.sigma is None else f" ± {errors.sigma:.3f}"
        lines.append(
            f"| {title}, AVA | {_cells(ava.values[measure])} | {_figure(errors.rmse.value)}{sigma} "
            f"| {_figure(errors.kendall.value)} | {_figure(errors.kendall.p)} |"
        )
    return "\n".join(lines)


def _trial(
    parsed: argparse.Namespace,
    files: dict[str, Path],
    tests: Sequence[Judgment],
    name: str,
    shape: tuple[str, tuple[str, ...]] | None,
    seed: int,
) -> Trial:
    letters = "".join(c if c.isalnum() else "-" for c in name)
    out = parsed.work / f"{letters}-seed-{seed}"
    settings = TrainingSettings(
        epochs=parsed.epochs, batch_size=parsed.batch_size, max_tokens=parsed.max_tokens,
        lora_rank=parsed.lora_rank, precision=parsed.precision, best_by="f1",
    )  # fmt: skip
    if not (out / "card.json").exists():
        form = None
        if shape is not None:
            form = AvaForm(shape[0], shape[1], shared=parsed.shared)  # type: ignore[arg-type]
        train_ava(
            TrainingFiles([(files["train"], "concord")], [(files["dev"], "concord")]),
            TrainingRun(
                out, settings, (parsed.learning_rate,), (seed,), parsed.encoder, parsed.device
            ),
            form,
        )
    (metric,) = parse_metrics(f"ava(checkpoint={out})", "joint")
    if not isinstance(metric, Ava):
        raise TrainingError(f"{out} holds no AVA")
    items = [Item(one.candidate, one.references, one.question) for one in tests]
    with Session(parsed.device) as session:
        scores = session.score(metric, items)
    figures = verdict_figures(scores, np.array([one.gold > 0.5 for one in tests]), metric.threshold)
    return Trial(figures["f1"], figures["auc"])


def _pairs(path: Path, format_: str, questions: int, most: int) -> list[Judgment]:
    """Pairs of a draw of the questions that have any; the same draw every time."""
    construction = Construction(most=most)
    made = [make_pairs(one, construction) for one in read_questions(path, format_)]
    usable = [pairs for pairs in made if {one.gold for one in pairs} == {0.0, 1.0}]
    indices = np.sort(np.random.default_rng(1).permutation(len(usable))[:questions])
    return [pair for index in indices.tolist() for pair in usable[index]]


def _write_judgments(judgments: Sequence[Judgment], path: Path) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number, one in enumerate(judgments):
            row = {"id": str(number), "question": one.question,
                   "references": list(one.references), "candidate": one.candidate,
                   "scale": [0, 1], "score": one.gold}  # fmt: skip
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _spread(values: Sequence[float]) -> str:
    mean = f"{np.mean(values):.3f}"
    return f"{mean} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else mean


def _cells(values: Any) -> str:
    return " | ".join(_figure(float(value)) for value in values)


def _figure(value: float | None) -> str:
    return "undefined" if value is None or value != value else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("configurations")
    option = first.add_argument
    for split in ("train", "dev", "test"):
        option(f"--{split}", required=True, metavar="FORMAT:FILE")
    option("--work", type=Path, required=True)
    option("--questions", type=int, default=80)
    option("--most", type=int, default=4)
    option("--seeds", default="1,2,3")
    option("--epochs", type=int, default=1)
    option("--batch-size", type=int, default=32)
    option("--learning-rate", type=float, default=1e-3)
    option("--lora-rank", type=int, default=16)
    option("--max-tokens", type=int, default=64)
    option("--precision", choices=("float32", "bf16"), default="float32")
    option("--encoder", default=DEFAULT)
    option("--shared", action="store_true", help="one encoder for all")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    option("--only", default="", help="configurations whose names begin so")
    option("--out", type=Path, default=None)
    first.set_defaults(run=configurations)
    second = commands.add_parser("systems")
    second.add_argument("file", metavar="FORMAT:FILE")
    second.add_argument("--checkpoint", default="ava")
    how = second.add_mutually_exclusive_group()
    how.add_argument("--dev", default="", metavar="FORMAT:FILE", help="tunes the threshold")
    how.add_argument("--threshold", type=float, default=None)
    second.add_argument("--questions", choices=("paper", "all", "mixed"), default="paper")
    second.set_defaults(run=systems)
    parsed = parser.parse_args(arguments)
    parsed.run(parsed)


if __name__ == "__main__":
    main()
