"""Training AVA's networks and its linear classifier."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version

from scorers.ava.construction import Construction, make_reader
from scorers.ava.form import AvaForm
from scorers.ava.linear import fit_linear, similarities
from scorers.ava.metrics import AVA, LINEAR
from scorers.errors import TrainingError
from scorers.judges.examples import Combine, examples_from_judgments
from scorers.judges.form import Head
from scorers.judges.plan import Data, JudgePlan, TrainingFiles, TrainingRecipe, read_data
from scorers.judges.task import dev_figures
from scorers.judges.training import train_judge
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import save_weights
from scorers.learned.training_items import training_record
from scorers.learned.training_run import TrainingRun


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
    data = read_data(files, recipe, make_reader(construction))
    if form is None:
        return _train_linear(data, run, construction, recipe, combine)
    plan = JudgePlan(
        kind=AVA,
        form=form,
        form_options={**form.options(), "construction": asdict(construction)},
        head=head or Head(),
        loss="logistic",
        combine=combine,
        rating=False,
        recipe=recipe,
    )
    return train_judge(plan, data, run)


def _train_linear(
    data: Data,
    run: TrainingRun,
    construction: Construction,
    recipe: TrainingRecipe,
    combine: Combine,
) -> CheckpointCard:
    import torch

    train, dev = (
        examples_from_judgments(data.train, recipe.references),
        examples_from_judgments(data.dev),
    )
    judge = fit_linear(
        similarities(train.rows),
        train.gold > 0.5,
        run.seeds[0],
    )
    scores = judge.scores(dev.rows, dev.features)
    figures = dev_figures(scores, dev, combine)
    if "f1" not in figures:
        raise TrainingError(
            "the dev answers are all correct or all wrong: give dev data with both kinds"
        )
    values = torch.from_numpy(judge.values())
    card = CheckpointCard(
        kind=AVA,
        encoder="",
        encoder_sha256="",
        options={
            "design": LINEAR,
            "combine": combine,
            "features": [],
            "construction": asdict(construction),
            "recipe": recipe.options(),
        },
        settings={"seed": run.seeds[0]},
        data=data.sources,
        licence=run.licence,
        command=run.command,
        figures={
            **{f"dev {name}": value for name, value in figures.items()},
            "training": len(train),
            "dev": len(dev),
        },
        history=(),
        versions={name: version(name) for name in ("scikit-learn", "torch")},
        weights_sha256=save_weights({LINEAR: values}, run.out, half=False),
        notes=run.notes,
        extra=training_record((*data.train, *data.dev), run.out),
    )
    card.write(run.out)
    return card
