"""A worker of the sandbox: accepts there, rates here in the frame, submits there."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit
from xml.etree import ElementTree

from django.test import Client

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from mturk_sandbox import Sandbox, work
from tests.annotation.crowds.scenes import requester

PASSES = 100


@dataclass
class Turker:
    """`accept`, `open`, `rate`, `finish`, `submit` are what a person does, in this order."""

    sandbox: Sandbox
    worker_id: str
    client: Client = field(default_factory=lambda: Client(enforce_csrf_checks=True))
    assignment_id: str = ""
    hit_id: str = ""

    def qualified(self, publication: Publication) -> Turker:
        """One who has what the study asks for, whatever way it was come by."""
        with self.sandbox.engine.transaction() as context:
            work.ensure_worker(context, self.worker_id)
        requester(self.sandbox.url).associate_qualification_with_worker(
            QualificationTypeId=publication.provider_ids["test"],
            WorkerId=self.worker_id,
            IntegerValue=PASSES,
            SendNotification=False,
        )
        return self

    def accept(self, listing: Listing) -> Turker:
        self.hit_id = listing.provider_id
        with self.sandbox.engine.transaction() as context:
            work.ensure_worker(context, self.worker_id)
            self.assignment_id = work.accept(context, self.worker_id, self.hit_id)
        return self

    def return_hit(self) -> None:
        with self.sandbox.engine.transaction() as context:
            work.return_assignment(context, self.worker_id, self.assignment_id)

    def url(self, **changes: str) -> str:
        """What the frame opens."""
        with self.sandbox.engine.transaction() as context:
            question = work.hit_with_type(context, self.hit_id)["question"]
        address = ElementTree.fromstring(question)[0].text or ""
        form_data = {
            "assignmentId": self.assignment_id,
            "hitId": self.hit_id,
            "workerId": self.worker_id,
            "turkSubmitTo": self.sandbox.url,
        } | changes
        return f"{urlsplit(address).path}?{urlencode(form_data)}"

    def open(self, **changes: str) -> Any:
        """Open the frame, and agree where that is asked."""
        page = self.client.get(self.url(**changes), follow=True)
        if page.status_code == 200 and "I agree" in page.content.decode():
            path = page.redirect_chain[-1][0]
            page = self.client.post(path, {"action": "agree"}, follow=True)
        return page

    def rate(self, page: Any, value: int = 4) -> Any:
        """Rate everything and press Submit; the page from which the browser submits there."""
        text = page.content.decode()
        path = re.search(r'action="(/rate/crowd/task/[^"]+)"', text)
        assert path, text[:2000]
        keys = re.findall(r'data-candidate="(\d+)"', text)
        form = {f"value-{key}": value for key in keys} | {"action": "submit"}
        return self.client.post(path[1], form, follow=True)

    def submit(self, page: Any) -> None:
        """Post the form of `rate`'s page to where it says."""
        text = page.content.decode()
        assert f'action="{self.sandbox.url}/mturk/externalSubmit"' in text, text
        fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', text)
        assert dict(fields)["assignmentId"] == self.assignment_id
        self.submit_fields([(name, html.unescape(value)) for name, value in fields])

    def submit_fields(self, fields: list[tuple[str, str]]) -> None:
        """Post any form there."""
        with self.sandbox.engine.transaction() as context:
            work.submit_external_form(context, self.assignment_id, fields)

    def do(self, listing: Listing, value: int = 4) -> CrowdAssignment:
        """All of it."""
        self.accept(listing).submit(self.rate(self.open(), value))
        return CrowdAssignment.objects.get(provider_id=self.assignment_id)

    def hand_in(self, listing: Listing, value: int = 4) -> None:
        """The same by what the platform gets in the end, without our pages."""
        assert listing.hit is not None
        keys = listing.hit.candidates.values_list("pk", flat=True)
        self.accept(listing).submit_fields([(f"rating-{key}", str(value)) for key in keys])
