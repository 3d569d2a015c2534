"""Boards, agreement and analyses on one criterion of a set, never on several mixed."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import leaderboards
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds.correctness import computation
from benchmarks.analyses.kinds.criteria import CriteriaAnalysis
from benchmarks.boards.services import across
from benchmarks.runs.models import CriterionStatistics
from benchmarks.runs.services import releasing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden, importing
from concord.formats import read_judgments
from concord.meta import pearson
from concord.reliability.halo import TOO_FEW
from core.accounts.roles import Role
from tests import real_data
from tests.benchmarks.factories import add_member, make_criteria_set, make_set, score_here
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def several(tmp_path: Path) -> JudgmentSet:
    made = make_criteria_set(tmp_path, instances=12)
    score_here(made, "token-f1,bleu-1")
    return made


@pytest.fixture
def only(tmp_path: Path) -> JudgmentSet:
    """A set with criteria only."""
    made = make_criteria_set(tmp_path, "only", 12, with_score=False)
    score_here(made, "token-f1")
    return made


def gold_of(judgment_set: JudgmentSet, name: str) -> np.ndarray:
    return judgment_set.criteria.defer(None).get(name=name).gold_array


def r_of(board: dict[str, Any], metric: str = "token-f1") -> float:
    (row,) = [row for row in board["rows"] if row["metric"] == metric]
    return row["pearson"]["value"]


def test_a_board_is_of_the_chosen_criterion(several: JudgmentSet, client: Client) -> None:
    run = several.runs.defer(None).get(metric="token-f1")
    for name in ("truth", "fluency"):
        gold = gold_of(several, name)
        judged = np.isfinite(gold)
        expected = pearson(run.score_array[judged], gold[judged]).value
        answer = client.get("/api/v1/sets/several/leaderboard", {"criterion": name}).json()
        assert answer["criterion"] == name and r_of(answer) == pytest.approx(expected)
        assert answer["rows"][0]["n"] == judged.sum()
    score = client.get("/api/v1/sets/several/leaderboard").json()
    assert score["criterion"] is None and len({r_of(score), expected}) == 2
    assert CriterionStatistics.objects.count() == 4


def test_statistics_on_the_score_stay_those_of_the_score(several: JudgmentSet) -> None:
    before = leaderboards.leaderboard(several).rows
    criteria.choose(several, "fluency")
    on_fluency = leaderboards.leaderboard(several).rows
    several.runs.update(statistics={"revision": 0})  # of an older release
    criteria.choose(several, "")
    after = leaderboards.leaderboard(several).rows
    assert after == before != on_fluency


def test_ranks_are_of_the_same_criterion(several: JudgmentSet, client: Client) -> None:
    boards = {}
    for name in ("", "fluency"):
        query = {"criterion": name} if name else {}
        client.get("/sets/several/leaderboard/", query)
        boards[name] = client.get("/sets/several/leaderboard.json", query).json()
        for row in boards[name]["rows"]:
            low, high = row["standing"]["ci"]
            assert low <= row["pearson"]["value"] <= high
    assert boards[""]["rows"] != boards["fluency"]["rows"]


def test_the_page_has_a_choice_of_criteria(several: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get("/sets/several/leaderboard/")))
    assert (
        'id="criterion-score"' in page
        and 'href="/sets/several@1/leaderboard/?criterion=truth"' in page
    )
    page = str(readable(client.get("/sets/several/leaderboard/?criterion=fluency&sort=kendall")))
    assert 'On <span dir="auto">fluency</span>:' in page
    assert 'href="/sets/several@1/comparison/?criterion=fluency"' in page
    for path in ("comparison", "systems", "side-by-side"):
        page = str(readable(client.get(f"/sets/several/{path}/?criterion=fluency")))
        assert 'aria-current="true"' in page.partition(">fluency</a>")[0][-200:]
    assert client.get("/sets/several/leaderboard/?criterion=no").status_code == 400


def test_a_set_without_a_score_shows_its_first_criterion(only: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get("/sets/only/leaderboard/")))
    assert 'id="criterion-score"' not in page and 'On <span dir="auto">truth</span>:' in page
    answer = client.get("/api/v1/sets/only/leaderboard")
    assert answer.status_code == 422 and "truth, fluency" in answer.json()["detail"]
    for path in ("", "data/", "correctness/", "judges/", "errors/", "runs/", "pairs/"):
        assert client.get(f"/sets/only/{path}").status_code == 200, path
    assert client.get("/").status_code == 200


def test_commands_take_a_criterion(several: JudgmentSet, only: JudgmentSet, manage: Any) -> None:
    board = manage("leaderboard", "several", "--criterion", "fluency", "--format", "json").stdout
    assert json.loads(board)["criterion"] == "fluency"
    unknown = manage("leaderboard", "several", "--criterion", "no")
    assert "has no criterion 'no'. Its criteria: truth, fluency." in unknown.stderr
    missing = manage("agreement", "only")
    assert missing.returncode and "Choose one of them: truth, fluency." in missing.stderr
    options = ("--criterion", "truth", "--format", "json", "--draws", "10")
    of_truth = json.loads(manage("agreement", "only", *options).stdout)
    assert (of_truth["criterion"], of_truth["ratings"]) == ("truth", 46)
    crowd = manage("agreement", "several", "--criterion", "fluency", "--raters", "crowd")
    assert "several@1, raters crowd, fluency" in crowd.stdout


def test_an_analysis_is_of_a_criterion(several: JudgmentSet, client: Client) -> None:
    rosa = User.objects.create_user("rosa")
    add_member("several", rosa, Role.EDITOR)
    client.force_login(rosa)
    body = {"kind": "agreement", "parameters": {"draws": 20}, "criterion": "truth"}
    answer = client.post("/api/v1/sets/several/analyses", body, "application/json").json()
    analyses.ANALYSES.perform(answer["id"])
    document = client.get(f"/api/v1/sets/several/analyses/{answer['id']}").json()
    assert document["parameters"]["criterion"] == "truth"
    assert document["result"]["n"] == 23 and document["result"]["unjudged"] == 1
    assert [one["group"] for one in document["result"]["people"]["groups"]] == ["crowd"]


def test_a_computation_is_started_and_shown_for_a_criterion(
    several: JudgmentSet, client: Client
) -> None:
    rosa = User.objects.create_user("rosa")
    add_member("several", rosa, Role.EDITOR)
    client.force_login(rosa)
    answer = client.post("/sets/several@1/comparison/compute", {"criterion": "truth"})
    assert answer["Location"].endswith("criterion=truth")
    page = str(readable(client.get(answer["Location"])))
    assert "23 judged candidates" in page and "criterion=truth" in page


@pytest.mark.parametrize(
    "page", ["correctness/", "judges/", "sentinels/", "combination/", "fewer-ratings/", "estimate/"]
)
def test_every_analysis_has_a_choice_of_criteria(
    several: JudgmentSet, only: JudgmentSet, client: Client, page: str
) -> None:
    for name in ("truth", "fluency"):
        response = client.get(f"/sets/several/{page}", {"criterion": name}, follow=True)
        text = readable(response)
        assert f'name="criterion" value="{name}"' in " ".join(text.split())
        path = response.request["PATH_INFO"].replace("several", "several@1")
        assert re.search(rf'href="{path}\?[^"]*criterion={name}"', text)
    assert "criterion" in readable(client.get(f"/sets/only/{page}", follow=True))
    assert client.get(f"/sets/several/{page}", {"criterion": "taste"}).status_code == 400


def test_correctness_is_of_the_chosen_criterion(several: JudgmentSet, client: Client) -> None:
    correct = {}
    for name in ("truth", "fluency"):
        page = "/sets/several/correctness/correctness.json"
        answer = client.get(page, {"criterion": name}).json()
        gold, low_high = gold_of(several, name), several.criteria.get(name=name).scale
        assert low_high is not None and answer["parameters"]["gold"] == sum(low_high) / 2
        correct[name] = answer["n"]["judged"], np.nanmean(gold >= sum(low_high) / 2)
        assert answer["n"]["judged"] == np.isfinite(gold).sum()
    assert correct["truth"] != correct["fluency"]


def test_a_worker_computes_correctness_on_a_criterion(
    several: JudgmentSet, client: Client, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "/sets/several/correctness/"
    here = client.get(f"{page}correctness.json", {"criterion": "truth"}).json()
    several.analyses.all().delete()
    monkeypatch.setattr(computation, "SECONDS_PER_SCORE", 0.1)
    add_member("several", User.objects.get(username="admin"))
    answer = admin_client.post(f"{page}compute", {"criterion": "truth"})
    assert "criterion=truth" in answer["Location"]
    analysis = several.analyses.get(kind="correctness")
    assert analysis.parameters["gold"] == here["parameters"]["gold"]
    analyses.ANALYSES.perform(analysis.pk)
    there = client.get(f"{page}correctness.json", {"criterion": "truth"}).json()
    assert there["metrics"] == here["metrics"]
    refused = admin_client.post(f"{page}compute", {"tune": "nonsense"})
    assert refused.status_code == 302 and several.analyses.count() == 1


def test_figures_over_few_hidden_labels_are_withheld(several: JudgmentSet, client: Client) -> None:
    hidden.hide(several, "", at=now())
    answer = client.get("/api/v1/sets/several/leaderboard", {"criterion": "fluency"}).json()
    assert {row["pearson"]["reason"] for row in answer["rows"]} == {releasing.TOO_FEW}


def test_metrics_by_criteria_are_those_of_the_boards(several: JudgmentSet, client: Client) -> None:
    score_here(several, "exact-match")
    table = across.metrics_by_criteria(several, "spearman")
    assert [column.name for column in table.columns] == ["score", "truth", "fluency"]
    for column, name in enumerate(["", "truth", "fluency"]):
        query = {"criterion": name} if name else {}
        board = client.get("/api/v1/sets/several/leaderboard", query).json()
        expected = {row["metric"]: row["spearman"]["value"] for row in board["rows"]}
        assert {row.metric: row.cells[column].value for row in table.rows} == expected
    first = [row.cells[0].value for row in table.rows]
    assert first == sorted(first, reverse=True) and table.mean_of is None
    header, *rows = csv.reader(
        io.StringIO(client.get("/sets/several/criteria.csv").content.decode())
    )
    assert header == ["metric", "score", "truth", "fluency"] and len(rows) == 3
    assert (
        "Metric & score & truth & fluency"
        in client.get("/sets/several/criteria.tex").content.decode()
    )


def test_the_criteria_page_has_agreement_and_halo(several: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get("/sets/several/criteria/?coefficient=kendall")))
    assert 'href="/sets/several@1/leaderboard/?criterion=truth"' in page
    assert "Within raters" in page and "truth, fluency" in page
    people: Any = analyses.result("criteria", several, {})
    assert [(row.criterion, row.group, row.raters) for row in people.raters] == [
        ("truth", "crowd", 13),
        ("fluency", "crowd", 2),
        ("fluency", "expert", 1),
    ]
    (pair,) = people.pairs
    both = np.isfinite(gold_of(several, "truth"))
    golds = [gold_of(several, name)[both] for name in ("truth", "fluency")]
    assert pair.gold.value == pytest.approx(np.corrcoef(*golds)[0, 1])
    (halo,) = pair.halo
    assert halo.group == "crowd" and halo.within.reason == TOO_FEW
    hidden.hide(several, "", at=now())
    page = str(readable(client.get("/sets/several/criteria/")))
    assert "Labels of this set are hidden" in page and "Within raters" not in page


def test_a_worker_computes_the_agreement_of_a_large_set(
    only: JudgmentSet, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(User.objects.create_user("reader"))
    monkeypatch.setattr(analyses, "MAX_SECONDS_IN_PAGE", 0)
    page = str(readable(client.get("/sets/only/criteria/")))
    assert "Being computed" in page and "Within raters" not in page
    (queued,) = only.analyses.filter(kind="criteria")
    assert "criterion" not in queued.parameters
    analyses.ANALYSES.perform(queued.pk)
    assert "Within raters" in str(readable(client.get("/sets/only/criteria/")))
    rosa = User.objects.create_user("rosa")
    add_member("only", rosa, Role.EDITOR)
    client.force_login(rosa)
    answer = client.post("/api/v1/sets/only/analyses", {"kind": "criteria"}, "application/json")
    assert answer.json()["id"] == queued.pk  # the same on every criterion, so none is chosen
    answer = client.post("/sets/only/criteria/compute", {"coefficient": "kendall"})
    assert answer.url == "/sets/only@1/criteria/?coefficient=kendall"


def test_a_set_without_criteria_says_so(tmp_path: Path, client: Client) -> None:
    make_set(tmp_path)
    page = str(readable(client.get("/sets/small/criteria/")))
    assert "This set has no criteria besides its score." in page
    assert "Criterion" not in str(readable(client.get("/sets/small/leaderboard/")))


@pytest.mark.usefixtures("usual_draws")
def test_summevals_crowd_has_a_halo_and_its_experts_have_hardly_any() -> None:
    judgments = read_judgments([real_data.path("thumb/cnndm_part1.jsonl")], "thumb")
    made = importing.import_judgments("summeval", judgments, at=now())
    result = cast(CriteriaAnalysis, analyses.result("criteria", made, {}))
    excess = {
        (pair.first, pair.second, row.group): row.excess
        for pair in result.pairs
        for row in pair.halo
    }
    assert len(excess) == 12
    for (first, second, group), figure in excess.items():
        low, high = figure.ci
        assert low < figure.value < high
        if group == "crowd":
            assert low > 0.18
        else:
            assert (figure.value > 0.05) == ((first, second) == ("coherence", "relevance"))
