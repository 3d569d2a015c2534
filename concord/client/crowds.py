"""Files between a study and its crowd, and what the crowd's own books say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from concord.client.documents import Publication
from concord.client.retrying import Asking, FilePath, part
from concord.client.studies import AnyStudy, study_path


class Crowds(Asking):
    """Studies and publications are given as their documents, or by slug and number."""

    def publications(self, which: AnyStudy) -> Iterator[Publication]:
        """What of the study is or was at a crowd, with its progress and cost."""
        return self._every(Publication, f"{study_path(which)}/publications")

    def download_batch(
        self, which: AnyStudy, stage: str, *, input: FilePath, template: FilePath
    ) -> tuple[Path, Path]:
        """The input file and the template of a batch that is put up by hand, for the HITs that
        lack ratings."""
        path = f"{study_path(which)}/stages/{part(stage)}"
        rows = self._download(f"{path}/input.csv", input)
        return rows, self._download(f"{path}/template.html", template)

    def take_results(self, which: AnyStudy, stage: str, file: FilePath) -> Mapping[str, Any]:
        """Take in a batch's results, or a panel's list of who finished: counts of what is new, and
        what of a panel's list does not fit. The same file again changes nothing."""
        path = f"{study_path(which)}/stages/{part(stage)}/results"
        found: Mapping[str, Any] = self._transport.upload(path, {}, [("file", Path(file))]).json()
        return found

    def download_decisions(
        self, which: AnyStudy, publication: Publication | int, to: FilePath
    ) -> Path:
        """Whom a panel is to pay, as CSV, by their ids there: for owners, by a token that pays."""
        return self._download(f"{_at(which, publication)}/decisions.csv", to)

    def ask_for_books(self, which: AnyStudy, publication: Publication | int) -> Mapping[str, Any]:
        """Both sides of the books, in cents, after asking the crowd for its own."""
        answer = self._transport.send("POST", f"{_at(which, publication)}/books/ask")
        found: Mapping[str, Any] = answer.json()
        return found


def _at(which: AnyStudy, publication: Publication | int) -> str:
    number = publication.id if isinstance(publication, Publication) else publication
    return f"{study_path(which)}/publications/{number}"
