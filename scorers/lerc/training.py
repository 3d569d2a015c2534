"""Training LERC and the sentence similarity baseline."""

from __future__ import annotations

from dataclasses import replace

from scorers.errors import TrainingError
from scorers.judges.form import Head
from scorers.judges.plan import JudgePlan, TrainingFiles, TrainingRecipe, read_data
from scorers.judges.scale import Loss
from scorers.judges.training import train_judge
from scorers.learned.card import CheckpointCard
from scorers.learned.training_run import TrainingRun
from scorers.lerc.form import LercForm
from scorers.lerc.metrics import LERC, STS

#: The similarity baseline reads only reference and candidate.
STS_FORM = LercForm(("reference", "candidate"))


def train_lerc(
    files: TrainingFiles,
    run: TrainingRun,
    form: LercForm | None = None,
    *,
    kind: str = LERC,
    head: Head | None = None,
    recipe: TrainingRecipe | None = None,
    loss: Loss = "mse",
) -> CheckpointCard:
    """Train a regression on judgment files; write and return its card.

    `kind` is LERC or STS; the latter reads reference and candidate only. Raises FileError,
    EncoderError, CheckpointError or TrainingError.
    """
    form = form or (STS_FORM if kind == STS else LercForm())
    recipe = recipe or TrainingRecipe()
    if kind == STS and set(form.parts) & {"passage", "question"}:
        raise TrainingError(
            "the similarity baseline reads only reference and candidate: leave the other parts out"
        )
    if recipe.keyphrases and form.reading == "joined":
        form = replace(form, keyphrases=True)
    plan = JudgePlan(
        kind=kind,
        form=form,
        form_options=form.options(),
        head=head or Head(),
        loss=loss,
        combine="max",
        rating=True,
        recipe=recipe,
    )
    return train_judge(plan, read_data(files, recipe), run)
