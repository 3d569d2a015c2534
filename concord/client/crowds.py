"""Publications of studies on crowd platforms, their files and payment totals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from concord.client.base import ApiMethods, FilePath, path_part
from concord.client.documents import Publication
from concord.client.studies import AnyStudy, study_path
from concord.documents.crowds import CrowdResultsDocument, PaymentsDocument


class Crowds(ApiMethods):
    """Methods take studies and publications as documents, or as slug and id."""

    def publications(self, which: AnyStudy) -> Iterator[Publication]:
        """Publications of the study on crowd platforms, with progress and cost."""
        return self._list(Publication, f"{study_path(which)}/publications")

    def download_batch(
        self, which: AnyStudy, stage: str, *, input: FilePath, template: FilePath
    ) -> tuple[Path, Path]:
        """Download input file and template of a batch that is published by hand, for the HITs with
        missing ratings."""
        path = f"{study_path(which)}/stages/{path_part(stage)}"
        rows = self._download(f"{path}/input.csv", input)
        return rows, self._download(f"{path}/template.html", template)

    def import_results(self, which: AnyStudy, stage: str, file: FilePath) -> CrowdResultsDocument:
        """Import a batch's results, or a panel's list of participants who finished.

        Returns counts of new results, and the lines of a panel's list that do not match. Importing
        the same file again changes nothing.
        """
        path = f"{study_path(which)}/stages/{path_part(stage)}/results"
        counts: CrowdResultsDocument = self._transport.upload(
            path, {}, [("file", Path(file))]
        ).json()
        return counts

    def download_decisions(
        self, which: AnyStudy, publication: Publication | int, to: FilePath
    ) -> Path:
        """Download the participants that a panel must pay, by their ids there, as CSV.

        Needs the role of owner and a token with the scope to pay.
        """
        return self._download(f"{_at(which, publication)}/decisions.csv", to)

    def refresh_payment_totals(
        self, which: AnyStudy, publication: Publication | int
    ) -> PaymentsDocument:
        """Fetch the platform's payment totals. Returns recorded and reported totals in cents."""
        answer = self._transport.send("POST", f"{_at(which, publication)}/payments/refresh")
        totals: PaymentsDocument = answer.json()
        return totals


def _at(which: AnyStudy, publication: Publication | int) -> str:
    number = publication.id if isinstance(publication, Publication) else publication
    return f"{study_path(which)}/publications/{number}"
