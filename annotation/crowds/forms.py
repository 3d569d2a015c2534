"""Forms for publishing a stage to a crowd and for reviewing its submissions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Unpack
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.text import capfirst

from annotation.crowds.inputs import GROUNDS, Approval, Bonus, Budget, DraftedOffer, Rejection
from annotation.crowds.providers.mturk.client import PRODUCTION, SANDBOX
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Provider
from annotation.crowds.providers.registry import provider_at
from annotation.crowds.services import accounts
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.studies.models import Stage, Study
from core.pages.bounded_fields import field_of
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions

OTHER = "other"
# The offer fields of each provider besides the common ones.
FIELDS = {
    "mturk": (
        "environment",
        "endpoint",
        "worker_origin",
        "split",
        "masters",
        "keywords",
        "lifetime_hours",
        "auto_approval_hours",
        "queue",
        "only_passed",
        "test_places",
        "reject_for_disagreement",
    ),
    "prolific": (
        "environment",
        "endpoint",
        "tasks_each",
        "fee_percent",
        "only_passed",
        "reject_for_disagreement",
    ),
    "link": (
        "panel",
        "id_parameter",
        "return_url",
        "tasks_each",
        "pay_per_task",
        "fee_percent",
    ),
}


# The fields of the page, grouped under headings.
GROUPS = (
    ("Task", ("stage", "title", "description", "keywords")),
    (
        "Platform",
        (
            "environment",
            "endpoint",
            "worker_origin",
            "queue",
            "panel",
            "id_parameter",
            "return_url",
        ),
    ),
    (
        "Options",
        (
            "tasks_each",
            "pay_per_task",
            "lifetime_hours",
            "auto_approval_hours",
            "split",
            "masters",
            "test_places",
            "only_passed",
            "reject_for_disagreement",
        ),
    ),
    ("Money", ("budget", "fee_percent")),
)


Fields = list[forms.BoundField]


class OfferForm(DataclassForm[DraftedOffer]):
    """The offer to workers of one provider. Only that provider's fields are present."""

    chosen = ("environment",)
    help_texts = {
        "budget": "Limits rewards, bonuses and fees together. Empty: no limit.",
        "worker_origin": "Only where it differs from the URL above.",
    }

    def __init__(
        self,
        study: Study,
        provider: str,
        data: Mapping[str, object] | None = None,
        **options: Unpack[FormOptions],
    ) -> None:
        super().__init__(data, **options)
        self.provider = provider
        provider_fields = FIELDS[provider]
        common = ("stage", "title", "description", "budget")
        for name in list(self.fields):
            if name not in (*common, *provider_fields):
                del self.fields[name]
        stages = study.stages.order_by("-number")
        if not provider_at(provider, "").has_tests:
            stages = stages.exclude(kind=Stage.Kind.QUALIFICATION)
        paid = {Stage.Kind.QUALIFICATION: ", as a paid test"}
        self.set_choices(
            "stage",
            [
                (one.kind, f"{one.kind}{paid.get(Stage.Kind(one.kind), '')} ({one.status})")
                for one in stages
            ],
        )
        if "environment" in self.fields:
            owner = "Amazon's" if provider == "mturk" else "Prolific's"
            sandbox = [(SANDBOX, f"{owner} sandbox: no money")] if provider == "mturk" else []
            production = (PRODUCTION, f"{owner} production: real money")
            self.set_choices("environment", [*sandbox, production, (OTHER, "Another service")])
        if provider == "prolific":
            self.fields["fee_percent"].initial = None  # depends on the account

    def fieldsets(self) -> Iterator[tuple[str, Fields, Fields, Fields]]:
        """Each heading with its multi-line fields, single-line fields and checkboxes."""
        for heading, names in GROUPS:
            fields = [self[name] for name in names if name in self.fields]
            if fields:
                long = [one for one in fields if one.widget_type == "textarea"]
                checkboxes = [one for one in fields if one.widget_type == "checkbox"]
                yield (
                    heading,
                    long,
                    [x for x in fields if x not in (*long, *checkboxes)],
                    checkboxes,
                )

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if values.get("environment") == OTHER:
            self._check_endpoint(values.get("endpoint", ""))
        address = values.get("return_url", "")
        if address and urlsplit(address).scheme not in ("http", "https"):
            self.add_error("return_url", "Enter a complete URL that begins with https://.")
        return values

    def _check_endpoint(self, address: str) -> None:
        """Allow only hosts that an administrator named, on the page Crowd accounts or in
        OUTGOING_ALLOWED_HOSTS: requests carry the server's credentials."""
        parts = urlsplit(address)
        allowed = {*settings.OUTGOING_ALLOWED_HOSTS, *accounts.allowed_hosts()}
        if not address:
            self.add_error("endpoint", "Enter the URL of the service.")
        elif parts.hostname not in allowed and parts.netloc not in allowed:
            self.add_error(
                "endpoint",
                f"OUTGOING_ALLOWED_HOSTS does not contain {parts.netloc}, and it is not on the "
                "page Crowd accounts. Ask the server's administrator to add it.",
            )

    def environment_name(self) -> str:
        """The environment as the publication stores it: sandbox, production, URL or panel name."""
        cleaned = self.cleaned_data
        if cleaned.get("environment") == OTHER:
            return str(cleaned["endpoint"]).rstrip("/")
        return str(cleaned.get("environment", cleaned.get("panel", "")))


class AccountForm(forms.Form):
    """The credentials of an account at a provider's service. Stored ones are never shown."""

    service = forms.URLField(
        label="Another service with the same API",
        required=False,
        max_length=300,
        assume_scheme="https",
        help_text="Its URL, such as that of manage.py mturk_sandbox. Empty: the platform's own.",
    )

    def __init__(self, provider: Provider, data: QueryDict | None = None) -> None:
        super().__init__(data, auto_id=f"id_{provider.name}_%s")
        self.provider = provider.name
        self.names = tuple(provider.credentials)
        for name, meaning in provider.credentials.items():
            self.fields[name] = forms.CharField(
                label=name,
                max_length=1000,
                help_text=capfirst(meaning) + ".",
                widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
            )

    def credentials(self) -> dict[str, str]:
        """The credentials of a valid form, by name."""
        return {name: self.cleaned_data[name] for name in self.names}


class RuleForm(DataclassForm[ApprovalRule]):
    """Which submissions are approved."""

    help_texts = {"min_seconds": ""}


class ApprovalForm(DataclassForm[Approval]):
    """What the worker reads with an approval."""


class RejectionForm(DataclassForm[Rejection]):
    """Why a submission is rejected, and what the worker reads."""

    help_texts = {"feedback": ""}
    heights = {"feedback": 2}

    def __init__(
        self, offer: Offer, data: QueryDict | None = None, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        # What is not offered is refused with its reason where the form is processed.
        is_offered = offer.reject_for_disagreement or self.is_bound
        hidden = () if is_offered else ("disagreement",)
        grounds = [(name, label) for name, label in GROUNDS.items() if name not in hidden]
        self.set_choices("ground", [("", "Choose a reason"), *grounds])


class BonusForm(DataclassForm[Bonus]):
    """A bonus in dollars, and what the worker reads with it."""

    only = ("reason",)
    help_texts = {"reason": ""}
    field_order = ("amount", "reason")

    amount = field_of(Bonus, "cents")


class CrowdBudgetForm(forms.Form):
    """The most that a publication may cost, in dollars."""

    budget = field_of(Budget, "cents")


class FileForm(forms.Form):
    file = forms.FileField(label="CSV file")
