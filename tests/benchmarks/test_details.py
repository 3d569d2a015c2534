"""Run, candidate, pair and system pages, and the downloads."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.errors.services import browsing
from benchmarks.sets.services import importing
from benchmarks.sets.services.pseudonyms import pseudonyms
from concord.formats import read_judgments
from tests.benchmarks.factories import candidate_lines, published, score_here, write_lines
from tests.benchmarks.scenes import Scene
from tests.html import readable


def page(client: Client, name: str, *arguments: object, query: str = "") -> str:
    response = client.get(reverse(name, args=arguments) + query)
    assert response.status_code == 200
    return readable(response)


def downloaded(client: Client, name: str, scene: Scene, file_name: str) -> bytes:
    response = client.get(reverse(name, args=[scene.ref]))
    assert response.streaming
    assert response["Content-Disposition"] == f'attachment; filename="{file_name}"'
    return b"".join(response.streaming_content)


def test_each_judged_candidate_is_a_point_that_leads_to_it(scene: Scene, visitor: Client) -> None:
    text = page(visitor, "metric-run", scene.ref, scene.run.pk)
    assert text.count('class="point"') == 24
    links = set(re.findall(r'<a href="([^"]+/candidates/[^"]+)"', text))
    assert len(links) >= 24
    for link in list(links)[:3]:
        assert visitor.get(link).status_code == 200
    only = page(visitor, "metric-run", scene.ref, scene.run.pk, query="?system=b&split=dev")
    assert only.count('class="point"') == 3
    none = page(visitor, "metric-run", scene.ref, scene.run.pk, query="?system=nobody")
    assert "No judged candidate in this selection has a score" in none


def test_many_candidates_become_squares(
    scene: Scene, visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.boards.views.scatter.MAX_POINTS", 10)
    text = page(visitor, "metric-run", scene.ref, scene.run.pk)
    assert 'class="point"' not in text
    counts = [int(n) for n in re.findall(r"<title>\s*(\d+) candidates?: people", text)]
    assert sum(counts) == 24


def test_the_plot_is_a_file_that_stands_alone(scene: Scene, visitor: Client) -> None:
    response = visitor.get(reverse("scatter-svg", args=[scene.ref, scene.run.pk]))
    assert response["Content-Type"] == "image/svg+xml"
    policy = set(response["Content-Security-Policy"].split("; "))
    assert policy == {"default-src 'none'", "style-src 'unsafe-inline'"}
    root = ElementTree.fromstring(response.content)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg"
    assert len(root.findall(f".//{svg}circle")) == 24
    assert root.find(f"{svg}style") is not None
    assert "var(" not in readable(response)


def test_a_candidate_page_has_ratings_under_pseudonyms_scores_and_siblings(
    scene: Scene, visitor: Client
) -> None:
    text = page(visitor, "candidate", scene.ref, "c1-b")
    assert pseudonyms(scene.judgment_set)("w1") in text
    assert ">w1<" not in text
    assert "crowd" in text
    assert len(set(re.findall(r"/candidates/(c1-[ac])/", text))) == 2
    assert "token-f1" in text and "rouge-l" in text


def test_score_shares_count_ties_half(scene: Scene) -> None:
    candidate = scene.judgment_set.candidates.get(key="c1-b")
    people, metrics = browsing.score_shares(scene.judgment_set, candidate)
    assert people.score == candidate.gold
    by_name = {one.name: one for one in metrics}
    assert by_name["exact-match"].above == 0.5
    assert set(by_name) == {"token-f1", "rouge-l", "exact-match"}


def test_the_candidate_page_takes_few_queries(
    scene: Scene, visitor: Client, django_assert_max_num_queries: object
) -> None:
    url = reverse("candidate", args=[scene.ref, "c1-b"])
    visitor.get(url)
    with django_assert_max_num_queries(8):
        visitor.get(url)


def test_a_key_with_slashes_and_spaces_has_a_page(
    tmp_path: Path, db: None, visitor: Client
) -> None:
    lines = candidate_lines(2)
    lines[0]["id"] = "a/b c?d#e/ü"
    judgments = read_judgments([write_lines(tmp_path / "k.jsonl", lines)], "concord")
    judgment_set = published(importing.import_judgments("keys", judgments, at=now()))
    run = score_here(judgment_set, "token-f1")[0]
    text = page(visitor, "metric-run", str(judgment_set), run.pk)
    link = next(link for link in re.findall(r'href="([^"]+)"', text) if "a/b" in link)
    assert "a/b c?d#e/ü" in readable(visitor.get(link))


def test_pairs_say_what_the_metric_makes_of_them(scene: Scene, visitor: Client) -> None:
    text = page(visitor, "minimal-pairs", scene.ref)
    assert text.count('id="pair-') == 4
    assert "negation" in text and "word sense" in text
    query = f"?run={scene.run.pk}"
    tally = re.search(
        r"(\d+) right, (\d+) tied, (\d+) wrong",
        page(visitor, "minimal-pairs", scene.ref, query=query),
    )
    assert tally is not None
    right, tied, wrong = map(int, tally.groups())
    assert right + tied + wrong == 4
    lost = page(visitor, "minimal-pairs", scene.ref, query=f"{query}&verdict=wrong")
    assert lost.count('id="pair-') == wrong
    one = page(visitor, "minimal-pairs", scene.ref, query="?phenomenon=negation")
    assert one.count('id="pair-') == 2


def test_the_comparison_on_pairs_can_be_downloaded(scene: Scene, visitor: Client) -> None:
    score_here(scene.judgment_set, "bleu-1")
    text = page(visitor, "minimal-pairs", scene.ref)
    for extension, start in (
        ("svg", b"<?xml"),
        ("png", b"\x89PNG"),
        ("csv", b"one,other,delta,p\n"),
    ):
        url = reverse("pair-differences-file", args=[scene.ref, extension])
        assert url in text
        assert visitor.get(url).content.startswith(start)


def test_the_board_of_systems_shows_the_metrics_asked_for(scene: Scene, visitor: Client) -> None:
    text = page(visitor, "system-board", scene.ref, query=f"?run={scene.run.pk}&run=junk")
    head = text[text.index("<thead>") : text.index("</thead>")]
    assert "token-f1" in head and "rouge-l" not in head
    assert 'class="interval people"' in text


def test_the_overview_has_histograms_and_the_files_the_import(
    scene: Scene, visitor: Client
) -> None:
    text = page(visitor, "judgment-set", scene.ref)
    assert text.count('class="histogram"') == 2 + 3
    files = page(visitor, "set-files", scene.ref)
    assert scene.judgment_set.content_hash in files
    assert "24 candidates read, 24 kept" in files
    assert str(Path("/tmp")) + "/" not in files
    stories = page(visitor, "judgment-set", scene.ref, query="?constituent=stories")
    assert 'aria-label="a: ' in stories


def test_an_older_version_says_that_there_is_a_newer_one(
    scene: Scene, visitor: Client, tmp_path: Path
) -> None:
    judgments = read_judgments(
        [write_lines(tmp_path / "next.jsonl", candidate_lines(3))], "concord"
    )
    published(importing.import_judgments("small", judgments, at=now()))
    assert "The latest is" in page(visitor, "leaderboard", "small@1")
    assert "The latest is" not in page(visitor, "leaderboard", "small")


def test_scores_and_ratings_download_as_csv(scene: Scene, visitor: Client) -> None:
    scores = downloaded(visitor, "scores-csv", scene, "small-v1-scores.csv")
    rows = list(csv.DictReader(io.StringIO(scores.decode())))
    assert len(rows) == 24
    assert {"id", "system", "score", "token-f1", "rouge-l"} <= set(rows[0])
    ratings = downloaded(visitor, "ratings-csv", scene, "small-v1-ratings.csv")
    assert len(list(csv.DictReader(io.StringIO(ratings.decode())))) == 48


def test_the_spreadsheet_opens(scene: Scene, visitor: Client) -> None:
    book = downloaded(visitor, "scores-xlsx", scene, "small-v1-scores.xlsx")
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        assert parts.testzip() is None
        assert "xl/worksheets/sheet1.xml" in parts.namelist()


def test_judgments_and_pairs_download_and_read_back(
    scene: Scene, visitor: Client, tmp_path: Path
) -> None:
    lines = downloaded(visitor, "judgments-jsonl", scene, "small-v1-judgments.jsonl")
    again = tmp_path / "again.jsonl"
    again.write_bytes(lines)
    assert len(read_judgments([again], "concord").candidates) == 24
    pairs = downloaded(visitor, "pairs-jsonl", scene, "small-v1-pairs.jsonl")
    assert [json.loads(line)["id"] for line in pairs.splitlines()] == ["p0", "p1", "p2", "p3"]


def test_a_run_under_way_or_failed_says_so_in_place_of_figures(
    scene: Scene, visitor: Client
) -> None:
    assert "would not start" in page(visitor, "metric-run", scene.ref, scene.failed.pk)
    assert "queued" in page(visitor, "metric-run", scene.ref, scene.queued.pk)
    response = visitor.get(reverse("scatter-svg", args=[scene.ref, scene.failed.pk]))
    assert response.status_code == 404
