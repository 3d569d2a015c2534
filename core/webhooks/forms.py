"""The form of a webhook."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.http import QueryDict

from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.webhooks import events
from core.webhooks.events import ACCOUNT
from core.webhooks.inputs import ChangeWebhook


class WebhookForm(DataclassForm[ChangeWebhook]):
    """The URL of a webhook and its events."""

    widgets = {"url": forms.URLInput(attrs={"placeholder": "https://example.org/concord"})}

    def __init__(
        self, data: QueryDict | None = None, *, kind: str = ACCOUNT, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.set_choices("events", [(event.name, event.title) for event in events.of_kind(kind)])
