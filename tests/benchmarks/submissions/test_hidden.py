"""Hidden labels, searched for wherever a set is shown or given away."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pyarrow.parquet as pq
import pytest
from django.urls import get_resolver, reverse
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.boards.services import boards
from benchmarks.exports.services import exports
from benchmarks.runs.services import releasing
from benchmarks.sets.models import HiddenLabels, JudgmentSet
from benchmarks.sets.services import hidden, importing
from benchmarks.sets.services.pseudonyms import pseudonyms
from benchmarks.sets.viewers import OPERATOR
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.formats import read_judgments, read_pairs
from core.accounts.roles import Role
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    pair_lines,
    published,
    score_here,
    write_lines,
)
from tests.benchmarks.submissions.conftest import score_lines
from tests.benchmarks.test_access import names
from tests.html import readable

# Gold scores, raters and better members that stand in the hidden split and nowhere else.
GOLD = {f"c{2 + 3 * at}-{system}": 1.0371 + at / 7.3 for at in range(8) for system in "ab"}


def lines(*, change: float = 0.0):
    rows = candidate_lines(instances=24)
    for line in rows:
        if line["split"] == "test":
            line["score"] = round(GOLD[line["id"]] + (line["system"] == "b") * 0.917, 4) + change
            line["candidate"] += f" hid{line['id'].replace('-', '')}"
            for at, rating in enumerate(line["ratings"]):
                rating |= {"worker": f"secretworker{line['id']}{at}", "group": "hiddencrowd"}
        else:
            line["score"] = round(line["score"]) + 0.0
    return rows


def pairs():
    rows = pair_lines(8)
    for at, line in enumerate(rows):
        line |= {"id": f"p{at}", "instance": f"pair {at}", "split": "test" if at < 6 else "dev"}
        line |= {"references": [f"reference {at}"], "phenomenon": "negation"}
        line |= {"candidate1": f"betterone {at}", "candidate2": f"worseone {at}"}
    return rows


@pytest.fixture
def masked(db, tmp_path) -> JudgmentSet:
    path = write_lines(tmp_path / "j.jsonl", lines())
    pair_file = read_pairs([write_lines(tmp_path / "p.jsonl", pairs())], "concord")
    first = read_judgments([path], "concord")
    published(importing.import_judgments("masked", first, pair_file, at=now()))
    changed = read_judgments([write_lines(tmp_path / "k.jsonl", lines(change=0.05))], "concord")
    made = published(importing.import_judgments("masked", changed, pair_file, at=now()))
    score_here(made, "token-f1,rouge-l")
    hidden.hide(made, "test", at=now())
    return made


def readable_content(response) -> str:
    """Everything in an answer that a person could read; a spreadsheet or archive unpacked."""
    return unpack(response.getvalue() if response.streaming else response.content)


def unpack(body: bytes) -> str:
    if body.startswith(b"PK"):
        archive = zipfile.ZipFile(io.BytesIO(body))
        return "\n".join(unpack(archive.read(name)) for name in archive.namelist())
    if body.startswith(b"PAR1"):
        return str(pq.read_table(io.BytesIO(body)).to_pylist())
    return body.decode("utf-8", "replace")


def addresses(made: JudgmentSet) -> list[str]:
    """Every page and file of the set, with what their queries can ask for."""
    values = {"ref": str(made), "pk": made.runs.first().pk}
    urls = []
    for name, pattern in names(get_resolver().url_patterns):
        parts = set(pattern.pattern.converters)
        if "ref" in parts and parts <= set(values):
            urls.append(reverse(name, kwargs={part: values[part] for part in parts}))
    base = f"/sets/{made}/"
    urls += [f"{base}candidates/{key}/" for key in ("c2-a", "c2-b", "c5-a", "c0-a", "c1-b")]
    run = values["pk"]
    urls += [
        f"{base}runs/{run}/?split=test",
        f"{base}runs/{run}/?count=100",
        f"{base}runs/{run}/?system=a",
        f"{base}runs/{run}/scatter.svg?split=test",
        f"{base}pairs/?run={run}&verdict=right",
        f"{base}pairs/?phenomenon=negation",
        f"{base}compare/?with=1",
        f"{base}?constituent=stories",
        f"{base}errors/?run={run}&count=100",
        f"{base}errors/?run={run}&split=test",
        f"{base}errors/?run={run}&other={made.runs.last().pk}&count=100",
        f"{base}correctness/?gold=2.5&report=test",
        f"{base}correctness/roc.svg",
    ]
    for by in ("constituent", "system", "category", "split", "type", "length", "references"):
        for page in ("leaderboard/", "leaderboard.csv", "leaderboard.json"):
            urls.append(f"{base}{page}?by={by}")
    for extension in ("csv", "json", "tex"):
        urls.append(f"{base}comparison/comparison.{extension}")
        urls.append(f"{base}comparison/comparison.{extension}?by=split&group=test")
    urls.append(f"{base}comparison/?part=split:test")
    # Streams of events say that something changed and no more, and have no end to be read to.
    return [url for url in urls if "/change" not in url and not url.endswith("/events")]


def secrets() -> dict[str, list[str]]:
    """What must not be told, by what it is."""
    hidden_lines = [line for line in lines(change=0.05) if line["split"] == "test"]
    gold = [line["score"] for line in hidden_lines]
    gold += [line["score"] for line in lines() if line["split"] == "test"]
    return {
        "gold": sorted({f"{value:.4f}" for value in gold} | {repr(value) for value in gold}),
        "raters": [
            pseudonyms(JudgmentSet.objects.named("masked"))(one["worker"])
            for line in hidden_lines
            for one in line["ratings"]
        ]
        + ["secretworker"],
    }


def stands_in(value: str, text: str) -> bool:
    """Whether a text has a value, and not only as a part of another number, such as a time."""
    return re.search(rf"(?<![\d.]){re.escape(value)}(?!\d)", text) is not None


@pytest.mark.parametrize("person", ["visitor", "ann"])
def test_no_page_and_no_file_shows_a_hidden_label(masked, people, ann, person):
    add_member("masked", ann, Role.VIEWER)
    responses = {url: people[person].get(url) for url in addresses(masked)}
    assert len(responses) > 40
    assert {response.status_code for response in responses.values()} <= {
        200,
        302,
        400,
        401,
        403,
        404,
        405,
        409,
        422,
    }
    for url, response in responses.items():
        text = readable_content(response)
        for what, values in secrets().items():
            assert not [value for value in values if stands_in(value, text)], (url, what)
        assert masked.content_hash not in text, url
        if "items.jsonl" not in url:
            assert "betterone 0" not in text and "worseone 5" not in text, url
        if response.status_code == 200 and "/candidates/c2-a" in url:
            assert "Labels of this split are hidden" in text and "Worker" not in text
        if "/candidates/c2-" in url or "/compare/" in url or "/runs/" in url:
            gold = [line["score"] for line in lines(change=0.05) if line["split"] == "test"]
            assert not [value for value in gold if f">{value:.2f}<" in text], url


def test_head_tells_no_more_than_get(masked, people):
    masked.viewer = OPERATOR
    analyses.find_or_compute("systems", masked, {"draws": 10, "soft_draws": 10})
    for url in (url for url in addresses(masked) if url.startswith("/api/")):
        answers = people["ann"].get(url), people["ann"].head(url)
        headers = [(one.get("Content-Length"), one.get("ETag")) for one in answers]
        # A cursor has the time, and an error the method.
        if answers[0].status_code == 200 and "cursor=" not in readable_content(answers[0]):
            assert headers[0] == headers[1], url


def test_staff_see_all_hidden_labels(masked, people):
    everything = "".join(readable_content(people["sam"].get(url)) for url in addresses(masked))
    for values in secrets().values():
        assert any(stands_in(value, everything) for value in values)
    assert "betterone 0" in everything
    candidate = readable_content(people["sam"].get(f"/sets/{masked}/candidates/c2-a/"))
    assert f">{lines(change=0.05)[4]['score']:.2f}<" in candidate
    assert "Labels of this split are hidden" not in candidate and "Worker" in candidate


def test_figures_of_single_hidden_items_are_in_no_file(masked, people):
    rows = readable_content(people["ann"].get(f"/sets/{masked}/scores.csv")).splitlines()[1:]
    by_key = {row.split(",")[0]: row.split(",")[2:] for row in rows}
    assert set(by_key["c2-a"]) == {""} and all(by_key["c0-a"])
    judged = [json.loads(line) for line in _file(people["ann"], masked, "judgments.jsonl")]
    shown = {row["id"]: row for row in judged}
    assert shown["c2-a"].get("score") is None and not shown["c2-a"].get("ratings")
    assert len(judged) == 48 and shown["c0-a"]["score"] is not None
    assert [json.loads(line)["id"] for line in _file(people["ann"], masked, "pairs.jsonl")] == [
        "p6",
        "p7",
    ]
    page = readable(people["ann"].get(f"/sets/{masked}/runs/{masked.runs.first().pk}/?count=100"))
    assert "hidc" not in page and "are hidden and not shown below" in page


def _file(client, made, name):
    return readable_content(client.get(f"/sets/{made}/{name}")).splitlines()


def test_figures_of_hidden_labels_are_withheld_but_for_those_of_visible_splits(masked, people):
    def rows(person, by=""):
        query = f"?by={by}" if by else ""
        return people[person].get(f"/sets/{masked}/leaderboard.json{query}").json()["rows"]

    assert {row["pearson"]["reason"] for row in rows("ann")} == {releasing.TOO_FEW}
    assert {row["pearson"]["reason"] for row in rows("ann", "system")} == {releasing.WITHHELD}
    assert {row["pearson"]["value"] is None for row in rows("sam", "system")} == {False}
    by_split, exact = (
        {(row["run"], row["group"]): row["pearson"]["value"] for row in rows(who, "split")}
        for who in ("ann", "sam")
    )
    for (run, split), value in by_split.items():
        assert value == (None if split == "test" else exact[run, split])
    refused = readable(people["ann"].get(f"/sets/{masked}/comparison/?part=system:a"))
    assert releasing.WITHHELD in refused.lower()
    assert boards.complete_analysis("agreement", masked, {"by": "split", "group": "dev"})
    assert not boards.complete_analysis("agreement", masked, {"by": "split", "group": "test"})
    assert releasing.WITHHELD in readable(people["ann"].get(f"/sets/{masked}/systems/"))
    estimate = f"/sets/{masked}/estimate/"
    assert "candidates are rated" in _text(people["sam"].get(estimate, follow=True))
    assert "labels are hidden" in _text(people["ann"].get(estimate, follow=True))
    masked.viewer = OPERATOR
    analysis = analyses.find_or_compute("systems", masked, {"draws": 10, "soft_draws": 10})
    url = f"/api/v1/sets/{masked}/analyses/{analysis.pk}"
    assert people["sam"].get(url).status_code == 200 and people["ann"].get(url).status_code == 422
    assert "Pearson" not in readable(people["visitor"].get("/")).split('id="sets"')[1]


def _text(response) -> str:
    return " ".join(readable(response).split())


def test_the_content_hash_cannot_confirm_a_guessed_label(masked, people, settings):
    url = f"/sets/{masked}/leaderboard.json"
    assert people["sam"].get(url).json()["content_hash"] == masked.content_hash
    shown = people["ann"].get(url).json()["content_hash"]
    assert shown != masked.content_hash
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key"
    assert people["ann"].get(url).json()["content_hash"] == shown
    page = readable(people["ann"].get(f"/sets/{masked}/files/"))
    assert shown in page and masked.content_hash not in page


def test_a_submission_to_hidden_pairs_counts_by_the_order_it_was_shown(masked, ann, scores_file):
    HiddenLabels.objects.update(pair_key="a key that turns some of them and not all")
    rows = [json.loads(line) for line in submissions.files.item_lines(masked)]
    pair_rows = [row for row in rows if "candidate1" in row]
    firsts = {row["candidate1"].split()[0] for row in pair_rows[:6]}
    assert firsts == {"betterone", "worseone"}, "some are turned"
    assert [row["candidate1"] for row in pair_rows[6:]] == ["betterone 6", "betterone 7"]
    scores = score_lines(masked)
    for row in pair_rows:
        wins = row["candidate1"].startswith("betterone")
        scores.append({"id": row["id"], "score1": int(wins), "score2": int(not wins)})
    path = scores_file(scores)
    made = submissions.submit_scores(masked, SubmissionInfo("oracle"), path, owner=ann, at=now())
    assert made.run.statistics["rows"][""][0]["pairs"]["accuracy"] == 1.0


def test_staff_hide_and_show_on_the_page_in_every_version(masked, people):
    url = reverse("hidden-labels", args=[str(masked)])
    first = JudgmentSet.objects.named("masked@1")
    assert hidden.viewer_masks(first).candidates.sum() == 16
    people["sam"].post(url, {"do": "hide", "split": ""})
    first, second = (JudgmentSet.objects.named(f"masked@{n}") for n in (1, 2))
    assert hidden.viewer_masks(first).candidates.all() and hidden.viewer_masks(second).pairs.all()
    people["sam"].post(url, {"do": "reveal", "split": ""})
    people["sam"].post(url, {"do": "reveal", "split": "test"})
    assert not hidden.viewer_masks(JudgmentSet.objects.named("masked"))
    assert people["sam"].post(url, {"do": "hide", "split": "moon"}).status_code == 404
    assert people["ann"].post(url, {"do": "hide", "split": "test"}).status_code == 403


def test_the_command_line_exports_hidden_labels(masked):
    masked.viewer = OPERATOR
    rows = [json.loads(line) for line in exports.judgments(masked)]
    assert all(row["score"] is not None for row in rows)
