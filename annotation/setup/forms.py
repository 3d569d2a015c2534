"""The protocol of a study as a form, and back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.studies.models import Study
from concord.protocols import (
    DropRules,
    HitRules,
    Pay,
    Protocol,
    ProtocolError,
    Qualification,
    QualityRules,
    RatingRule,
    Requirements,
    ScalePoint,
    Trial,
)
from concord.protocols.protocol import AGGREGATIONS, MAX_DRAWN_QUESTIONS, MOST_POINTS

RULES, SHARES = 6, 5
KINDS = [("", "any constituent"), ("span", "span-based"), ("generative", "generative")]
# Where a fault of the protocol is shown, when its own path is no field of the form.
PLACES = {
    "scale": "low",
    "rating_rules": "rule_0_ratings",
    "split_shares": "share_0_percent",
    "pay.cents_a_full_hit": "pay_dollars",
    "qualification.pass_share": "qualification_pass_percent",
    "quality.gold_share": "quality_gold_percent",
    "quality.spot_check_share": "quality_spot_check_percent",
}


def _number(label: str, low: int = 0, high: int | None = None, help: str = "") -> Any:
    return forms.IntegerField(
        label=label, min_value=low, max_value=high, required=False, help_text=help
    )


def _float(label: str, low: float = 0, high: float | None = None, help: str = "") -> Any:
    return forms.FloatField(
        label=label,
        min_value=low,
        max_value=high,
        required=False,
        help_text=help,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


def _text(label: str, rows: int, help: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        strip=False,
        help_text=help,
        widget=forms.Textarea(attrs={"rows": rows, "dir": "auto"}),
    )


def _tick(label: str, help: str = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, help_text=help)


class ProtocolForm(forms.Form):
    """Every field of a protocol. `clean` makes the protocol; its faults stand at their fields."""

    low = forms.IntegerField(
        label="Lowest value", min_value=-100, max_value=100, initial=1, help_text="Usually 1 or 0."
    )
    question = _text("What raters judge", 2, "One sentence above the scale.")
    instructions = _text("Instructions", 8, "Markdown.")
    examples = _text("Worked examples", 8, "Markdown.")
    consent = _text("Consent", 4, "What raters agree to before their first task. Markdown.")

    has_qualification = _tick("Raters take a qualification test first")
    qualification_candidates = _number("Candidates in the test", 1, 100)
    qualification_pass_percent = _float("Per cent needed to pass", 0, 100)
    qualification_tolerance = _number(
        "Tolerance", 0, 1, "Scale points an answer may lie beside its key: 0 or 1."
    )
    qualification_tries = _number("Tries", 1, 10)

    has_trial = _tick("A trial comes before the full collection")
    trial_candidates = _number("Candidates in the trial", 1)
    trial_ratings = _number("Ratings a candidate in the trial", 1, 100)
    trial_counted = _tick(
        "The trial's ratings count: the full collection asks only for what is lacking"
    )

    hit_most_candidates = _number("Candidates a HIT, at most", 1, 50)
    hit_same_passage = _tick("The candidates of a HIT share one passage")
    pay_dollars = forms.DecimalField(
        label="Pay for a full HIT, in dollars",
        min_value=Decimal(0),
        max_value=Decimal(1000),
        decimal_places=2,
        required=False,
    )
    pay_pro_rata = _tick("A smaller HIT pays pro rata, rounded up to a cent")
    time_limit_minutes = _number("Time limit, in minutes", 1, 7 * 24 * 60)

    requirements_approval_percent = _number("Approval rate, per cent at least", 0, 100)
    requirements_approval_above = _tick("The approval rate must be higher than that, not equal")
    requirements_approved_hits = _number("Approved HITs, at least", 0)
    requirements_locales = forms.CharField(
        label="Countries", required=False, max_length=500, help_text="Codes such as US, GB."
    )

    drop_equal_to_reference = _tick("A candidate equal to a reference is not rated")
    drop_question_when_equal = _tick(
        "A question is left out when a system gave a reference word for word"
    )
    drop_number_against_number = _tick("A number against a number is not rated")
    drop_number_constituents = forms.CharField(
        label="Constituents for which numbers are not rated",
        required=False,
        max_length=5000,
        help_text="Names with commas between them. Empty: all.",
    )
    drop_number_units = _tick("A number may have a unit, as in “24 yards” against “31 yards”")
    drop_second_reference_below = _float(
        "Rate a second reference whose token F1 with the first is below",
        0,
        1,
        "It is no reference then. Empty: never.",
    )
    draw_questions = _number(
        "Questions to rate, drawn at random",
        1,
        MAX_DRAWN_QUESTIONS,
        "Of those that are uploaded; each upload can change it. Empty: all.",
    )

    quality_gold_percent = _float("Hidden checks: per cent of HITs that hold one", 0, 50)
    quality_spot_check_percent = _float("Spot checks: per cent of ratings drawn", 0, 100)
    quality_fewest_seconds_a_rating = _float(
        "Seconds a rating, at least", 0, 3600, "0: no rule. A sign for you; pay is untouched."
    )
    quality_straight_line_length = _number(
        "Equal ratings in a row that are flagged", 0, 1000, "0: no rule."
    )
    quality_zscore_threshold = _float(
        "z-score filter: threshold",
        0,
        100,
        "0: none. The quality page shows what it removes, and can undo it.",
    )
    quality_zscore_from_start = _tick(
        "The z-score filter applies from the start",
        "It is a step of the ledger when the study is made. Otherwise the quality page offers it.",
    )
    quality_at_most_removed = _number("z-score filter: ratings removed of a candidate, at most", 1)
    aggregation = forms.ChoiceField(
        label="Gold score", choices=[(name, DESCRIPTIONS[name]) for name in AGGREGATIONS]
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.protocol: Protocol | None = None
        for at in range(MOST_POINTS):
            self.fields[f"label_{at}"] = forms.CharField(
                label=f"Point {at + 1}",
                required=False,
                widget=forms.TextInput(attrs={"dir": "auto"}),
            )
        for at in range(RULES):
            self.fields[f"rule_{at}_ratings"] = _number(f"Rule {at + 1}: ratings", 0, 100)
            self.fields[f"rule_{at}_split"] = forms.CharField(
                label=f"Rule {at + 1}: split", required=False, max_length=500
            )
            self.fields[f"rule_{at}_kind"] = forms.ChoiceField(
                label=f"Rule {at + 1}: constituent", choices=KINDS, required=False
            )
        for at in range(SHARES):
            self.fields[f"share_{at}_split"] = forms.CharField(
                label=f"Split {at + 1}", required=False, max_length=500
            )
            self.fields[f"share_{at}_percent"] = _float(f"Split {at + 1}: per cent", 0, 100)

    def points(self) -> list[forms.BoundField]:
        return [self[f"label_{at}"] for at in range(MOST_POINTS)]

    def rules(self) -> list[list[forms.BoundField]]:
        names = ("ratings", "split", "kind")
        return [[self[f"rule_{at}_{name}"] for name in names] for at in range(RULES)]

    def shares(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"share_{at}_{name}"] for name in ("split", "percent")] for at in range(SHARES)
        ]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        protocol = _protocol(values)
        try:
            self.protocol = protocol.validated()
        except ProtocolError as error:
            for path, problem in error.problems.items():
                self.add_error(self._place(path, protocol), problem[:1].upper() + problem[1:] + ".")
        return values

    def _place(self, path: str, protocol: Protocol) -> str | None:
        """The field at which a fault of the protocol is shown."""
        if path.startswith("scale."):
            return f"label_{int(path.removeprefix('scale.')) - protocol.low}"
        name = PLACES.get(path, path.replace(".", "_"))
        return name if name in self.fields else None


def initial_of(protocol: Protocol) -> dict[str, Any]:
    """A protocol as the form's initial values."""
    test, trial, quality = protocol.qualification, protocol.trial, protocol.quality
    given: dict[str, Any] = {
        "low": protocol.low,
        "question": protocol.question,
        "instructions": protocol.instructions,
        "examples": protocol.examples,
        "consent": protocol.consent,
        "has_qualification": test is not None,
        "has_trial": trial is not None,
        "hit_most_candidates": protocol.hit.most_candidates,
        "hit_same_passage": protocol.hit.same_passage,
        "pay_dollars": f"{protocol.pay.cents_a_full_hit / 100:.2f}",
        "pay_pro_rata": protocol.pay.pro_rata,
        "time_limit_minutes": protocol.time_limit_minutes,
        "requirements_approval_percent": protocol.requirements.approval_percent,
        "requirements_approval_above": protocol.requirements.approval_above,
        "requirements_approved_hits": protocol.requirements.approved_hits,
        "requirements_locales": ", ".join(protocol.requirements.locales),
        "drop_equal_to_reference": protocol.drop.equal_to_reference,
        "drop_question_when_equal": protocol.drop.question_when_equal,
        "drop_number_against_number": protocol.drop.number_against_number,
        "drop_number_constituents": ", ".join(protocol.drop.number_constituents),
        "drop_number_units": protocol.drop.number_units,
        "drop_second_reference_below": protocol.drop.second_reference_below,
        "draw_questions": protocol.draw_questions,
        "quality_gold_percent": _percent(quality.gold_share),
        "quality_spot_check_percent": _percent(quality.spot_check_share),
        "quality_fewest_seconds_a_rating": f"{quality.fewest_seconds_a_rating:g}",
        "quality_straight_line_length": quality.straight_line_length,
        "quality_zscore_threshold": f"{quality.zscore_threshold:g}",
        "quality_at_most_removed": quality.at_most_removed,
        "quality_zscore_from_start": quality.zscore_from_start,
        "aggregation": protocol.aggregation,
    }
    test, trial = test or Qualification(), trial or Trial()
    given |= {
        "qualification_candidates": test.candidates,
        "qualification_pass_percent": _percent(test.pass_share),
        "qualification_tolerance": test.tolerance,
        "qualification_tries": test.tries,
        "trial_candidates": trial.candidates,
        "trial_ratings": trial.ratings,
        "trial_counted": trial.counted,
    }
    for at, point in enumerate(protocol.scale):
        given[f"label_{at}"] = point.label
    for at, rule in enumerate(protocol.rating_rules[:RULES]):
        kind = {None: "", True: "span", False: "generative"}[rule.span_based]
        given |= {f"rule_{at}_ratings": rule.ratings, f"rule_{at}_split": rule.split}
        given[f"rule_{at}_kind"] = kind
    for at, (split, share) in enumerate(protocol.split_shares[:SHARES]):
        given |= {f"share_{at}_split": split, f"share_{at}_percent": _percent(share)}
    return given


def _percent(share: float) -> float:
    """A share in per cent, whole where it is whole, so that a field shows 80 and not 80.0."""
    percent = round(100 * share, 6)
    return int(percent) if percent == int(percent) else percent


def _protocol(given: dict[str, Any]) -> Protocol:
    """The protocol that the form's values say, not yet validated; what is empty is zero."""

    def number(name: str, default: float = 0) -> Any:
        value = given.get(name)
        return default if value is None else value

    # What raters' browsers send ends lines otherwise than what was stored.
    texts = {
        name: (given.get(name) or "").replace("\r\n", "\n")
        for name in ("question", "instructions", "examples", "consent")
    }
    return Protocol(
        **texts,
        scale=_scale(given),
        qualification=Qualification(
            number("qualification_candidates"),
            number("qualification_pass_percent") / 100,
            number("qualification_tolerance"),
            number("qualification_tries"),
        )
        if given.get("has_qualification")
        else None,
        trial=Trial(
            number("trial_candidates"),
            number("trial_ratings"),
            bool(given.get("trial_counted")),
        )
        if given.get("has_trial")
        else None,
        rating_rules=_rules(given),
        hit=HitRules(number("hit_most_candidates"), bool(given.get("hit_same_passage"))),
        pay=Pay(int(number("pay_dollars") * 100), bool(given.get("pay_pro_rata"))),
        time_limit_minutes=number("time_limit_minutes"),
        requirements=Requirements(
            number("requirements_approval_percent"),
            number("requirements_approved_hits"),
            tuple(given.get("requirements_locales", "").replace(",", " ").upper().split()),
            bool(given.get("requirements_approval_above")),
        ),
        drop=DropRules(
            equal_to_reference=bool(given.get("drop_equal_to_reference")),
            question_when_equal=bool(given.get("drop_question_when_equal")),
            number_against_number=bool(given.get("drop_number_against_number")),
            number_constituents=_names(given.get("drop_number_constituents", "")),
            number_units=bool(given.get("drop_number_units")),
            second_reference_below=given.get("drop_second_reference_below"),
        ),
        quality=QualityRules(
            number("quality_gold_percent") / 100,
            number("quality_spot_check_percent") / 100,
            float(number("quality_fewest_seconds_a_rating")),
            number("quality_straight_line_length"),
            float(number("quality_zscore_threshold")),
            number("quality_at_most_removed", 1),
            bool(given.get("quality_zscore_from_start")),
        ),
        aggregation=given.get("aggregation", "mean"),
        split_shares=_shares(given),
        draw_questions=given.get("draw_questions"),
    )


def _names(given: str) -> tuple[str, ...]:
    """The names in a list with commas between them."""
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _scale(given: dict[str, Any]) -> tuple[ScalePoint, ...]:
    """The points up to the last one that has a label."""
    labels = [(given.get(f"label_{at}") or "").strip() for at in range(MOST_POINTS)]
    while labels and not labels[-1]:
        labels.pop()
    low = given.get("low")
    low = 1 if low is None else low
    return tuple(ScalePoint(low + at, label) for at, label in enumerate(labels))


def _rules(given: dict[str, Any]) -> tuple[RatingRule, ...]:
    kinds = {"": None, "span": True, "generative": False}
    rows = [
        (
            given.get(f"rule_{at}_ratings"),
            (given.get(f"rule_{at}_split") or "").strip(),
            kinds[given.get(f"rule_{at}_kind") or ""],
        )
        for at in range(RULES)
    ]
    return tuple(RatingRule(n, split, kind) for n, split, kind in rows if n is not None)


def _shares(given: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    rows = [
        ((given.get(f"share_{at}_split") or "").strip(), given.get(f"share_{at}_percent"))
        for at in range(SHARES)
    ]
    return tuple((split, percent / 100) for split, percent in rows if split and percent is not None)


class NewStudyForm(ProtocolForm):
    """A study's name besides its protocol."""

    slug = forms.SlugField(
        label="Short name",
        max_length=80,
        help_text="Lower case, no spaces; the name of its address and of the set it freezes to.",
    )
    title = forms.CharField(label="Title", max_length=200)

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        field = Study._meta.get_field("slug")
        field.run_validators(slug)
        if slug == "new":
            raise forms.ValidationError("“new” is taken by the page that makes studies.")
        if Study.objects.filter(slug=slug).exists():
            raise forms.ValidationError("There is a study of this name already.")
        return slug
