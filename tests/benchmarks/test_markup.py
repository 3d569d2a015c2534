"""What holds for every page: nothing inline, everything escaped, structure in order."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.sets.services import importing
from concord.formats import read_judgments, read_pairs
from tests.benchmarks.factories import (
    candidate_lines,
    make_set,
    pair_lines,
    published,
    score_here,
    write_lines,
)
from tests.benchmarks.scenes import Scene

ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
RIGHT_TO_LEFT = "שלום עולם"


class Markup(HTMLParser):
    """Collects what a page must not have, and its headings and ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.alien: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attributes)
        if values.get("id"):
            self.ids.append(str(values["id"]))
        if tag == "style" or (tag == "script" and not values.get("src")):
            self.inline.append(tag)
        self.inline += [name for name in values if name == "style" or name.startswith("on")]
        for name in ("src", "href", "action"):
            value = values.get(name) or ""
            if value.startswith(("http:", "https:", "//", "javascript:")):
                self.alien.append(value)


def pages(scene: Scene) -> dict[str, str]:
    ref = scene.ref
    return {
        "sets": reverse("judgment-sets"),
        "set": reverse("judgment-set", args=[ref]),
        "board": reverse("leaderboard", args=[ref]),
        "board by": reverse("leaderboard", args=[ref]) + "?by=constituent&sort=pairs",
        "systems": reverse("system-board", args=[ref]),
        "runs": reverse("metric-runs", args=[ref]),
        "run": reverse("metric-run", args=[ref, scene.run.pk]),
        "failed run": reverse("metric-run", args=[ref, scene.failed.pk]),
        "constant run": reverse("metric-run", args=[ref, scene.constant.pk]),
        "pairs": reverse("minimal-pairs", args=[ref]) + f"?run={scene.run.pk}",
        "candidate": reverse("candidate", args=[ref, "c1-b"]),
        "sign-in": reverse("sign-in"),
        "not found": "/nowhere",
    }


PAGES = [
    "sets",
    "set",
    "board",
    "board by",
    "systems",
    "runs",
    "run",
    "failed run",
    "constant run",
    "pairs",
    "candidate",
    "sign-in",
    "not found",
]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_anything_inline_or_from_elsewhere(
    page: str, scene: Scene, staff: Client, no_ping: object
) -> None:
    response = staff.get(pages(scene)[page])
    parsed = Markup(response.content.decode())
    assert parsed.inline == []
    assert parsed.alien == []
    assert parsed.tags.count("h1") == 1
    assert parsed.tags.count("main") == 1
    assert len(parsed.ids) == len(set(parsed.ids))
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def attacked(line: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {**line, **{field: f"{field} {ATTACK}" for field in fields}}


@pytest.mark.django_db
def test_texts_of_a_set_reach_no_page_unescaped(
    tmp_path: Path, staff: Client, no_ping: object
) -> None:
    fields = ("candidate", "question", "passage", "system", "constituent", "split", "category")
    lines = [attacked(line, *fields) for line in candidate_lines(4, ("a",))]
    for line in lines:
        line["references"] = [ATTACK, RIGHT_TO_LEFT]
        line["id"] = f"{line['id']} {ATTACK}"
        line["ratings"] = [{"worker": ATTACK, "value": 3, "group": ATTACK}]
    pairs = [
        attacked(line, "candidate1", "candidate2", "question", "phenomenon")
        for line in pair_lines(2)
    ]
    judgments = read_judgments([write_lines(tmp_path / "a.jsonl", lines)], "concord")
    parsed = read_pairs([write_lines(tmp_path / "p.jsonl", pairs)], "concord")
    about = importing.SetInfo(title=ATTACK, description=ATTACK)
    judgment_set = published(
        importing.import_judgments("attack", judgments, parsed, info=about, at=now())
    )
    run = score_here(judgment_set, "token-f1")[0]
    scene = Scene(judgment_set, run, run, run, run)
    urls = pages(scene) | {
        "candidate": reverse("candidate", args=[scene.ref, lines[0]["id"]]),
        "group": f"/sets/attack/leaderboard/?by=system&group=system {ATTACK}",
        "filter": f"/sets/attack/leaderboard/?metric={ATTACK}",
        "svg": reverse("scatter-svg", args=[scene.ref, run.pk]) + f"?system=system {ATTACK}",
        "missing": f"/sets/{ATTACK}/",
    }
    for name, url in urls.items():
        text = staff.get(url).content.decode()
        assert "<script>alert" not in text, name
        assert "<img" not in text, name
    assert 'dir="auto"' in staff.get(urls["candidate"]).content.decode()


@pytest.mark.django_db
def test_a_very_long_text_is_folded_and_whole(tmp_path: Path, visitor: Client) -> None:
    lines = candidate_lines(3)
    for line in lines:
        line["passage"] = " ".join(f"word{n}" for n in range(5000))
        line["instance"] = "one"
        line["question"] = "Which word?"
        line["references"] = ["word7"]
        line.update(constituent="stories", split="train", category="")
    judgments = read_judgments([write_lines(tmp_path / "long.jsonl", lines)], "concord")
    published(importing.import_judgments("long", judgments, at=now()))
    text = visitor.get(reverse("candidate", args=["long", lines[0]["id"]])).content.decode()
    assert "all 5,000 words" in text
    assert "word4999" in text


@pytest.mark.django_db
def test_an_illustrative_set_says_so_wherever_it_shows(
    tmp_path: Path, visitor: Client, scene: Scene
) -> None:
    path = write_lines(tmp_path / "demo.jsonl", candidate_lines())
    judgments = read_judgments([path], "concord")
    about = importing.SetInfo(title="A demo", illustrative=True)
    demo = published(importing.import_judgments("demo", judgments, info=about, at=now()))
    run = score_here(demo, "token-f1")[0]
    shown = pages(Scene(demo, run, run, run, run))
    for name in set(shown) - {"sign-in", "not found"}:
        assert "illustrative" in visitor.get(shown[name]).content.decode(), name
    plain = visitor.get(pages(scene)["board"]).content.decode()
    assert "illustrative" not in plain


@pytest.mark.django_db
def test_an_empty_installation_says_what_to_do(visitor: Client) -> None:
    assert "import_judgments" in visitor.get("/").content.decode()


@pytest.mark.django_db
def test_a_set_without_anything_on_it_says_what_to_do(tmp_path: Path, visitor: Client) -> None:
    make_set(tmp_path, "bare", systems=("",))
    for path, sentence in {
        "leaderboard/": "This set has no metric scores",
        "systems/": "have no system names",
        "runs/": "No metric has been run",
        "pairs/": "has no minimal pairs",
    }.items():
        assert sentence in visitor.get(f"/sets/bare/{path}").content.decode()
