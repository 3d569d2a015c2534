"""Forms for signed links of raters and for pausing a stage."""

from __future__ import annotations

from django import forms

from annotation.rating.services.invitations import WORKER_ID_CHARS
from annotation.stages.services.pausing import REASON_CHARS

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
