"""`lerc` and `sts`: a regression trained on ratings of answers, or of sentence similarity.

The default checkpoint of `lerc`, `lerc-features`, is not LERC as published: it combines the scores
of two other metrics, which an encoder corrects a little (see its card).

`lerc` (Chen et al., 2020, Section 3) reads passage, question, reference and candidate, or those of
them that its checkpoint's card names. `sts` reads reference and candidate. Scores are ratings from
1 (wrong) to 5 (right). `form=rating` leaves them as they are, and they may lie a little outside;
`form=unit` gives (score - 1) / 4, clipped to [0, 1]. Higher is better.

With several references the best score counts, under max and joint alike. Empty texts have no fixed
score. If the input is longer than the encoder reads, the passage loses its end. Raises ModelError
when the checkpoint is missing or invalid.
"""

from __future__ import annotations

import math

import numpy as np

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, choice
from scorers.encoders import Device
from scorers.judges.examples import Combine
from scorers.judges.judge import Outputs, ScoringJudge
from scorers.judges.metric import JudgeMetric, LoadedJudge, encoder_override, judge_options
from scorers.judges.scale import to_scores
from scorers.lerc.form import LercForm

LERC, STS = "lerc", "sts"


class RegressionJudge(ScoringJudge):
    """A judge whose one output is a rating, or the log-odds of being right."""

    def scores_of(self, outputs: Outputs) -> Scores:
        """Ratings from 1 to 5, or a little outside; probabilities are mapped to the same scale."""
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
    def combination(self) -> Combine:
        return "max"

    def open(self, device: Device) -> LoadedJudge:
        card = self.card
        form = LercForm.of(card.options)
        return RegressionJudge(
            self.folder,
            card,
            form,
            device,
            encoder_override(self.spec),
            self.spec.options["dtype"],
        )

    def convert_scores(self, scores: Scores) -> Scores:
        return np.clip((scores - 1) / 4, 0.0, 1.0) if self.unit else scores


class Lerc(_Regression):
    """See the module."""

    kind = LERC

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(
            spec,
            "LERC",
            "Rating of the candidate by an encoder trained on people's judgments.",
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
        "rating", "unit", help="rating: from 1 (wrong) to 5 (right); unit: mapped to 0 to 1"
    )
}

REGISTRATIONS = (
    Registration(LERC, Lerc, {**judge_options(LERC), **_FORM}),
    Registration(STS, Sts, {**judge_options(STS), **_FORM}),
)
