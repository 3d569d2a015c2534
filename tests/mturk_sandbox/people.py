"""Requesters and workers for the sandbox's tests: boto3 and a browser without script."""

from __future__ import annotations

import html
import http.cookiejar
import json
import re
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode

import boto3  # noqa: TID253 - the tests are boto3's users
from botocore.config import Config

# One session: boto3 reads its models once.
SESSION = boto3.session.Session(
    aws_access_key_id="AKIDALICE", aws_secret_access_key="secret", region_name="us-east-1"
)
SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
START = 1_700_000_000.0
DAY = 86_400


def client(url: str, service: str = "mturk", *, key: str = "AKIDALICE", attempts: int = 1) -> Any:
    """A real boto3 client; by default it tries once, so that a test sees every answer."""
    return SESSION.client(
        service,
        endpoint_url=url,
        aws_access_key_id=key,
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": attempts, "mode": "standard"}),
    )


def external(url: str = "https://example.org/task?study=1", height: int = 600) -> str:
    shown = html.escape(url)
    return (
        f'<ExternalQuestion xmlns="{SCHEMAS}2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{shown}</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )


def choice(name: str, *selections: str, text: str = "Which?", extra: str = "") -> str:
    """A multiple-choice Question of a QuestionForm."""
    listed = "".join(
        f"<Selection><SelectionIdentifier>{one}</SelectionIdentifier><Text>{one}</Text></Selection>"
        for one in selections
    )
    return (
        f"<Question><QuestionIdentifier>{name}</QuestionIdentifier><IsRequired>true</IsRequired>"
        f"<QuestionContent><Text>{text}</Text></QuestionContent><AnswerSpecification>"
        f"<SelectionAnswer>{extra}<Selections>{listed}</Selections></SelectionAnswer>"
        "</AnswerSpecification></Question>"
    )


def question_form(*questions: str) -> str:
    root = f'<QuestionForm xmlns="{SCHEMAS}2017-11-06/QuestionForm.xsd">'
    return root + "".join(questions) + "</QuestionForm>"


def key_line(name: str, *options: tuple[str, int], default: str = "") -> str:
    """A Question of an AnswerKey; an option's selections are joined by commas."""
    shown = "".join(
        "<AnswerOption>"
        + "".join(
            f"<SelectionIdentifier>{one}</SelectionIdentifier>" for one in selection.split(",")
        )
        + f"<AnswerScore>{score}</AnswerScore></AnswerOption>"
        for selection, score in options
    )
    return (
        f"<Question><QuestionIdentifier>{name}</QuestionIdentifier>{shown}"
        + (f"<DefaultScore>{default}</DefaultScore>" if default else "")
        + "</Question>"
    )


def answer_key(*lines: str, mapping: str = "") -> str:
    wrapped = f"<QualificationValueMapping>{mapping}</QualificationValueMapping>" if mapping else ""
    root = f'<AnswerKey xmlns="{SCHEMAS}2005-10-01/AnswerKey.xsd">'
    return root + "".join(lines) + wrapped + "</AnswerKey>"


def terms(**changes: Any) -> dict[str, Any]:
    """What CreateHIT needs, with changes."""
    return {
        "Title": "Rate answers",
        "Description": "Read a passage and rate an answer.",
        "Reward": "0.10",
        "LifetimeInSeconds": 3600,
        "AssignmentDurationInSeconds": 600,
        "Question": external(),
        **changes,
    }


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Person:
    """A worker with a browser: cookies, pages, forms."""

    def __init__(self, url: str, worker: str) -> None:
        self.url = url
        self.id = worker
        jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        self.post("/worker/login/", workerId=worker)

    def open(self, request: urllib.request.Request) -> tuple[int, str, str]:
        """Status, text and address after redirects."""
        try:
            with self._opener.open(request, timeout=120) as response:
                return response.status, response.read().decode(), response.url
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.url or ""

    def get(self, path: str) -> str:
        status, text, _ = self.open(urllib.request.Request(self.url + path))
        assert status == 200, (status, text)
        return text

    def status_of(self, path: str) -> int:
        return self.open(urllib.request.Request(self.url + path))[0]

    def post(self, path: str, **fields: Any) -> tuple[int, str, str]:
        body = urlencode(fields, doseq=True).encode()
        return self.open(urllib.request.Request(self.url + path, data=body, method="POST"))

    def accept(self, hit_id: str) -> str:
        """Accept a HIT and return the assignment's ID from the page one comes to."""
        status, text, address = self.post(f"/worker/hits/{hit_id}/accept/")
        assert status == 200, text
        match = re.search(r"/worker/assignments/([A-Z0-9]+)/", address)
        assert match, text
        return match[1]

    def submit(self, assignment_id: str, **fields: Any) -> tuple[int, str, str]:
        """Post the form of a task, as a frame would: without the worker's cookies."""
        body = urlencode({"assignmentId": assignment_id, **fields}, doseq=True).encode()
        request = urllib.request.Request(f"{self.url}/mturk/externalSubmit", data=body)
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return response.status, response.read().decode(), response.url
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.url or ""

    def do(self, hit_id: str, **fields: Any) -> str:
        """Accept and submit; the assignment's ID."""
        assignment_id = self.accept(hit_id)
        status, text, _ = self.submit(assignment_id, **(fields or {"rating": "4"}))
        assert status == 200, text
        return assignment_id


def ledger(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/ledger/?format=json", timeout=120) as response:
        return json.load(response)


def balances(url: str, key: str = "AKIDALICE") -> tuple[int, int]:
    """Available and held cents of an account, checked against the sums of the ledger."""
    engine = ledger(url)
    account = next(one for one in engine["accounts"] if one["id"] == key)
    entries = [one for one in engine["entries"] if one["account"] == key]
    assert account["available"] == sum(one["available"] for one in entries)
    assert account["held"] == sum(one["held"] for one in entries)
    return account["available"], account["held"]


def value_of(worker: Person, kind: str) -> int | None:
    """The value of a worker's qualification, as the worker's page shows it; None without it."""
    shown = re.search(r"with the value (\d+)", worker.get(f"/worker/qualifications/{kind}/"))
    return int(shown[1]) if shown else None
