"""The client against a live server: what it sends, streams, repeats and raises."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from pytest_django.live_server_helper import LiveServer

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.client import Client, ProblemError, UnreachableError, WaitTimeoutError
from concord.client.transport import ApiTransport
from tests.benchmarks.factories import (
    ESA_ROW,
    candidate_lines,
    criteria_lines,
    judged_pair_lines,
    make_set,
    pair_lines,
    write_lines,
)


class Wire(httpx.BaseTransport):
    """Carries requests, but loses the first `lost` answers after the server has worked."""

    def __init__(self, lost: int = 0) -> None:
        self.inner, self.lost = httpx.HTTPTransport(), lost
        self.keys: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        response = self.inner.handle_request(request)
        if self.lost:
            self.lost -= 1
            response.read()
            response.close()
            raise httpx.ReadTimeout("the answer got lost", request=request)
        return response


def test_a_lost_answer_makes_nothing_twice(
    live_server: LiveServer, token: str, at_once: None, tmp_path: Path
) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    wire = Wire(lost=2)
    with Client(live_server.url, token, transport=wire) as client:
        made = client.import_set(file, format="concord", name="once")
    assert made.ref == "once@1"
    assert JudgmentSet.objects.count() == 1
    sent = [key for key in wire.keys if key]
    assert len(sent) == 3
    assert len(set(sent)) == 1


def test_what_is_neither_read_nor_created_is_not_sent_again_blindly(
    live_server: LiveServer, token: str, at_once: None, tmp_path: Path
) -> None:
    with Client(live_server.url, token) as client:
        made = client.import_set(
            write_lines(tmp_path / "set.jsonl", candidate_lines()), format="concord", name="small"
        )
        (run,) = client.start_runs(made, ["bleu-1"])
    wire = Wire(lost=1)
    lost = pytest.raises(UnreachableError, match="the answer got lost")
    with Client(live_server.url, token, transport=wire) as client, lost:
        client.post(f"/sets/small/runs/{run.id}/stop")
    assert len(wire.keys) == 1


def test_all_pages_of_a_list_are_read(
    client: Client, live_server: LiveServer, tmp_path: Path
) -> None:
    made = client.import_set(
        write_lines(tmp_path / "set.jsonl", candidate_lines(instances=130)),
        format="concord",
        name="long",
    )
    path = f"/sets/{made.ref}/candidates"
    keys = [candidate["id"] for candidate in client.pages(path)]
    assert len(keys) == len(set(keys)) == 260
    assert {one["system"] for one in client.pages(path, system="a")} == {"a"}


def test_a_refused_file_says_where_it_is_wrong(client: Client, tmp_path: Path) -> None:
    lines = candidate_lines()
    lines[4]["references"] = [1]
    file = write_lines(tmp_path / "bad.jsonl", lines)
    with pytest.raises(ProblemError) as refused:
        client.import_set(file, format="concord", name="bad")
    assert refused.value.kind == "file-refused"
    (fault,) = refused.value.faults
    assert (fault.file, fault.line, fault.field) == ("bad.jsonl", 5, "references[0]")


def test_downloads_are_whole_or_not_there(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    pairs = write_lines(tmp_path / "pairs.jsonl", pair_lines())
    made = client.import_set(file, format="concord", name="small", pairs=pairs)
    judgments = client.download_judgments(made, tmp_path / "out.jsonl")
    assert len(judgments.read_text().splitlines()) == 12
    with pytest.raises(ProblemError):
        client.download("/sets/small/scores.jsonl", tmp_path / "none.jsonl", metrics=["bleu-1"])
    assert not (tmp_path / "none.jsonl").exists()
    assert {path.suffix for path in tmp_path.iterdir()} == {".jsonl"}


def test_a_board_is_read_on_a_criterion(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", criteria_lines())
    made = client.import_set(file, format="concord", name="several")
    assert client.leaderboard(made).criterion is None
    assert client.leaderboard(made, criterion="fluency").criterion == "fluency"
    with pytest.raises(ProblemError, match="Its criteria: truth, fluency"):
        client.leaderboard(made, criterion="no")


def test_judged_pairs_are_imported_read_and_downloaded(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    made = client.import_set(file, format="concord", name="judged")
    made = client.import_set(
        pairs=write_lines(tmp_path / "p.jsonl", judged_pair_lines()), name="judged"
    )
    assert made.ref == "judged@2"
    assert client.get("/sets/judged/choices")["choices"] == 18
    findings = client.get("/sets/judged/findings")["findings"]
    assert {row["evidence"] for row in findings} >= {"choices"}
    path = "/sets/judged/preferences.jsonl"
    preferred = client.download(path, tmp_path / "chosen.jsonl")
    assert len(preferred.read_text().splitlines()) == 4
    by_scores = client.download(path, tmp_path / "s.jsonl", by="scores", min_gap=1)
    assert by_scores.read_text() != preferred.read_text()
    project = client.download("/sets/judged/label-studio.xml", tmp_path / "project.xml")
    assert project.read_text().startswith("<View>")
    items = client.download("/sets/judged/potato.jsonl", tmp_path / "items.jsonl")
    assert len(items.read_text().splitlines()) == 12


def test_spans_and_criteria_are_read(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", criteria_lines())
    made = client.import_set(file, format="concord", name="several")
    ratings = tmp_path / "esa.csv"
    ratings.write_text(ESA_ROW)
    texts = write_lines(
        tmp_path / "texts.jsonl",
        [{"id": "sysA/news-1/7", "references": ["Haus"], "candidate": "Hut"}],
    )
    marked = client.import_set(ratings, format="esa", name="esa", texts=texts)
    assert [one["candidate"] for one in client.pages("/sets/esa/candidates")] == ["Hut"]
    analysis = client.start_analysis(marked, "spans")
    assert analysis.status == "queued"
    with pytest.raises(ProblemError, match="Its criteria: truth, fluency"):
        client.start_analysis(made, "estimate", criterion="no")


def test_waiting_ends_and_says_how_far_the_work_is(client: Client, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    made = client.import_set(file, format="concord", name="small")
    runs = client.start_runs(made, ["bleu-1"])
    with pytest.raises(WaitTimeoutError, match="is queued, at 0%"):
        client.wait(runs, timeout=0.3)
    client.post(f"/sets/small/runs/{runs[0].id}/stop")
    assert client.wait(runs)[0].status == "cancelled"


def test_visitors_see_what_is_public(live_server: LiveServer, tmp_path: Path) -> None:
    make_set(tmp_path, "public")
    private = make_set(tmp_path, "private")
    JudgmentSet.objects.filter(pk=private.pk).update(published_at=None)
    with Client(live_server.url, "") as visitor:
        assert [one["name"] for one in visitor.pages("/sets")] == ["public"]
        with pytest.raises(ProblemError) as refused:
            visitor.start_runs("public", ["bleu-1"])
    assert refused.value.status == 401
    assert not MetricRun.objects.exists()


def test_who_submits_scores_sees_them_on_their_board_alone(
    client: Client, live_server: LiveServer, tmp_path: Path
) -> None:
    file = write_lines(tmp_path / "set.jsonl", candidate_lines())
    made = client.import_set(file, format="concord", name="small")
    path = f"/sets/{made.ref}"
    file = client.download(f"{path}/items.jsonl", tmp_path / "items.jsonl")
    items = file.read_text().splitlines()
    scored = [{"id": json.loads(line)["id"], "score": 0.1 * at} for at, line in enumerate(items)]
    scores = write_lines(tmp_path / "scores.jsonl", scored)
    about = {"kind": "scores", "name": "Mine", "higher_is_better": True, "authors": "R. Uth"}
    submitted = client.upload(f"{path}/submissions", {"scores": scores}, **about)
    assert [one["name"] for one in client.pages(f"{path}/submissions")] == ["Mine"]
    assert client.get(f"{path}/submissions/{submitted['id']}")["name"] == "Mine"


@pytest.mark.parametrize("status", [429, 503])
def test_what_passes_is_asked_again_after_the_time_the_server_names(status: int) -> None:
    answers = [
        httpx.Response(status, headers={"Retry-After": "3"}),
        httpx.Response(200, json={"results": [], "next": None}),
    ]
    pauses: list[float] = []
    transport = ApiTransport(
        "http://concord.test",
        "",
        timeout=5,
        transport=httpx.MockTransport(lambda _: answers.pop(0)),
        sleep=pauses.append,
    )
    assert transport.get("/sets").status_code == 200
    assert pauses == [3.0]


def test_an_answer_that_is_no_problem_document_is_told_all_the_same() -> None:
    transport = ApiTransport(
        "http://concord.test",
        "",
        timeout=5,
        transport=httpx.MockTransport(lambda _: httpx.Response(418, text="<h1>tea</h1>")),
    )
    with pytest.raises(ProblemError, match="418"):
        transport.get("/sets")
