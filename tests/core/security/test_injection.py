"""User texts are escaped on every page and never become part of a template or query."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils.timezone import now

from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.rating.services.tokens import token_for
from annotation.studies.intake import Item
from annotation.studies.models import Study
from benchmarks.freezing import services as freezing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import publishing
from benchmarks.submissions import services as submissions
from concord.formats import InstanceRecord
from concord.protocols import ScalePoint
from core.webhooks.models import Webhook
from tests.annotation import people
from tests.benchmarks.factories import make_set, score_here, write_lines

TEXT = (
    "zq{{ 7|add:35 }}{% debug %}</title></textarea></script>'\"><script>alert(1)</script>"
    "<img src=x onerror=alert(1)><svg onload=alert(1)>'; DROP TABLE annotation_study; --"
)
SHORT = "zq{{ 7|add:35 }}'\"><img src=x onerror=alert(1)>{% debug %}"
MARK = "zq{{ 7|add:35 }}"
LINK = "[zq](javascript:alert(1)) ![zq](https://example.org/x.png)"
MOST_OF_A_VIEW = 2


class Page(HTMLParser):
    """Parse a page: collect its links and reject unsafe elements."""

    def __init__(self, address: str, html: str) -> None:
        super().__init__()
        self.address, self.links, self.faults = address, [], []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        handlers = [name for name in values if name.startswith("on")]
        scheme = urlsplit((values.get("href") or "").strip()).scheme
        is_data = values.get("type") == "application/json"  # a browser does not run it
        inline = tag in ("script", "style") and not values.get("src") and not is_data
        if handlers or "style" in values or inline or scheme in ("javascript", "data"):
            self.faults.append(f"{self.address}: <{tag} {values}>")
        if tag == "img" and not (values.get("src") or "").startswith("/"):
            self.faults.append(f"{self.address}: <{tag} {values}>")
        if tag == "a" and values.get("href"):
            self.links.append(urldefrag(urljoin(self.address, values["href"]))[0])


def crawl(client: Client, *starts: str) -> dict[str, str]:
    """Follow links from `starts` to a few pages of each view; raise for unsafe pages."""
    todo, seen, kinds = list(starts), set(), Counter()
    pages: dict[str, str] = {}
    faults: list[str] = []
    while todo:
        address = todo.pop(0)
        # The documentation has no texts of users.
        if address in seen or not address.startswith("/") or address.startswith("/docs/"):
            continue
        seen.add(address)
        try:
            kind = resolve(urlsplit(address).path).view_name
        except Resolver404:
            continue
        kinds[kind] += 1
        if kinds[kind] > MOST_OF_A_VIEW:
            continue
        answer = client.get(address, follow=True)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code < 500, address
        if not answer["Content-Type"].startswith("text/html"):
            continue
        text = body.decode()
        page = Page(address, text)
        # A report is a file that is downloaded, and has its styles inside it.
        is_file = "attachment" in answer.get("Content-Disposition", "")
        faults += [one for one in page.faults if not (is_file and "<style" in one)]
        if "zq42" in text:
            faults.append(f"{address}: a template in a text was run")
        pages[address] = text
        todo += page.links
    assert not faults, "\n".join(faults)
    return pages


@pytest.fixture
def study(db) -> Study:
    """A study in which every text is an attack, with ratings, comments and notes."""
    protocol = people.protocol(
        question=TEXT,
        instructions=TEXT + LINK,
        examples=TEXT + LINK,
        consent=TEXT,
        scale=tuple(ScalePoint(value, SHORT) for value in range(1, 6)),
        rating_rules=(dataclasses.replace(people.PROTOCOL.rating_rules[0], ratings=1),),
    )
    instances = [
        InstanceRecord(f"{at}{TEXT}", (TEXT,), TEXT, TEXT, TEXT, "test", SHORT, TEXT)
        for at in range(3)
    ]
    rows = [
        Item.single(f"{at}{TEXT}", one, f"{at}{TEXT}", SHORT) for at, one in enumerate(instances)
    ]
    study = people.new_study(people.researcher(superuser=True), protocol, rows)
    Study.objects.update(title=SHORT)
    stage = people.open_stage(study)
    worker = people.join(study, SHORT)
    participation.consent(worker, at=now())
    assignment = handing_out.hand_out(worker.worker, stage, at=now())
    assert assignment is not None
    members = assignment.hit.members.values_list("candidate", flat=True)
    ratings = {pk: Answer(2, comment=TEXT) for pk in members}
    handing_out.save_ratings(assignment, ratings, at=now())
    handing_out.submit(assignment, at=now())
    participation.write(worker, TEXT, at=now())
    study.refresh_from_db()
    return study


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_study_of_attacks_shows_them_as_text_on_all_its_pages(study):
    pages = crawl(client_of(study.owner), "/studies/", f"/studies/{study.slug}/")
    assert len(pages) > 15
    assert sum("zq{{ 7|add:35 }}" in text for text in pages.values()) > 8
    assert Study.objects.count() == 1


def test_raters_read_attacks_as_text(study):
    worker = people.join(study, "another")
    token = token_for(worker)
    starts = [f"/rate/join/{study.slug}/", f"/rate/preview/{study.slug}/", f"/rate/{token}/"]
    pages = crawl(Client(), *starts, f"/rate/{token}/task/")
    assert any(MARK in text for text in pages.values())


def test_a_set_frozen_from_attacks_and_a_submission_show_them_as_text(study, tmp_path):
    judgment_set = freezing.freeze(study, "mean", by=study.owner, at=now())
    publishing.publish(judgment_set, at=now())
    score_here(judgment_set, "bleu-1,rouge-l")
    keys = judgment_set.candidates.values_list("key", flat=True)
    file = write_lines(tmp_path / "s.jsonl", [{"id": key, "score": 0.5} for key in keys])
    about = submissions.SubmissionInfo(
        "Mine", authors=TEXT, note=TEXT, link="https://example.org/?'\"><b>"
    )
    submission = submissions.submit_scores(judgment_set, about, file, owner=study.owner, at=now())
    submissions.publish(submission, at=now())
    JudgmentSet.objects.update(description=TEXT)
    Webhook.objects.create(
        owner=study.owner, kind="set", key=judgment_set.name, url=f"https://example.org/{SHORT}",
        events=["run.done"], sealed_secret="x", created_at=now(), disabled_reason=TEXT,
    )  # fmt: skip
    for client in (client_of(study.owner), Client()):
        pages = crawl(client, "/", f"/sets/{judgment_set}/", "/account/", "/webhooks/", "/admin/")
        assert len(pages) > 12
        assert sum(MARK in text for text in pages.values()) > 5


SEARCHES = (
    "?q=%s",
    "?system=%s",
    "?page=%s",
    "?level=%s",
    "?constituent=%s",
    "?sort=%s",
    "?show=%s",
)


@pytest.mark.parametrize("path", ["/", "/sets/small@1/leaderboard/", "/sets/small@1/errors/"])
def test_queries_with_attacks_in_them_are_answered_without_a_fault(path, db, tmp_path):
    score_here(make_set(tmp_path, "small"), "bleu-1")
    for search in SEARCHES:
        for attack in (TEXT, "1' OR '1'='1", "\x00", "-1", "1e999", "9" * 40, "%", "\ud7ff"):
            answer = Client().get(path, {search: attack})
            assert answer.status_code in (200, 400, 404, 422)
            if answer["Content-Type"].startswith("text/html"):
                assert Page(path, answer.content.decode()).faults == []


def test_an_upload_with_attacks_in_its_name_and_texts_shows_them_as_text(db, tmp_path):
    study = people.new_study(people.researcher())
    client = client_of(study.owner)
    line = {"id": "1", "references": [TEXT], "candidate": TEXT, "question": TEXT, "system": "a"}
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(line) + "\n")
    with file.open("rb") as opened:
        form = {"file": opened, "use": "rated", "format": "concord"}
        answer = client.post(f"/studies/{study.slug}/candidates/upload", form, follow=True)
    assert answer.status_code == 200 and MARK in answer.content.decode()
    assert Page("/", answer.content.decode()).faults == []
