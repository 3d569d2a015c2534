"""Qualification requirements of HITs, and whether a worker meets them.

Source: the API reference's page on the QualificationRequirement data structure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mturk_sandbox.context import Context
from mturk_sandbox.errors import invalid, request_error
from mturk_sandbox.qualifications import own_value
from mturk_sandbox.system_qualifications import LOCALE, MASTERS, system_value

Requirement = dict[str, Any]
MAX_REQUIREMENTS = 10
MAX_INTEGERS, MAX_LOCALES = 15, 30
PRESENCE = ("Exists", "DoesNotExist")
SETS = ("In", "NotIn")
COMPARISONS: dict[str, Callable[[int, list[int]], bool]] = {
    "LessThan": lambda value, values: value < values[0],
    "LessThanOrEqualTo": lambda value, values: value <= values[0],
    "GreaterThan": lambda value, values: value > values[0],
    "GreaterThanOrEqualTo": lambda value, values: value >= values[0],
    "EqualTo": lambda value, values: value == values[0],
    "NotEqualTo": lambda value, values: value != values[0],
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
}
# The values of ActionsGuarded that guard an action; a HIT that is hidden cannot be previewed
# either.
GUARDS = {
    "Accept": ("Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"),
    "Preview": ("PreviewAndAccept", "DiscoverPreviewAndAccept"),
    "Discover": ("DiscoverPreviewAndAccept",),
}


def check_requirements(context: Context, requirements: list[Requirement]) -> list[Requirement]:
    """Check requirements and add their defaults. Raises a TurkError."""
    if len(requirements) > MAX_REQUIREMENTS:
        raise invalid(f"A HIT can have {MAX_REQUIREMENTS} QualificationRequirements at most.")
    for requirement in requirements:
        type_id = requirement["QualificationTypeId"]
        if context.one("SELECT 1 FROM qualification_types WHERE id = ?", type_id) is None:
            raise request_error(
                "QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist."
            )
        _check_values(requirement)
    return [
        {"ActionsGuarded": guard, **one, "RequiredToPreview": guard != "Accept"}
        for one in requirements
        for guard in [one.get("ActionsGuarded", "Accept")]
    ]


def _check_values(requirement: Requirement) -> None:
    comparator = requirement["Comparator"]
    integers = requirement.get("IntegerValues") or []
    locales = requirement.get("LocaleValues") or []
    if comparator in PRESENCE:
        if integers or locales:
            raise invalid(f"The comparator {comparator} takes no values.")
        return
    is_locale = requirement["QualificationTypeId"] == LOCALE
    if is_locale and comparator not in ("EqualTo", "NotEqualTo", *SETS):
        raise invalid(f"Worker_Locale cannot be compared by {comparator}.")
    if integers if is_locale else locales:
        raise invalid("LocaleValues are for Worker_Locale, and IntegerValues for all others.")
    values, maximum = (locales, MAX_LOCALES) if is_locale else (integers, MAX_INTEGERS)
    maximum = maximum if comparator in SETS else 1
    if not 1 <= len(values) <= maximum:
        raise invalid(f"The comparator {comparator} takes 1 to {maximum} values.")


def requires_masters(requirements: list[Requirement]) -> bool:
    """Whether Masters are required, which increases the fee."""
    return any(
        requirement["QualificationTypeId"] in MASTERS
        and requirement["Comparator"] != "DoesNotExist"
        for requirement in requirements
    )


def unmet_requirements(
    context: Context, worker_id: str, requirements: list[Requirement], action: str = "Accept"
) -> list[Requirement]:
    """The requirements for an action (Discover, Preview or Accept) that a worker does not meet."""
    return [
        requirement
        for requirement in requirements
        if requirement["ActionsGuarded"] in GUARDS[action]
        and not is_met(context, worker_id, requirement)
    ]


def is_met(context: Context, worker_id: str, requirement: Requirement) -> bool:
    """Whether a worker meets a requirement; without the qualification no comparison holds."""
    comparator: str = requirement["Comparator"]
    value = qualification_value(context, worker_id, requirement["QualificationTypeId"])
    if comparator in PRESENCE:
        return (value is not None) == (comparator == "Exists")
    if value is None:
        return False
    if isinstance(value, dict):
        equal = any(_lies_in(value, place) for place in requirement["LocaleValues"])
        return equal == (comparator in ("EqualTo", "In"))
    return COMPARISONS[comparator](value, requirement["IntegerValues"])


def _lies_in(home: dict[str, str], place: dict[str, str]) -> bool:
    """Whether a locale lies in another: a country includes its subdivisions."""
    if home["Country"] != place["Country"]:
        return False
    return "Subdivision" not in place or home.get("Subdivision") == place["Subdivision"]


def qualification_value(
    context: Context, worker_id: str, type_id: str
) -> int | dict[str, str] | None:
    """A worker's value of a type: a number, a locale, or None without the qualification."""
    is_system_type, value = system_value(context, worker_id, type_id)
    if is_system_type:
        return value
    return own_value(context, worker_id, type_id)
