"""Import of files of finished work: a panel's list, or the results of a batch."""

from __future__ import annotations

from datetime import datetime

from annotation.crowds.models import Publication
from annotation.crowds.services import batches, panel_files
from annotation.crowds.services.panel_files import PanelFileResult
from annotation.crowds.services.syncing import SyncResult
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage

FILE_BYTES = 32 * 1024 * 1024


def import_results(stage: Stage, content: bytes, *, at: datetime) -> PanelFileResult | SyncResult:
    """Import a file for the stage, all or nothing. Importing it again changes nothing.

    The file is a panel's list if the stage was published by a link, otherwise a batch's results.
    Raises StudyError if it is not UTF-8 text or has neither format.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError("The file is not UTF-8 text. Nothing was changed.") from error
    linked = Publication.objects.filter(stage=stage, provider="link")
    publication = linked.exclude(status=Publication.Status.DRAFT).first()
    if publication is not None:
        return panel_files.import_file(publication, text, at=at)
    return batches.import_results(stage, text, at=at)
