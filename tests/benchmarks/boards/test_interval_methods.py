"""One figure has one interval, on pages and in commands, and its method beside it."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now

import concord
from benchmarks.boards.services.boards import read_board
from benchmarks.boards.services.coefficients import coefficients
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
    """And each says which method they come from."""
    lines = candidate_lines(24, ("a", "b", "c"))
    for number, line in enumerate(lines):
        line["score"] -= 0.1 * (number % 4)
    path = write_lines(tmp_path / "small.jsonl", lines)
    judgment_set = importing.import_judgments("small", read_judgments([path], "concord"), at=now())
    score_here(published(judgment_set), "token-f1,rouge-l")
    page = readable(client.get("/sets/small/leaderboard/?details=show"))
    assert "bootstrap by passage" in page
    (stored,) = [row for row in read_board(judgment_set).rows if row["metric"] == "token-f1"]
    low, high = stored["standing"]["ci"]
    interval = f"{low:.3f} to {high:.3f}"
    assert interval in page
    frame = concord.read_judgments(path, format="concord")
    (row,) = concord.leaderboard(frame, metrics=["token-f1"]).rows
    assert row["standing"]["ci"] == pytest.approx(stored["standing"]["ci"], abs=1e-12)
    assert row["pearson"]["ci"] == pytest.approx(stored["pearson"]["ci"], abs=1e-12)
    assert row["pearson"]["ci"] != pytest.approx(row["standing"]["ci"], abs=1e-3)
    main(["leaderboard", str(path), "--metrics", "token-f1"])
    out = capsys.readouterr().out
    assert interval in out and "95% intervals: bootstrap by passage." in out
    command = StringIO()
    call_command("leaderboard", "small", stdout=command)
    assert interval in command.getvalue()
    assert "95% intervals: bootstrap by passage." in command.getvalue()
    main(["leaderboard", str(path), "--metrics", "token-f1", "--by", "system"])
    assert "95% intervals: Fisher\u2019s z." in capsys.readouterr().out


def test_few_passages_have_no_interval_on_the_board_either(
    tmp_path: Path, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the bootstrap has no interval, Fisher's z, which takes candidates as independent, does
    not replace it."""
    path = write_lines(tmp_path / "few.jsonl", candidate_lines(4, ("a", "b", "c")))
    judgment_set = importing.import_judgments("few", read_judgments([path], "concord"), at=now())
    run, _ = score_here(published(judgment_set), "token-f1,rouge-l")
    reason = "No interval: 4 passages; at least 10 are needed."
    page = readable(client.get("/sets/few/leaderboard/?details=show"))
    assert reason in page and "(Fisher" not in page and "(bootstrap" not in page
    assert all(
        one.figure["ci"] is None and one.method == "" for one in coefficients(judgment_set, run.pk)
    )
    main(["leaderboard", str(path), "--metrics", "token-f1"])
    out = capsys.readouterr().out
    assert reason in out and "95% intervals:" not in out
    path = write_lines(tmp_path / "one.jsonl", candidate_lines(1, ("a", "b", "c")))
    assert main(["leaderboard", str(path), "--metrics", "token-f1"]) == 0
    assert "No interval: 1 passage; at least 10 are needed." in capsys.readouterr().out
