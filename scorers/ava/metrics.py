"""`ava`: the probability that a candidate answers its question correctly, given a reference.

AVA (Vu and Moschitti, 2021, Section 5): which of its designs, the checkpoint's card says. The
default checkpoint, `ava-features`, is no AVA as published: it scores by three other metrics, which
an encoder corrects within a bound. Scores
are in [0, 1]; higher is better. Several references, whatever way of handling them is asked for:
`references=mean` averages over them as the paper does, `references=max` takes the best, and
`references=card`, the default, does as the checkpoint was trained to. An
empty text is read as such; nothing is fixed about its score. Texts longer than the checkpoint's
length are judged by their beginning. The passage is not read; the linear classifier alone reads
an item's short answer, or the reference where there is none. The threshold from which an answer
counts as correct was tuned on dev answers; `Ava.threshold` gives it. Raises ModelError where the
checkpoint is missing or unfit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, choice
from scorers.ava.form import AvaForm
from scorers.ava.linear import LinearJudge
from scorers.encoders import Device
from scorers.judges.examples import Combine
from scorers.judges.judge import Judge
from scorers.judges.metric import JudgeMetric, Scorer, judge_options, model_of
from scorers.judges.rows import Row
from scorers.judges.scale import to_scores

AVA = "ava"
LINEAR = "linear"
_OF_THE_CARD = "card"


class VerdictJudge(Judge):
    """A judge whose one output is the log-odds of being correct."""

    def scores(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        done: Callable[[int], None] | None = None,
    ) -> Scores:
        """The probability of each row."""
        return to_scores(self.outputs(rows, features, done)[:, 0], "logistic", rating=False)


class Ava(JudgeMetric):
    """See the module."""

    kind = AVA

    def __init__(self, spec: MetricSpec) -> None:
        facts = MetricInfo(
            title="AVA",
            summary="Probability that the candidate answers the question, as a trained judge sees.",
            family="learned from ratings",
            range=(0.0, 1.0),
            needs=frozenset({"question"}),
        )
        super().__init__(spec, facts)
        self.multi_ref = "joint"

    @property
    def own_way(self) -> Combine:
        asked: str = self.spec.options["references"]
        way = self.card.options.get("combine", "mean") if asked == _OF_THE_CARD else asked
        return "max" if way == "max" else "mean"

    def settings(self) -> dict[str, str]:
        shown = {**super().settings(), "references": self.own_way}
        if self.card.options["design"] == LINEAR:
            # Earlier versions scored without the short answer.
            shown["reads"] = "short-answer"
        return shown

    @property
    def threshold(self) -> float:
        """The probability from which an answer counts as correct, tuned on the dev answers."""
        return float(self.card.figures["dev threshold"])

    def open(self, device: Device) -> Scorer:
        card, folder = self.card, self.folder
        if card.options["design"] == LINEAR:
            return LinearJudge.read(folder, card)
        return VerdictJudge(folder, card, AvaForm.of(card.options), device, model_of(self.spec))


_REFERENCES = choice(
    _OF_THE_CARD,
    "mean",
    "max",
    help="of several references: their mean, as in the paper, the best, or as the checkpoint was"
    " trained (card)",
)

REGISTRATIONS = (Registration(AVA, Ava, {**judge_options(AVA), "references": _REFERENCES}),)
