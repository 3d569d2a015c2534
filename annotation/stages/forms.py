"""Forms for signed links of raters and for pausing a stage."""

from __future__ import annotations

from django import forms

from annotation.rating.services.invitations import WORKER_ID_CHARS
from annotation.stages.models import DEFAULT_WAVE, MAX_WAVE
from annotation.stages.services.pausing import REASON_CHARS
from annotation.stages.services.sampling_rules import rules_of
from concord.estimation import EstimationError
from concord.sampling import MIN_WAVE, SamplingRule
from concord.sampling.rules import MIN_UNIFORM_SHARE

MAX_INVITED = 1000
NO_IDS = "Enter at least one name or id."


def worker_ids(text: str) -> list[str]:
    """The ids in a text, one per line, each once. Raises ValueError."""
    ids = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if not ids:
        raise ValueError(NO_IDS)
    if len(ids) > MAX_INVITED:
        raise ValueError(f"At most {MAX_INVITED:,} links can be made at once, not {len(ids):,}.")
    for one in ids:
        if len(one) > WORKER_ID_CHARS:
            raise ValueError(f"“{one[:40]}…” has more than {WORKER_ID_CHARS} characters.")
    return ids


class InvitationForm(forms.Form):
    """The raters to invite, one per line."""

    workers = forms.CharField(
        label="Names or ids of raters",
        help_text="One per line. They are stored encrypted, and no page shows them.",
        error_messages={"required": NO_IDS},
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
    )

    def clean_workers(self) -> list[str]:
        try:
            return worker_ids(self.cleaned_data["workers"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error


class PauseForm(forms.Form):
    """Why a stage is paused."""

    reason = forms.CharField(
        label="Reason",
        help_text="For the audit log. Raters do not see it.",
        max_length=REASON_CHARS,
        error_messages={"required": "Say why the stage is paused."},
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )


RULES = [
    ("active", "where the metrics are expected to err"),
    ("stratified", "by strata, more where the metrics err more"),
    ("uniform", "uniformly"),
]
AIMS = [
    ("mean", "each system's mean"),
    ("difference", "the difference of two systems"),
    ("ranking", "the ranking of systems"),
    ("metrics", "telling metrics apart"),
]
STRATA = [("score", "score"), ("constituent", "constituent"), ("system", "systems")]
TARGETS = [
    ("width", "every system's interval is at most this wide"),
    ("ranking", "all pairs of systems differ at this level"),
    ("budget", "the budget is used"),
]


class SamplingForm(forms.Form):
    """How the full stage draws what people rate, and when it stops."""

    scores = forms.FileField(
        label="Scores of every candidate",
        help_text="JSON Lines or a table: the candidates' ids and one or more metrics.",
    )
    rule = forms.ChoiceField(label="Draw instances", choices=RULES)
    aim = forms.ChoiceField(label="To estimate", choices=AIMS)
    systems = forms.CharField(
        label="The two systems",
        required=False,
        help_text="For their difference: their names, one per line.",
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    strata = forms.ChoiceField(
        label="Strata by", choices=STRATA, help_text="For the stratified rule."
    )
    uniform_share = forms.FloatField(
        label="Share drawn uniformly",
        initial=SamplingRule.uniform_share,
        min_value=MIN_UNIFORM_SHARE,
        max_value=1,
        help_text="Keeps every probability above this share of the uniform one.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    wave_size = forms.IntegerField(
        label="Instances a wave",
        initial=DEFAULT_WAVE,
        min_value=MIN_WAVE,
        max_value=MAX_WAVE,
        help_text="All are rated before the next wave is drawn.",
    )
    target = forms.ChoiceField(label="Stop when", choices=TARGETS)
    value = forms.FloatField(
        label="Width or level",
        required=False,
        help_text="Of the interval, in points of the scale; or the level, such as 0.05.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    budget = forms.IntegerField(
        label="Budget",
        min_value=MIN_WAVE,
        max_value=MAX_WAVE,
        help_text="The most instances to draw.",
    )

    def clean_systems(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["systems"].splitlines() if line.strip()]

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if self.errors:
            return values
        try:
            self.sampling_rule, self.stopping_rule = rules_of(values)
        except EstimationError as error:
            self.add_error(None, str(error))
        return values
