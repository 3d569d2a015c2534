"""The form of a webhook."""

from __future__ import annotations

from typing import Any

from django import forms

from core.pages.derived import DataclassForm
from core.webhooks import events
from core.webhooks.events import ACCOUNT
from core.webhooks.inputs import ChangeWebhook


class WebhookForm(DataclassForm[ChangeWebhook]):
    """The URL of a webhook and its events."""

    widgets = {"url": forms.URLInput(attrs={"placeholder": "https://example.org/concord"})}

    def __init__(self, *args: Any, kind: str = ACCOUNT, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.set_choices("events", [(event.name, event.title) for event in events.of_kind(kind)])
