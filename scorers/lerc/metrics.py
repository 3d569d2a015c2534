"""`lerc` and `sts`: a regression trained on ratings of answers, or of sentence similarity.

The default checkpoint of `lerc`, `lerc-features`, is no LERC as published: it scores by two other
metrics, which an encoder corrects a little (see its card).

`lerc` (Chen et al., 2020, Section 3) reads passage, question, reference and candidate; which of
them, its checkpoint's card says. `sts` reads reference and candidate. Scores are the regression's
ratings from 1 (wrong) to 5 (right); `form=rating` gives them as they are, and they may go a little
beyond both ends; `form=unit` gives (score - 1) / 4, held to 0 to 1. Higher is better.

Several references: the best score, whichever way is asked for. An empty candidate, question or
passage is read as an empty text; nothing is fixed about its score. Only the end of a passage is
cut off where all is longer than the encoder reads. Raises ModelError where the checkpoint is
missing or unfit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, choice
from scorers.encoders import Device
from scorers.judges.examples import Combine
from scorers.judges.judge import Judge
from scorers.judges.metric import JudgeMetric, Scorer, judge_options, model_of
from scorers.judges.rows import Row
from scorers.judges.scale import to_scores
from scorers.lerc.form import LercForm

LERC, STS = "lerc", "sts"


class RegressionJudge(Judge):
    """A judge whose one output is a rating, or the log-odds of being right."""

    def scores(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        done: Callable[[int], None] | None = None,
    ) -> Scores:
        """Ratings, 1 to 5 and a little beyond; probabilities are laid out on the same scale."""
        outputs = self.outputs(rows, features, done)[:, 0]
        return to_scores(outputs, self.card.options["loss"], rating=True)


class _Regression(JudgeMetric):
    def __init__(self, spec: MetricSpec, title: str, summary: str, needs: frozenset[str]) -> None:
        self.unit = spec.options["form"] == "unit"
        facts = MetricInfo(
            title=title,
            summary=summary,
            family="learned from ratings",
            range=(0.0, 1.0) if self.unit else (-math.inf, math.inf),
            needs=needs,
        )
        super().__init__(spec, facts)

    @property
    def own_way(self) -> Combine:
        return "max"

    def open(self, device: Device) -> Scorer:
        card = self.card
        form = LercForm.of(card.options)
        return RegressionJudge(self.folder, card, form, device, model_of(self.spec))

    def shown(self, scores: Scores) -> Scores:
        return np.clip((scores - 1) / 4, 0.0, 1.0) if self.unit else scores


class Lerc(_Regression):
    """See the module."""

    kind = LERC

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec,
            "LERC",
            "Rating an encoder trained on people's judgments gives the candidate.",
            frozenset({"question"}),
        )


class Sts(_Regression):
    """See the module."""

    kind = STS

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec,
            "STS regression",
            "Similarity of candidate and reference by an encoder trained on rated sentence pairs.",
            frozenset(),
        )


_FORM = {
    "form": choice(
        "rating", "unit", help="rating: 1 (wrong) to 5 (right); unit: the same laid out on 0 to 1"
    )
}

REGISTRATIONS = (
    Registration(LERC, Lerc, {**judge_options(LERC), **_FORM}),
    Registration(STS, Sts, {**judge_options(STS), **_FORM}),
)
