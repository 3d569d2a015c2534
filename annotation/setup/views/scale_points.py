"""Which fields of a scale's points a form shows at once."""

from __future__ import annotations

from typing import Any

from annotation.setup.forms import POINTS, TaskForm


def context(form: TaskForm) -> dict[str, Any]:
    """The fields up to the last point in use, at least as many as a scale needs; and the others."""
    fields = form.points()
    in_use = [at for at, field in enumerate(fields, 1) if field.value() or field.errors]
    count = max([POINTS.min_items, *in_use])
    return {"points_in_use": fields[:count], "further_points": fields[count:]}
