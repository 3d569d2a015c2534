"""Forms for publishing a stage to a crowd and for reviewing its submissions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings

from annotation.crowds.providers.mturk.client import PRODUCTION, SANDBOX
from annotation.crowds.providers.offer import (
    BONUS,
    BONUS_REASON,
    BUDGET,
    ENDPOINT,
    FEE_PERCENT,
    FEEDBACK,
    PANEL,
    Offer,
)
from annotation.crowds.providers.registry import provider_at
from annotation.crowds.services.arrivals import ID_PATTERN
from annotation.crowds.services.reviewing import GROUNDS, SECONDS_BOUND
from annotation.studies.models import Stage, Study
from concord.bounds import Text, find_bound
from core.pages.bounded_fields import DollarsField, whole_number

OTHER = "other"
# The offer fields of each provider besides the common ones.
FIELDS = {
    "mturk": (
        "environment",
        "endpoint",
        "worker_origin",
        "question",
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
    "link": ("panel", "id_parameter", "return_url", "tasks_each", "fee_percent"),
    "local": ("invited", "tasks_each"),
    "files": ("split",),
}


# The fields of the page, grouped under headings.
GROUPS = (
    ("Task", ("stage", "title", "description", "keywords", "invited")),
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
            "question",
            "tasks_each",
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


def _chars(name: str) -> int:
    """The maximum length of an offer's text field."""
    bound: Text = find_bound(Offer, name)
    return bound.max_chars


def _whole(name: str, label: str) -> forms.IntegerField:
    default = getattr(Offer("-", "-"), name)
    return whole_number(find_bound(Offer, name), label, required=True, initial=default)


class OfferForm(forms.Form):
    """The offer to workers of one provider. Only that provider's fields are present."""

    stage = forms.ChoiceField(label="Stage")
    title = forms.CharField(label="Title shown to workers", max_length=_chars("title"))
    description = forms.CharField(
        label="Description",
        max_length=_chars("description"),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    budget = DollarsField(
        BUDGET,
        label="Budget in dollars",
        required=False,
        help_text="Limits rewards, bonuses and fees together. Empty: no limit.",
    )
    environment = forms.ChoiceField(label="Environment")
    endpoint = forms.URLField(
        label="URL of another service",
        max_length=ENDPOINT.max_chars,
        required=False,
        assume_scheme="https",
        help_text="A service with the same API. OUTGOING_ALLOWED_HOSTS must contain its host.",
    )
    worker_origin = forms.URLField(
        label="URL of its worker pages",
        max_length=_chars("worker_origin"),
        required=False,
        assume_scheme="https",
        help_text="Only where it differs from the URL above.",
    )
    question = forms.ChoiceField(
        label="Rating page",
        choices=[
            ("external", "This site's page in a frame"),
            ("html", "Self-contained HTML page"),
        ],
        help_text="This site's page saves each rating at once. The self-contained page sends "
        "ratings only on submission, and a worker's repeated HITs are paid but not counted.",
    )
    split = forms.BooleanField(
        label="Split HITs into parts of at most nine assignments (lower fee)",
        required=False,
        initial=True,
    )
    masters = forms.BooleanField(label="Masters only (5% more)", required=False)
    only_passed = forms.BooleanField(
        label="Only workers who passed the qualification test of an earlier publication",
        required=False,
    )
    test_places = whole_number(
        find_bound(Offer, "test_places"),
        "Workers who take a paid test",
        "Only where the qualification stage is published, as a paid task.",
        required=True,
        initial=Offer("-", "-").test_places,
    )
    reject_for_disagreement = forms.BooleanField(
        label="Allow rejection for disagreement with other raters (state it in the instructions)",
        required=False,
    )
    keywords = forms.CharField(
        label="Keywords",
        max_length=_chars("keywords"),
        required=False,
        initial=Offer("-", "-").keywords,
    )
    lifetime_hours = _whole("lifetime_hours", "Hours until the listing expires")
    auto_approval_hours = _whole("auto_approval_hours", "Hours until automatic approval")
    queue = forms.URLField(
        label="URL of an SQS queue",
        max_length=_chars("queue"),
        required=False,
        assume_scheme="https",
        help_text="Optional. MTurk sends notifications to it.",
    )
    panel = forms.RegexField(
        r"^[A-Za-z0-9 ._-]*$",
        label="Panel name",
        max_length=PANEL.max_chars,
        required=False,
    )
    id_parameter = forms.RegexField(
        r"^[A-Za-z0-9_.-]+$",
        max_length=_chars("id_parameter"),
        label="URL parameter with the worker's id",
        initial="worker",
        help_text="In the link that the panel opens.",
    )
    return_url = forms.CharField(
        label="Return URL",
        required=False,
        max_length=_chars("return_url"),
        help_text="Workers are sent there at the end. {code} is replaced by the completion code.",
    )
    tasks_each = _whole("tasks_each", "Tasks per session")
    fee_percent = forms.DecimalField(
        label="Platform fee in percent",
        min_value=FEE_PERCENT.minimum,
        max_value=FEE_PERCENT.maximum,
        initial=0,
        decimal_places=2,
        help_text="Percentage of the workers' pay that your account is charged.",
    )
    invited = forms.CharField(
        label="Invited people",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Account names or any other names, one per line.",
    )

    def __init__(self, study: Study, provider: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.provider = provider
        provider_fields = FIELDS[provider]
        common = ("stage", "title", "description", "budget")
        for name in list(self.fields):
            if name not in (*common, *provider_fields):
                del self.fields[name]
        stages = study.stages.order_by("-number")
        if not provider_at(provider, "").has_paid_tests:
            stages = stages.exclude(kind=Stage.Kind.QUALIFICATION)
        stage = self.fields["stage"]
        assert isinstance(stage, forms.ChoiceField)
        paid = {Stage.Kind.QUALIFICATION: ", as a paid test"}
        stage.choices = [
            (one.kind, f"{one.kind}{paid.get(Stage.Kind(one.kind), '')} ({one.status})")
            for one in stages
        ]
        if "environment" in self.fields:
            environment = self.fields["environment"]
            assert isinstance(environment, forms.ChoiceField)
            owner = "Amazon's" if provider == "mturk" else "Prolific's"
            sandbox = [(SANDBOX, f"{owner} sandbox: no money")] if provider == "mturk" else []
            environment.choices = [
                *sandbox,
                (PRODUCTION, f"{owner} production: real money"),
                (OTHER, "Another service"),
            ]
        if provider == "prolific":
            self.fields["fee_percent"].initial = None  # depends on the account

    def fieldsets(self) -> Iterator[tuple[str, list[Any], list[Any], list[Any]]]:
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

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("environment") == OTHER:
            self._check_endpoint(values.get("endpoint", ""))
        names = values.get("invited", "").split("\n")
        invalid = [
            name.strip()
            for name in names
            if name.strip() and not ID_PATTERN.fullmatch(name.strip())
        ]
        if invalid:
            self.add_error(
                "invited",
                f"'{invalid[0]}' is not a valid name: use letters, digits and . _ : @ + - only.",
            )
        address = values.get("return_url", "")
        if address and urlsplit(address).scheme not in ("http", "https"):
            self.add_error("return_url", "Enter a complete URL that begins with https://.")
        return values

    def _check_endpoint(self, address: str) -> None:
        """Allow only hosts listed in OUTGOING_ALLOWED_HOSTS: requests carry the server's
        credentials."""
        parts = urlsplit(address)
        allowed = settings.OUTGOING_ALLOWED_HOSTS
        if not address:
            self.add_error("endpoint", "Enter the URL of the service.")
        elif parts.hostname not in allowed and parts.netloc not in allowed:
            self.add_error(
                "endpoint",
                f"OUTGOING_ALLOWED_HOSTS does not contain {parts.netloc}. Ask the server's "
                "administrator to add it.",
            )

    def offer(self) -> Offer:
        cleaned = self.cleaned_data
        names = {field for field in Offer.__dataclass_fields__ if field in cleaned}
        values = {name: cleaned[name] for name in names - {"invited", "fee_percent"}}
        if "fee_percent" in cleaned:
            values["fee_percent"] = str(cleaned["fee_percent"])
        if "invited" in cleaned:
            lines = [line.strip() for line in cleaned["invited"].splitlines()]
            values["invited"] = tuple(dict.fromkeys(filter(None, lines)))
        return Offer(**values)

    def environment_name(self) -> str:
        """The environment as the publication stores it: sandbox, production, URL or panel name."""
        cleaned = self.cleaned_data
        if cleaned.get("environment") == OTHER:
            return str(cleaned["endpoint"]).rstrip("/")
        return str(cleaned.get("environment", cleaned.get("panel", "")))


class RuleForm(forms.Form):
    min_seconds = forms.FloatField(
        label="Minimum seconds per rating",
        min_value=SECONDS_BOUND.minimum,
        max_value=SECONDS_BOUND.maximum,
        initial=0,
    )


class ApprovalForm(forms.Form):
    feedback = forms.CharField(label="Feedback", required=False, max_length=FEEDBACK.max_chars)


class RejectionForm(forms.Form):
    ground = forms.ChoiceField(label="Reason")
    feedback = forms.CharField(
        label="Message to the worker",
        max_length=FEEDBACK.max_chars,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, offer: Offer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ground = self.fields["ground"]
        assert isinstance(ground, forms.ChoiceField)
        hidden = () if offer.reject_for_disagreement else ("disagreement",)
        options = [(name, label) for name, label in GROUNDS.items() if name not in hidden]
        ground.choices = [("", "Choose a reason"), *options]


class BonusForm(forms.Form):
    amount = DollarsField(BONUS, label="Dollars")
    reason = forms.CharField(label="Reason shown to the worker", max_length=BONUS_REASON.max_chars)


class BudgetForm(forms.Form):
    budget = DollarsField(BUDGET, label="Budget in dollars", required=False)


class FileForm(forms.Form):
    file = forms.FileField(label="CSV file")
