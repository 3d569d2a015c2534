"""Webhook events of imports."""

from __future__ import annotations

from datetime import datetime

from benchmarks.imports.models import SetImport
from core.webhooks.services.emitting import emit


def announce_import_end(set_import: SetImport, *, at: datetime) -> None:
    """Emit that an import is complete or failed, to the account that requested it."""
    judgment_set = set_import.judgment_set
    data = {
        "import": set_import.pk,
        "name": set_import.name,
        "status": set_import.status,
        "reason": set_import.reason,
        "judgment_set": str(judgment_set) if judgment_set else None,
        "path": set_import.get_absolute_url(),
    }
    event = "import.done" if judgment_set else "import.failed"
    emit(
        event, str(set_import.by_id), data, at=at, may_see=lambda user: bool(user == set_import.by)
    )
