"""Pages that say what a checkpoint of a learned metric is and which examples it fails."""

from __future__ import annotations

import pytest
from django.utils.timezone import now

from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.trainings.models import Checkpoint
from benchmarks.trainings.services.checkpoints import read_checkpoint
from scorers.learned.checkpoint import checkpoint_folder
from tests.benchmarks.factories import make_set, score_here
from tests.html import readable

pytestmark = pytest.mark.django_db


def test_shipped_checkpoints_have_a_card_with_their_known_failures(admin_client):
    page = readable(admin_client.get("/learned/"))
    assert 'href="/learned/checkpoints/lerc-features/"' in page
    assert "LERC head over ROUGE-L-KPQA" in page and "known failure" in page
    for name in ("ava-features", "ava"):
        card = readable(admin_client.get(f"/learned/checkpoints/{name}/"))
        assert "<h1>ava-features" in card and "Known failures" in card
        assert "The percentage of water in the body is variable" in card
        assert "EVOUNA NQ, test" in card
    assert admin_client.get("/learned/checkpoints/nothing/").status_code == 404


def test_an_imported_checkpoint_has_one_too(admin_client, client):
    read_checkpoint(checkpoint_folder("lerc"), "mine", at=now()).save()
    assert Checkpoint.objects.get().card["known_failures"]
    card = readable(admin_client.get("/learned/checkpoints/mine/"))
    assert "MOCHA (Chen et al., 2020), Table 3, negation" in card
    assert "/learned/checkpoints/mine.zip" in card
    assert client.get("/learned/checkpoints/mine/").status_code == 302


def test_boards_name_the_checkpoint_of_a_learned_metric(tmp_path, client):
    judged = make_set(tmp_path, instances=4)
    runs = score_here(judged, "lerc,token-f1")
    rows = {row["metric"]: row["checkpoint"] for row in leaderboard(judged).rows}
    assert rows["lerc"]["name"] == "lerc-features" and rows["token-f1"] is None
    assert rows["lerc"]["description"].startswith("LERC head over")
    board = readable(client.get(f"/sets/{judged}/leaderboard/?details=show"))
    run = readable(client.get(f"/sets/{judged}/runs/{runs[0].pk}/"))
    assert board.count("LERC head over") == 1 and "LERC head over" in run
