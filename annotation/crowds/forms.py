"""What is put before a crowd and decided about its work, as forms."""

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
from annotation.crowds.services.arrivals import ID
from annotation.crowds.services.reviewing import GROUNDS, SECONDS_BOUND
from annotation.studies.models import Stage, Study
from concord.bounds import Text, find_bound
from core.pages.bounded_fields import DollarsField, whole_number

OTHER = "other"
# Which fields a provider's offer has besides those that all have.
FIELDS = {
    "mturk": (
        "place",
        "endpoint",
        "worker_origin",
        "question",
        "split",
        "masters",
        "keywords",
        "lifetime_hours",
        "auto_approval_hours",
        "queue",
        "reject_for_disagreement",
    ),
    "prolific": (
        "place",
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


# The fields as they stand on the page, under their headings.
GROUPS = (
    ("What is asked", ("stage", "title", "description", "keywords", "invited")),
    (
        "The platform",
        ("place", "endpoint", "worker_origin", "queue", "panel", "id_parameter", "return_url"),
    ),
    (
        "How",
        (
            "question",
            "tasks_each",
            "lifetime_hours",
            "auto_approval_hours",
            "split",
            "masters",
            "only_passed",
            "reject_for_disagreement",
        ),
    ),
    ("Money", ("budget", "fee_percent")),
)


def _chars(name: str) -> int:
    """The most characters of a text of an offer."""
    bound: Text = find_bound(Offer, name)
    return bound.max_chars


def _whole(name: str, label: str) -> forms.IntegerField:
    default = getattr(Offer("-", "-"), name)
    return whole_number(find_bound(Offer, name), label, required=True, initial=default)


class OfferForm(forms.Form):
    """The offer to one provider's crowd; the fields of others are not there."""

    stage = forms.ChoiceField(label="Stage")
    title = forms.CharField(label="Title, as workers find it", max_length=_chars("title"))
    description = forms.CharField(
        label="Description",
        max_length=_chars("description"),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    budget = DollarsField(
        BUDGET,
        label="Budget in dollars",
        required=False,
        help_text="rewards, bonuses and fees; empty: none",
    )
    place = forms.ChoiceField(label="Where")
    endpoint = forms.URLField(
        label="Address of another service",
        max_length=ENDPOINT.max_chars,
        required=False,
        assume_scheme="https",
        help_text="that speaks the same API; its host must be among OUTGOING_ALLOWED_HOSTS",
    )
    worker_origin = forms.URLField(
        label="Its worker pages",
        max_length=_chars("worker_origin"),
        required=False,
        assume_scheme="https",
        help_text="where they are not at the same address",
    )
    question = forms.ChoiceField(
        label="The page",
        choices=[
            ("external", "this site's, in a frame"),
            ("html", "one that needs no server"),
        ],
        help_text="in the first each rating is kept as it is made; in the second only what is "
        "submitted, and repeats are paid and not counted",
    )
    split = forms.BooleanField(
        label="at most nine places a HIT, for the lower fee", required=False, initial=True
    )
    masters = forms.BooleanField(label="Masters only (5% more)", required=False)
    only_passed = forms.BooleanField(
        label="only those who passed the test in what was listed before", required=False
    )
    reject_for_disagreement = forms.BooleanField(
        label="rating otherwise than others may be a ground to reject (say so in the instructions)",
        required=False,
    )
    keywords = forms.CharField(
        label="Keywords",
        max_length=_chars("keywords"),
        required=False,
        initial=Offer("-", "-").keywords,
    )
    lifetime_hours = _whole("lifetime_hours", "Hours open")
    auto_approval_hours = _whole("auto_approval_hours", "Hours until it approves itself")
    queue = forms.URLField(
        label="SQS queue",
        max_length=_chars("queue"),
        required=False,
        assume_scheme="https",
        help_text="optional: it notifies",
    )
    panel = forms.RegexField(
        r"^[A-Za-z0-9 ._-]*$",
        label="Name of the panel",
        max_length=PANEL.max_chars,
        required=False,
    )
    id_parameter = forms.RegexField(
        r"^[A-Za-z0-9_.-]+$",
        max_length=_chars("id_parameter"),
        label="Parameter with the worker's id",
        initial="worker",
        help_text="in the address that the panel opens",
    )
    return_url = forms.CharField(
        label="Where workers go at the end",
        required=False,
        max_length=_chars("return_url"),
        help_text="{code} becomes the completion code",
    )
    tasks_each = _whole("tasks_each", "Tasks a session")
    fee_percent = forms.DecimalField(
        label="The platform's fee, per cent",
        min_value=FEE_PERCENT.minimum,
        max_value=FEE_PERCENT.maximum,
        initial=0,
        decimal_places=2,
        help_text="of what workers get, as your account pays it",
    )
    invited = forms.CharField(
        label="Who is invited",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="names of accounts, or any names, one a line",
    )

    def __init__(self, study: Study, provider: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.provider = provider
        own = FIELDS[provider]
        common = ("stage", "title", "description", "budget")
        for name in list(self.fields):
            if name not in (*common, *own):
                del self.fields[name]
        stages = study.stages.exclude(kind=Stage.Kind.QUALIFICATION).order_by("-number")
        stage = self.fields["stage"]
        assert isinstance(stage, forms.ChoiceField)
        stage.choices = [(one.kind, f"{one.kind} ({one.status})") for one in stages]
        if "place" in self.fields:
            place = self.fields["place"]
            assert isinstance(place, forms.ChoiceField)
            whose = "Amazon's" if provider == "mturk" else "Prolific's"
            sandbox = [(SANDBOX, f"{whose} sandbox: no money")] if provider == "mturk" else []
            place.choices = [
                *sandbox,
                (PRODUCTION, f"{whose} production: real money"),
                (OTHER, "another service"),
            ]
        if provider == "prolific":
            self.fields["fee_percent"].initial = None  # every account has one, and it is not known

    def groups(self) -> Iterator[tuple[str, list[Any], list[Any], list[Any]]]:
        """Each heading with its long fields, its short ones and its ticks."""
        for heading, names in GROUPS:
            fields = [self[name] for name in names if name in self.fields]
            if fields:
                long = [one for one in fields if one.widget_type == "textarea"]
                ticks = [one for one in fields if one.widget_type == "checkbox"]
                yield heading, long, [x for x in fields if x not in (*long, *ticks)], ticks

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("place") == OTHER:
            self._check_endpoint(values.get("endpoint", ""))
        names = values.get("invited", "").split("\n")
        odd = [name.strip() for name in names if name.strip() and not ID.fullmatch(name.strip())]
        if odd:
            self.add_error("invited", f"Letters, digits and . _ : @ + - only: '{odd[0]}' is not.")
        address = values.get("return_url", "")
        if address and urlsplit(address).scheme not in ("http", "https"):
            self.add_error("return_url", "Give a whole address, beginning with https://.")
        return values

    def _check_endpoint(self, address: str) -> None:
        """Requests to it carry what the server's credentials make: only to hosts that whoever
        runs the server has named."""
        parts = urlsplit(address)
        allowed = settings.OUTGOING_ALLOWED_HOSTS
        if not address:
            self.add_error("endpoint", "Give the service's address.")
        elif parts.hostname not in allowed and parts.netloc not in allowed:
            self.add_error(
                "endpoint", f"OUTGOING_ALLOWED_HOSTS does not name {parts.netloc}: have it added."
            )

    def offer(self) -> Offer:
        given = self.cleaned_data
        names = {field for field in Offer.__dataclass_fields__ if field in given}
        values = {name: given[name] for name in names - {"invited", "fee_percent"}}
        if "fee_percent" in given:
            values["fee_percent"] = str(given["fee_percent"])
        if "invited" in given:
            lines = [line.strip() for line in given["invited"].splitlines()]
            values["invited"] = tuple(dict.fromkeys(filter(None, lines)))
        return Offer(**values)

    def where(self) -> str:
        """The place, as a publication keeps it."""
        given = self.cleaned_data
        if given.get("place") == OTHER:
            return str(given["endpoint"]).rstrip("/")
        return str(given.get("place", given.get("panel", "")))


class RuleForm(forms.Form):
    fewest_seconds = forms.FloatField(
        label="Fewest seconds a rating",
        min_value=SECONDS_BOUND.minimum,
        max_value=SECONDS_BOUND.maximum,
        initial=0,
    )


class ApprovalForm(forms.Form):
    feedback = forms.CharField(label="Feedback", required=False, max_length=FEEDBACK.max_chars)


class RejectionForm(forms.Form):
    ground = forms.ChoiceField(label="Ground")
    feedback = forms.CharField(
        label="What the worker reads",
        max_length=FEEDBACK.max_chars,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, offer: Offer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        ground = self.fields["ground"]
        assert isinstance(ground, forms.ChoiceField)
        hidden = () if offer.reject_for_disagreement else ("disagreement",)
        told = [(name, label) for name, label in GROUNDS.items() if name not in hidden]
        ground.choices = [("", "choose"), *told]


class BonusForm(forms.Form):
    amount = DollarsField(BONUS, label="Dollars")
    reason = forms.CharField(
        label="For what, as the worker reads it", max_length=BONUS_REASON.max_chars
    )


class BudgetForm(forms.Form):
    budget = DollarsField(BUDGET, label="Budget in dollars", required=False)


class FileForm(forms.Form):
    file = forms.FileField(label="CSV file")
