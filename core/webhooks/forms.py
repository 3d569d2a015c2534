"""The form of a webhook."""

from __future__ import annotations

from typing import Any

from django import forms

from core.webhooks import events
from core.webhooks.events import ACCOUNT


class WebhookForm(forms.Form):
    """The URL of a webhook and its events."""

    url = forms.CharField(
        label="URL",
        max_length=2000,
        strip=True,
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/concord"}),
        help_text="An https:// URL on the public internet.",
    )
    events = forms.MultipleChoiceField(label="Events", widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, kind: str = ACCOUNT, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["events"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(event.name, event.title) for event in events.of_kind(kind)]
