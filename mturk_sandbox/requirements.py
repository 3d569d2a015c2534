"""Qualification requirements of HITs, and whether a worker meets them.

Source: the API reference's page on the QualificationRequirement data structure.
"""

from __future__ import annotations

import operator
from typing import Any

from mturk_sandbox.context import Context
from mturk_sandbox.errors import invalid, request_error
from mturk_sandbox.system_qualifications import LOCALE, MASTERS, system_value

Requirement = dict[str, Any]
MAX_REQUIREMENTS = 10
MAX_INTEGERS, MAX_LOCALES = 15, 30
PRESENCE = ("Exists", "DoesNotExist")
SETS = ("In", "NotIn")
EQUALITY = ("EqualTo", "NotEqualTo")
COMPARISONS = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
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
    checked = []
    for requirement in requirements:
        _check_type(context, requirement["QualificationTypeId"])
        _check_values(requirement)
        required_to_preview = requirement.get("RequiredToPreview", False)
        actions_guarded = requirement.get("ActionsGuarded") or (
            "PreviewAndAccept" if required_to_preview else "Accept"
        )
        completed = {
            **requirement,
            "RequiredToPreview": actions_guarded != "Accept",
            "ActionsGuarded": actions_guarded,
        }
        checked.append(completed)
    return checked


def _check_type(context: Context, type_id: str) -> None:
    row = context.one("SELECT status FROM qualification_types WHERE id = ?", type_id)
    if row is None:
        raise request_error(
            "QualificationTypeDoesNotExist", f"QualificationType {type_id} does not exist."
        )
    if row["status"] != "Active":
        raise request_error(
            "InvalidQualificationTypeState", f"QualificationType {type_id} is not Active."
        )


def _check_values(requirement: Requirement) -> None:
    comparator = requirement["Comparator"]
    integers = requirement.get("IntegerValues") or []
    locales = requirement.get("LocaleValues") or []
    if comparator in PRESENCE:
        if integers or locales:
            raise invalid(f"The comparator {comparator} takes no values.")
        return
    if requirement["QualificationTypeId"] == LOCALE:
        if integers:
            raise invalid("Worker_Locale is compared with LocaleValues, not with IntegerValues.")
        if comparator not in EQUALITY + SETS:
            raise invalid(f"Worker_Locale cannot be compared by {comparator}.")
        _check_count(comparator, len(locales), MAX_LOCALES, "LocaleValues")
    else:
        if locales:
            raise invalid("LocaleValues can be used with Worker_Locale only.")
        _check_count(comparator, len(integers), MAX_INTEGERS, "IntegerValues")


def _check_count(comparator: str, count: int, maximum: int, name: str) -> None:
    if comparator in SETS and not 1 <= count <= maximum:
        raise invalid(f"The comparator {comparator} takes 1 to {maximum} {name}, not {count}.")
    if comparator not in SETS and count != 1:
        raise invalid(f"The comparator {comparator} takes one of {name}, not {count}.")


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
    return _compares(comparator, value, requirement["IntegerValues"])


def _compares(comparator: str, value: int, values: list[int]) -> bool:
    if comparator in SETS:
        return (value in values) == (comparator == "In")
    return bool(COMPARISONS[comparator](value, values[0]))


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
    row = context.one(
        "SELECT value FROM qualifications"
        " WHERE type_id = ? AND worker_id = ? AND status = 'Granted'",
        type_id,
        worker_id,
    )
    return None if row is None else int(row["value"])
