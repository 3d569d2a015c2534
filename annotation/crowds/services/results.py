"""A file of who finished, taken in: a panel's list, or the results of a batch that was put up by
hand."""

from __future__ import annotations

from datetime import datetime

from annotation.crowds.models import Publication
from annotation.crowds.services import batches, panel_files
from annotation.crowds.services.panel_files import Reconciled
from annotation.crowds.services.syncing import Synced
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage

FILE_BYTES = 32 * 1024 * 1024


def take_in(stage: Stage, content: bytes, *, at: datetime) -> Reconciled | Synced:
    """Take the file into the stage, all or nothing; a second time changes nothing.

    It is a panel's list where the stage is or was behind a panel's link, else a batch's results.
    Raises StudyError for a file that is no UTF-8 text, or neither of these.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError("The file is not UTF-8 text. Nothing was changed.") from error
    linked = Publication.objects.filter(stage=stage, provider="link")
    live = linked.exclude(status=Publication.Status.DRAFT).first()
    if live is not None:
        return panel_files.reconcile(live, text, at=at)
    return batches.take_results(stage, text, at=at)
