"""Adding candidates to a study in the browser, with the test as the worker."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from annotation.studies.models import CandidateImport
from annotation.studies.services import candidate_imports


def add_upload(page: Page) -> None:
    """From the page of an upload to the study's candidates."""
    page.get_by_role("button", name="Add to study").click()
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    candidate_imports.perform(CandidateImport.objects.get(status="queued").pk)
    expect(page.get_by_role("heading", name="Candidates", exact=True, level=1)).to_be_visible()
