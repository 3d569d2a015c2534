"""MTurk's own qualifications, computed from a worker's history and profile.

Source: the API reference's page on the QualificationRequirement data structure; the Masters' IDs as
public clients list them (the second is that of Amazon's sandbox).
"""

from __future__ import annotations

from mturk_sandbox.context import Context

APPROVAL_RATE = "000000000000000000L0"
APPROVED = "00000000000000000040"
LOCALE = "00000000000000000071"
MASTERS = ("2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6")
NAMES = {
    APPROVAL_RATE: ("PercentAssignmentsApproved", "The percentage of assignments approved."),
    APPROVED: ("NumberHITsApproved", "The number of HITs approved."),
    LOCALE: ("Location", "The location of the Worker, as in the Worker's profile."),
    MASTERS[0]: ("Masters", "Workers who have demonstrated accuracy."),
    MASTERS[1]: ("Masters (sandbox)", "Workers who have demonstrated accuracy."),
}
# With fewer reviewed assignments MTurk uses an approval rate of 100.
MIN_REVIEWED = 100


def ensure_system_types(context: Context) -> None:
    """Add MTurk's own types to the table of types."""
    for type_id, (name, description) in NAMES.items():
        context.run(
            "INSERT OR IGNORE INTO qualification_types"
            " (id, account, created, name, description, status) VALUES (?, '', 0, ?, ?, 'Active')",
            type_id,
            name,
            description,
        )


def system_value(
    context: Context, worker_id: str, type_id: str
) -> tuple[bool, int | dict[str, str] | None]:
    """Whether the type is MTurk's own, and the worker's value."""
    if type_id not in NAMES:
        return False, None
    worker = context.one("SELECT * FROM workers WHERE id = ?", worker_id)
    if worker is None:
        return True, None
    if type_id == LOCALE:
        home = {"Country": worker["country"]}
        if worker["subdivision"]:
            home["Subdivision"] = worker["subdivision"]
        return True, home
    if type_id in MASTERS:
        return True, 1 if worker["masters"] else None
    approved = worker["approved_before"] + _count_assignments(context, worker_id, "Approved")
    if type_id == APPROVED:
        return True, approved
    reviewed = (
        approved + worker["rejected_before"] + _count_assignments(context, worker_id, "Rejected")
    )
    return True, 100 if reviewed < MIN_REVIEWED else approved * 100 // reviewed


def _count_assignments(context: Context, worker_id: str, status: str) -> int:
    query = "SELECT COUNT(*) FROM assignments WHERE worker_id = ? AND status = ?"
    return context.number(query, worker_id, status)
