"""Training AVA's networks and its linear classifier, and its constructed pairs in a file.

Training examples are made from answer sentence selection sets (Section 4.2) and judgments.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import permutations, product
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from scorers.ava.metrics import AVA, LINEAR, AvaForm, fit_linear, similarities
from scorers.datasets.judgments import Judgment, read_judgments
from scorers.datasets.selection import FORMATS as SELECTION_FORMATS
from scorers.datasets.selection import SelectionQuestion, read_questions
from scorers.errors import FileError, TrainingError
from scorers.learned.card import CheckpointCard
from scorers.learned.evaluation import dev_figures
from scorers.learned.examples import References, examples_from_judgments
from scorers.learned.model import Head
from scorers.learned.rows import Combine
from scorers.learned.training import (
    Data,
    TrainingFiles,
    TrainingPlan,
    TrainingRecipe,
    read_data,
    train_on_judgments,
)
from scorers.learned.training_items import training_record
from scorers.learned.trials import CardEntries, TrainedWeights, TrainingRun, write_checkpoint


@dataclass(frozen=True, slots=True)
class Construction:
    """How examples are made.

    most: the maximum number of positives, and of negatives, for a question, drawn by `seed`; None
    for all. correct_from: the share of the scale from which a judged answer counts as correct.
    """

    most: int | None = None
    correct_from: float = 0.5
    seed: int = 1

    def __post_init__(self) -> None:
        if self.most is not None and self.most < 1:
            raise ValueError(f"the maximum number of pairs must be above 0, not {self.most}")
        if not 0 < self.correct_from <= 1:
            raise ValueError(f"correct_from must be above 0 and at most 1, not {self.correct_from}")


def make_pairs(question: SelectionQuestion, construction: Construction) -> list[Judgment]:
    """The examples of a question; none if it has fewer than two correct answers.

    Positives are all ordered pairs of two different correct answers. Negatives have a correct
    answer as reference and a wrong one as candidate. The draw depends on the question and the seed
    alone.
    """
    if len(question.correct) < 2:
        return []
    key = f"{construction.seed}\n{question.question}".encode("utf-8", "surrogatepass")
    rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest()))
    positives = _draw_pairs(list(permutations(question.correct, 2)), construction.most, rng)
    negatives = _draw_pairs(list(product(question.correct, question.wrong)), construction.most, rng)
    return [
        Judgment(
            id="",
            question=question.question,
            references=(reference,),
            candidate=candidate,
            gold=gold,
            group=question.question,
        )
        for pairs, gold in ((positives, 1.0), (negatives, 0.0))
        for reference, candidate in pairs
    ]


def binarise_gold(judgments: Sequence[Judgment], correct_from: float) -> list[Judgment]:
    """Judgments with binary gold scores: 1 from `correct_from` on, otherwise 0."""
    return [replace(judgment, gold=float(judgment.gold >= correct_from)) for judgment in judgments]


def read_examples(construction: Construction, path: Path, format_: str) -> list[Judgment]:
    """The examples in a file of any training format of AVA. Raises FileError as the readers do."""
    if format_ in SELECTION_FORMATS:
        questions = read_questions(path, format_)
        return [pair for question in questions for pair in make_pairs(question, construction)]
    return binarise_gold(read_judgments(path, format_), construction.correct_from)


def _draw_pairs(
    pairs: list[tuple[str, str]], limit: int | None, rng: np.random.Generator
) -> list[tuple[str, str]]:
    if limit is None or len(pairs) <= limit:
        return pairs
    return [pairs[index] for index in np.sort(rng.permutation(len(pairs))[:limit])]


def train_ava(
    files: TrainingFiles,
    run: TrainingRun,
    form: AvaForm | None,
    *,
    construction: Construction | None = None,
    head: Head | None = None,
    recipe: TrainingRecipe | None = None,
    combine: Combine = "mean",
) -> CheckpointCard:
    """Train AVA on files of judgments or of answer selection sets.

    `form` None trains the linear classifier. `combine` is how the probabilities by several
    references become one: "mean" as in the paper, or "max" for references that are paraphrases. The
    card's figure "dev threshold" is the threshold with the best F1 on the dev examples. Raises
    FileError, EncoderError, CheckpointError or TrainingError.
    """
    recipe = recipe or TrainingRecipe()
    construction = construction or Construction()
    data = read_data(files, recipe, partial(read_examples, construction))
    more_options = {"construction": asdict(construction)}
    if form is None:
        options = {"design": LINEAR, "combine": combine, "features": [], **more_options}
        return _train_linear(data, run, {**options, "recipe": recipe.options()}, recipe.references)
    plan = TrainingPlan(
        kind=AVA,
        form=form,
        head=head or Head(),
        loss="logistic",
        combine=combine,
        rating=False,
        recipe=recipe,
        more_options=more_options,
    )
    return train_on_judgments(plan, data, run)


def _train_linear(
    data: Data, run: TrainingRun, options: dict[str, Any], references: References
) -> CheckpointCard:
    import torch

    train = examples_from_judgments(data.train, references)
    dev = examples_from_judgments(data.dev)
    seed = run.seeds[0] if run.seeds else run.settings.seed
    classifier = fit_linear(similarities(train.rows), train.gold > 0.5, seed)
    figures = dev_figures(classifier.scores(dev.rows, dev.features), dev, options["combine"])
    if "f1" not in figures:
        raise TrainingError(
            "the dev answers are all correct or all wrong: give dev data with both kinds"
        )
    entries = CardEntries(
        AVA,
        options,
        data.sources,
        len(train),
        len(dev),
        lambda: training_record((*data.train, *data.dev), run.out),
    )
    trained = TrainedWeights(
        {LINEAR: torch.from_numpy(classifier.values())},
        settings={"seed": seed},
        figures={f"dev {name}": value for name, value in figures.items()},
        packages=("scikit-learn", "torch"),
    )
    return write_checkpoint(replace(run, half=False), entries, trained)


#: The column heads of Table 2, in the order of the fields of TrainingPairCounts.
TABLE_COLUMNS = ("#Qs", "#As", "#wrong-As", "#Qs, multiple As", "#As", "#wrong-As",
         "positives", "negatives", "total")  # fmt: skip


@dataclass
class TrainingPairCounts:
    """A row of AVA's Table 2.

    It counts the questions, correct and wrong answers of the whole set, the same of the questions
    with at least two correct answers, and the pairs made from the latter.
    """

    questions: int = 0
    correct: int = 0
    wrong: int = 0
    multiple_questions: int = 0
    multiple_correct: int = 0
    multiple_wrong: int = 0
    positives: int = 0
    negatives: int = 0

    def add(self, question: SelectionQuestion, positives: int, negatives: int) -> None:
        """Count a question and its pairs."""
        self.questions += 1
        self.correct += len(question.correct)
        self.wrong += len(question.wrong)
        if len(question.correct) >= 2:
            self.multiple_questions += 1
            self.multiple_correct += len(question.correct)
            self.multiple_wrong += len(question.wrong)
        self.positives += positives
        self.negatives += negatives

    def cells(self) -> list[int]:
        """The counts as a row of Table 2, with the sum of pairs last."""
        return [
            *(getattr(self, field.name) for field in fields(self)),
            self.positives + self.negatives,
        ]


def write_pairs(
    out: Path, files: Iterable[tuple[str, Path, str]], construction: Construction
) -> dict[str, TrainingPairCounts]:
    """Write the pairs of files of (split, path, format) as concord-judgments.

    Returns the counts of each split. The score is 1 for a positive and 0 for a negative pair. Lines
    have no instance: the pairs of a question have several references, so an import makes an
    instance of each question and reference, and a training groups by question. `out` is replaced
    only after all files were read. Raises FileError for an invalid file.
    """
    counts: dict[str, TrainingPairCounts] = {}
    partial = out.with_name(f".{out.name}.part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            for split, path, format_ in files:
                split_counts = counts.setdefault(split, TrainingPairCounts())
                for question in read_questions(path, format_):
                    _write(file, split, question, construction, split_counts)
        os.replace(partial, out)
    except OSError as error:
        raise FileError(f"{out}: cannot be written: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return counts


def _write(
    file: TextIO,
    split: str,
    question: SelectionQuestion,
    construction: Construction,
    counts: TrainingPairCounts,
) -> None:
    pairs = make_pairs(question, construction)
    first = counts.positives + counts.negatives
    for number, pair in enumerate(pairs, start=first):
        row = {
            "id": f"{split}-{number}",
            "split": split,
            "question": pair.question,
            "references": list(pair.references),
            "candidate": pair.candidate,
            "scale": [0, 1],
            "score": int(pair.gold),
        }
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    positives = sum(pair.gold == 1 for pair in pairs)
    counts.add(question, positives, len(pairs) - positives)


def counts_table(counts: dict[str, TrainingPairCounts]) -> str:
    """Table 2 as Markdown, with a row for each split."""
    lines = [f"| split | {' | '.join(TABLE_COLUMNS)} |", "|---" * (len(TABLE_COLUMNS) + 1) + "|"]
    for split, row in counts.items():
        lines.append(f"| {split} | {' | '.join(f'{value:,}' for value in row.cells())} |")
    return "\n".join(lines)
