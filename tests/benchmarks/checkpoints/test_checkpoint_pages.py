"""Pages that say what a checkpoint of a learned metric is and which examples it fails."""

from __future__ import annotations

import pytest
from django.template.defaultfilters import filesizeformat
from django.utils.html import escape
from django.utils.timezone import now

from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.checkpoints.services import read_checkpoint
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import WEIGHTS, checkpoint_folder, shipped_names
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


@pytest.mark.parametrize("name", shipped_names())
def test_everybody_reads_the_model_card_of_a_shipped_checkpoint(client, name):
    card = CheckpointCard.read(checkpoint_folder(name))
    page = " ".join(readable(client.get(f"/learned/checkpoints/{name}/")).split())
    weights = checkpoint_folder(name) / WEIGHTS
    for text in (card.licence, card.notes, card.command, card.weights_sha256, card.encoder):
        assert text and escape(text) in page
    assert filesizeformat(weights.stat().st_size).replace("\xa0", " ") in page
    assert all(f"{source.file}, {source.examples:,} examples" in page for source in card.data)
    assert f"{card.figures['dev f1']:.3f}" in page
    for title, row in card.extra.get("unseen", {}).items():
        low, high = row["pearson"]["ci"]
        assert title in page and f"{low:.3f} to {high:.3f}" in page
    for failure in card.known_failures:
        assert escape(failure["source"]) in page


def test_visitors_see_the_shipped_models_only(client):
    read_checkpoint(checkpoint_folder("lerc"), "mine", at=now()).save()
    page = readable(client.get("/learned/"))
    assert all(f"/learned/checkpoints/{name}/" in page for name in shipped_names())
    assert "mine" not in page and "Import" not in page


def test_boards_and_runs_link_the_model_card(tmp_path, client):
    judged = make_set(tmp_path, instances=2)
    (run,) = score_here(judged, "bleu-1-kpqa")
    board = f"/sets/{judged}/leaderboard/?details=show"
    for page in (board, f"/sets/{judged}/runs/{run.pk}/"):
        assert 'href="/learned/checkpoints/kpqa/"' in readable(client.get(page))
    assert "bleu-1-kpqa" in readable(client.get("/learned/checkpoints/kpqa/"))


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
