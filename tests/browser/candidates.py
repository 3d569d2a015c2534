"""Adding candidates to a study in the browser, with the test as the worker."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from annotation.studies.models import CandidateImport
from annotation.studies.services import candidate_imports


def add_upload(page: Page) -> None:
    """From the page of an upload to the next step of the set-up."""
    page.get_by_role("button", name="Add to study").click()
    expect(page.get_by_text("waiting for a worker")).to_be_visible()
    candidate_imports.IMPORTS.perform(CandidateImport.objects.get(status="queued").pk)
    expect(page).to_have_url(re.compile("/(candidates|rules)/$"))
