"""Forms for signed links of raters and for pausing a stage."""

from __future__ import annotations

from django import forms

from annotation.stages.inputs import Invited, SamplingOptions
from annotation.stages.services.pausing import PauseReason
from concord.estimation import EstimationError
from core.pages.derived import DataclassForm


class InvitationForm(DataclassForm[Invited]):
    """The raters to invite, one per line."""

    help_texts = {"workers": "One per line. They are stored encrypted, and no page shows them."}
    heights = {"workers": 6}

    def clean_workers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.cleaned_data["workers"]))


class PauseForm(DataclassForm[PauseReason]):
    """Why a stage is paused."""


class SamplingForm(DataclassForm[SamplingOptions]):
    """How the full stage draws what people rate, and when it stops."""

    help_texts = {
        "systems": "For their difference: their names, one per line.",
        "wave_size": "All are rated before the next wave is drawn.",
        "value": "Of the interval, in points of the scale; or the level, such as 0.05.",
    }
    heights = {"systems": 2}
    field_order = (
        *("scores", "rule", "aim", "systems", "strata", "uniform_share", "wave_size"),
        *("target", "value", "budget"),
    )

    scores = forms.FileField(
        label="Scores of every candidate",
        help_text="JSON Lines or a table: the candidates' ids and one or more metrics.",
    )

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if self.errors:
            return values
        try:
            self.sampling_rule, self.stopping_rule = self.value().rules()
        except EstimationError as error:
            self.add_error(None, str(error))
        return values
