"""`ava`: the probability that a candidate answers its question correctly, given a reference.

This is AVA (Vu and Moschitti, 2021, Section 5) in the design that the checkpoint's card names. The
default checkpoint, `ava-features`, is not AVA as published: it combines the scores of three other
metrics, which an encoder corrects within a bound.

Scores are in [0, 1]; higher is better. With several references, "max" takes the best score. Under
"joint" `references=mean` averages over them as the paper does, `references=max` takes the best
score, and `references=card`, the default, does as in the checkpoint's training. `references=mean`
under "max" raises MetricError. An empty text has no fixed score. Of a text longer than the
checkpoint's maximum only the beginning counts. The passage is not read. Only the linear classifier
reads an item's short answer, or the reference if there is none. `Ava.threshold` is the score from
which an answer counts as correct, tuned on dev answers. Raises ModelError when the checkpoint is
missing or invalid.
"""

from __future__ import annotations

from concord.metrics.metric import MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Registration, choice
from scorers.ava.form import AvaForm
from scorers.ava.linear import LinearJudge
from scorers.encoders import Device
from scorers.errors import MetricError
from scorers.judges.examples import Combine
from scorers.judges.judge import Outputs, ScoringJudge
from scorers.judges.metric import JudgeMetric, LoadedJudge, encoder_override, judge_options
from scorers.judges.scale import to_scores

AVA = "ava"
LINEAR = "linear"
_FROM_CARD = "card"


class VerdictJudge(ScoringJudge):
    """A judge whose one output is the log-odds of being correct."""

    def scores_of(self, outputs: Outputs) -> Scores:
        """Probabilities."""
        return to_scores(outputs, "logistic", rating=False)


class Ava(JudgeMetric):
    """See the module."""

    kind = AVA

    def __init__(self, spec: MetricSpec) -> None:
        facts = MetricInfo(
            title="AVA",
            summary="Probability that the candidate answers the question, by a trained judge.",
            family="learned from ratings",
            range=(0.0, 1.0),
            needs=frozenset({"question"}),
        )
        super().__init__(spec, facts)
        if self.multi_ref == "max" and spec.options["references"] == "mean":
            raise MetricError(
                f"{self.name} averages over the references, but multi_ref max takes the best "
                "one: choose multi_ref joint, or leave out references=mean"
            )

    @property
    def combination(self) -> Combine:
        if self.multi_ref == "max":
            return "max"
        method: str = self.spec.options["references"]
        if method == _FROM_CARD:
            method = self.card.options.get("combine", "mean")
        return "max" if method == "max" else "mean"

    def settings(self) -> dict[str, str]:
        settings = {**super().settings(), "references": self.combination}
        if self.card.options["design"] == LINEAR:
            # Earlier versions scored without the short answer.
            settings["reads"] = "short-answer"
        return settings

    @property
    def threshold(self) -> float:
        """The probability from which an answer counts as correct, tuned on the dev answers."""
        return float(self.card.figures["dev threshold"])

    def open(self, device: Device) -> LoadedJudge:
        card, folder = self.card, self.folder
        if card.options["design"] == LINEAR:
            return LinearJudge.read(folder, card)
        return VerdictJudge(
            folder,
            card,
            AvaForm.of(card.options),
            device,
            encoder_override(self.spec),
            self.spec.options["dtype"],
        )


_REFERENCES = choice(
    _FROM_CARD,
    "mean",
    "max",
    help="the score with several references under joint: their mean, as in the paper, the best"
    " (max), or as in the checkpoint's training (card)",
)

REGISTRATIONS = (Registration(AVA, Ava, {**judge_options(AVA), "references": _REFERENCES}),)
