"""What webhooks are told of imports."""

from __future__ import annotations

from datetime import datetime

from benchmarks.imports.models import SetImport
from core.webhooks.services.emitting import emit


def import_ended(set_import: SetImport, *, at: datetime) -> None:
    """An import is complete or failed. Who asked for it is told."""
    made = set_import.judgment_set
    data = {
        "import": set_import.pk,
        "name": set_import.name,
        "status": set_import.status,
        "reason": set_import.reason,
        "judgment_set": str(made) if made else None,
        "path": set_import.get_absolute_url(),
    }
    event = "import.done" if made else "import.failed"
    whose = str(set_import.by_id)
    emit(event, whose, data, at=at, may_see=lambda user: bool(user == set_import.by))
