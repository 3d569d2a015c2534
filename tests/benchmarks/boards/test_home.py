"""The first page, for visitors and for those who signed in."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.timezone import now

from annotation.setup.services import publishing
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.studies.models import Study
from benchmarks.analyses import services as analyses
from benchmarks.boards.services.boards import read_board
from benchmarks.boards.services.demo_pictures import FIGURES, JUDGES, demo_pictures
from benchmarks.boards.services.top_metrics import RankedMetric
from benchmarks.boards.services.workbench import FINISHED_FOR, workbench
from benchmarks.boards.views.home import MAX_PLOTTED, _sample
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing
from concord import demo
from concord.formats import read_judgments
from tests.annotation.factories import PLAIN, owner
from tests.benchmarks.boards.first_page import METRICS, figures
from tests.benchmarks.factories import make_set, score_here
from tests.benchmarks.scenes import Scene
from tests.core.rest.people import person
from tests.html import readable


def make_study(slug: str) -> Study:
    return create_study(
        slug, f"Study {slug}", PLAIN, source=StudySource("blank"), owner=owner(), seed=1, at=now()
    )


def words(client: Client) -> str:
    return " ".join(readable(client.get("/")).split())


def test_a_visitor_sees_what_concord_does_sets_and_published_studies(
    scene: Scene, visitor: Client
) -> None:
    make_study("private")
    publishing.publish(make_study("public"), at=now())
    page = words(visitor)
    for expected in (
        "Concord collects human ratings of generated answers",
        "24 candidates",
        "3 systems",
        "4 minimal pairs",
        'class="interval metric"',
        'href="/docs/"',
        "Sign in to run a study",
        "Study public",
    ):
        assert expected in page, expected
    assert "Study private" not in page and "Your work" not in page


def test_who_signed_in_sees_the_next_steps_of_their_studies(db: None) -> None:
    study = make_study("mine")
    client = Client()
    client.force_login(study.owner)
    page = words(client)
    assert "Your work" in page and "Create a study" in page
    assert f'href="/studies/{study.slug}/candidates/"' in page
    other = Client()
    other.force_login(person("vera"))
    page = words(other)
    assert "Study mine" not in page and "Create a study" not in page and "Import judg" in page
    assert "Your work" not in page and "How few ratings are enough?" in page


def test_the_questions_lead_to_the_demo_where_it_is_and_else_to_the_documentation(
    db: None, tmp_path: Path, visitor: Client
) -> None:
    def links() -> dict[str, str]:
        return {way.name: way.url for way in visitor.get("/").context["ways"]}

    assert links() == {
        "board": "/docs/tutorials/first-board.html",
        "ratings": "/docs/tutorials/first-study.html",
        "judge": "/docs/how-to/judges.html",
        "enough": "/docs/how-to/estimate.html",
    }
    assert all(visitor.get(url).status_code == 200 for url in links().values())
    make_set(tmp_path, demo.SET_NAME)
    assert links()["board"].startswith("/docs/"), "a set of somebody's that has this name"
    JudgmentSet.objects.update(illustrative=True)
    publishing.publish(make_study(demo.STUDY_NAME), at=now())
    assert links() == {
        "board": "/sets/demo@1/leaderboard/",
        "ratings": "/studies/demo-study/public/",
        "judge": "/sets/demo@1/judges/",
        "enough": "/sets/demo@1/fewer-ratings/",
    }
    assert all(visitor.get(url).status_code == 200 for url in links().values())


def test_the_pictures_show_what_the_demo_set_gives() -> None:
    again = "python -m tests.benchmarks.boards.first_page"
    assert json.loads(FIGURES.read_text("utf-8")) == figures(), f"run {again}"
    pictures = demo_pictures()
    assert [row.name for row in pictures.judges.rows] == list(JUDGES.values())
    assert [point.value for point in pictures.points if point.is_chosen] == [4]


@pytest.mark.usefixtures("usual_draws")
def test_the_pictures_have_the_figures_of_the_pages(db: None) -> None:
    """Those of the board, and of fewer ratings, with the metrics of the pictures."""
    file = demo.FOLDER / "judgments.jsonl"
    judgment_set = importing.import_judgments("demo", read_judgments([file], "concord"), at=now())
    score_here(judgment_set, ",".join(METRICS))
    stored = json.loads(FIGURES.read_text("utf-8"))
    for row, shown in zip(read_board(judgment_set).rows, stored["board"], strict=True):
        assert (row["metric"], round(row["pearson"]["value"] or 0.0, 3)) == (
            shown["metric"], shown["pearson"],
        )  # fmt: skip
        assert row["pearson"]["ci"] == pytest.approx(shown["ci"], abs=6e-4)
    analysis = analyses.request_analysis("replay", judgment_set, {})
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    for row, shown in zip(analysis.result["rows"], stored["replay"], strict=True):
        assert row["rated"] == pytest.approx(shown["rated"])
        assert row["correct"] == pytest.approx(shown["correct"])


def test_the_workbench_has_what_waits_what_runs_and_what_finished(db: None, tmp_path: Path) -> None:
    user, at = person("vera"), now()
    assert not workbench(user, [], at=at).has_any

    def make(status: str, **fields: Any) -> SetImport:
        return SetImport.objects.create(
            by=user, actor={}, name=f"set-{status}", format="concord", parameters={}, files=[],
            bytes_total=100, created_at=at, sent_at=at, status=status, **fields,
        )  # fmt: skip

    draft, running = make("draft"), make("running", bytes_read=40)
    failed = make("failed", reason="The file is empty.", finished_at=at)
    make("complete", finished_at=at - FINISHED_FOR - timedelta(hours=1))
    found = workbench(user, [], at=at)
    assert found.has_any
    assert [item.url for item in found.waiting] == [draft.get_absolute_url()]
    assert [(item.url, item.note) for item in found.running] == [
        (running.get_absolute_url(), "40%")
    ]
    assert [(item.url, item.note, item.is_problem) for item in found.finished] == [
        (failed.get_absolute_url(), "Failed: The file is empty.", True)
    ]
    assert not workbench(person("nobody"), [], at=at).has_any


def test_the_demo_study_alone_is_no_work_of_ones_own(db: None) -> None:
    study = make_study(demo.STUDY_NAME)
    assert not workbench(study.owner, [], at=now()).has_any
    make_study("mine")
    assert workbench(study.owner, [], at=now()).has_any


def test_a_card_plots_metrics_from_the_best_to_the_worst() -> None:
    metrics = [RankedMetric(n, f"m{n}", 1 - n / 40, None, 1) for n in range(29)]
    assert _sample(metrics[:4]) == metrics[:4]
    sample = _sample(metrics)
    assert len(sample) == MAX_PLOTTED and sample[0] == metrics[0] and sample[-1] == metrics[-1]
