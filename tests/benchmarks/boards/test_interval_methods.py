"""One figure has one interval, on pages, in commands and in analyses."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now

import concord
from benchmarks.boards.services.boards import board_row, read_board
from benchmarks.boards.services.top_metrics import rank_public_metrics
from benchmarks.sets.services import importing
from concord.cli import main
from concord.formats import read_judgments
from tests.benchmarks.factories import candidate_lines, published, score_here, write_lines
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("usual_draws")
def test_the_command_on_a_file_has_the_intervals_of_the_page(
    tmp_path: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """On boards by groups too, whose intervals go by passage."""
    lines = candidate_lines(24, ("a", "b", "c"))
    for number, line in enumerate(lines):
        line["score"] -= 0.1 * (number % 4)
    path = write_lines(tmp_path / "small.jsonl", lines)
    judgment_set = importing.import_judgments("small", read_judgments([path], "concord"), at=now())
    score_here(published(judgment_set), "token-f1,rouge-l")
    page = readable(client.get("/sets/small/leaderboard/?details=show"))
    (stored,) = [row for row in read_board(judgment_set).rows if row["metric"] == "token-f1"]
    low, high = stored["pearson"]["ci"]
    assert stored["pearson"]["over"] == "passages" and stored["pearson"]["clusters"] == 24
    interval = f"{low:.3f} to {high:.3f}"
    assert interval in page
    assert stored["standing"]["ci"] == stored["pearson"]["ci"]
    analysis = judgment_set.analyses.get(kind="agreement")
    (compared,) = [row for row in analysis.result["metrics"] if row["metric"] == "token-f1"]
    assert (compared["ci"], compared["p"]) == (stored["pearson"]["ci"], stored["pearson"]["p"])
    assert rank_public_metrics([judgment_set])[judgment_set.pk].metrics[0].ci in (
        row["pearson"]["ci"] for row in read_board(judgment_set).rows
    )
    frame = concord.read_judgments(path, format="concord")
    (row,) = concord.leaderboard(frame, metrics=["token-f1"]).rows
    for name in ("pearson", "spearman", "kendall"):
        assert row[name]["ci"] == pytest.approx(stored[name]["ci"], abs=1e-12)
        assert row[name]["p"] == pytest.approx(stored[name]["p"], abs=1e-12)
    main(["leaderboard", str(path), "--metrics", "token-f1"])
    out = capsys.readouterr().out
    assert interval in out and "95% intervals: jackknife over passages." in out
    command = StringIO()
    call_command("leaderboard", "small", stdout=command)
    assert interval in command.getvalue()
    (stored,) = [
        row
        for row in read_board(judgment_set, "system").rows
        if row["metric"] == "token-f1" and row["group"] == "b"
    ]
    main(["leaderboard", str(path), "--metrics", "token-f1", "--by", "system"])
    low, high = stored["pearson"]["ci"]
    assert f"{low:.3f} to {high:.3f}" in capsys.readouterr().out


def test_few_passages_have_no_interval_on_the_board_either(
    tmp_path: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "few.jsonl", candidate_lines(4, ("a", "b", "c")))
    judgment_set = importing.import_judgments("few", read_judgments([path], "concord"), at=now())
    run, _ = score_here(published(judgment_set), "token-f1,rouge-l")
    reason = "No interval: 4 passages; at least 10 are needed."
    page = readable(client.get("/sets/few/leaderboard/?details=show"))
    assert reason in page
    row = board_row(judgment_set, run.pk)
    assert [row[name]["ci"] for name in ("pearson", "spearman", "kendall")] == [None] * 3
    main(["leaderboard", str(path), "--metrics", "token-f1"])
    out = capsys.readouterr().out
    assert reason in out and "95% intervals:" not in out
    path = write_lines(tmp_path / "one.jsonl", candidate_lines(1, ("a", "b", "c")))
    assert main(["leaderboard", str(path), "--metrics", "token-f1"]) == 0
    assert "No interval: 1 passage; at least 10 are needed." in capsys.readouterr().out
