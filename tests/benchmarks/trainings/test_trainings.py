"""Learned metrics trained by a real worker, from the page to a metric by the training's name."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

import scorers
from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.sets.services import importing
from benchmarks.trainings import services as trainings
from benchmarks.trainings import tasks
from benchmarks.trainings.models import Checkpoint, Training, TrainingFile
from benchmarks.trainings.services import TrainingOptions, TrainingRefusedError, work
from benchmarks.trainings.services.checkpoints import read_checkpoint
from concord.formats import ReadOptions, read_judgments
from core.audit.models import AuditEvent
from scorers.learned.checkpoint import checkpoint_folder
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    published,
    score_here,
    write_lines,
)
from tests.html import readable
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = {
    "epochs": 2, "rates": "0.001", "seeds": "1", "batch_size": 8, "max_tokens": 32,
    "lora_rank": 2, "patience": 2, "dev_share": 0.3, "test_share": 0, "split_seed": 2,
}  # fmt: skip


@pytest.fixture
def sam(db):
    return User.objects.create_user("sam", is_staff=True)


@pytest.fixture
def staff(sam):
    client = Client()
    client.force_login(sam)
    return client


@pytest.fixture
def judged(tmp_path, sam):
    """Thirty questions with a right and a wrong answer each, ten of them a test split."""
    lines = candidate_lines(30)
    for place, line in enumerate(lines):
        line |= {"score": 5 - 4 * (place % 2), "ratings": []}
        line["candidate"] = "nothing" if place % 2 else line["references"][0]
        line["split"] = "test" if line["split"] == "test" else "train"
    path = write_lines(tmp_path / "small.jsonl", lines)
    judgments = read_judgments([path], "concord", ReadOptions())
    made = published(importing.import_judgments("small", judgments, None, at=now()))
    add_member("small", sam)
    return made


def asked(judged, sam, kind="lerc", name="mine", **choices):
    small = {"epochs": 2, "batch_size": 8, "max_tokens": 32, "lora_rank": 2, "dev_share": 0.3}
    all_choices = TrainingOptions(**{**small, "split_seed": 2, **choices})
    return trainings.request(name, kind, all_choices, [judged], [], by=sam, at=now())


def here(training):
    assert trainings.perform(training.pk)
    training.refresh_from_db()
    return training


def test_from_the_form_to_a_metric_on_the_board(worker, judged, staff):
    form = {**SMALL, "name": "mine", "sets": [judged.pk], "features": ["token-f1"], "notes": "Hm."}
    answer = staff.post("/learned/train/lerc/start", form)
    assert answer.status_code == 302, readable(answer)
    worker.start()
    wait_for(lambda: not Training.objects.get().is_active)
    training = Training.objects.get()
    assert (training.status, training.reason) == ("complete", "")
    assert training.percent == 100 and training.step == training.steps > 0
    page = readable(staff.get(answer["Location"]))
    for text in ("Dev pearson", "Training loss", "token-f1", "It is the metric", "Hm."):
        assert text in page
    assert not training.files.exists(), "its state is of no use any more"
    (metric,) = scorers.parse_metrics("mine")
    assert metric.name == "lerc(checkpoint=mine)"
    score_here(judged, "mine")
    (row,) = leaderboard(judged).rows
    assert row["metric"] == "lerc(checkpoint=mine)" and row["training"]["setting"] == "AD"
    # Candidates of the set's test split were not trained on.
    by_split = {row["group"]: row["training"] for row in leaderboard(judged, "split").rows}
    assert by_split["test"]["asked"] == 0 and by_split["train"]["share"] == 1.0


@pytest.mark.slow
def test_a_training_resumes_after_its_worker_is_killed_with_the_same_result(
    worker, judged, sam, settings, monkeypatch
):
    settings.SCORING_LEASE_SECONDS = 3
    worker.environment |= {"SCORING_LEASE_SECONDS": "3", "TRAINING_SNAPSHOT_SECONDS": "0"}
    long = {"epochs": 8, "patience": None}
    killed = asked(judged, sam, name="killed", **long)
    worker.start()
    tasks.train.delay(killed.pk)
    state = TrainingFile.objects.filter(role="state", path="training/state.pt")
    wait_for(state.exists)
    worker.kill()
    killed.refresh_from_db()
    assert killed.status == "running", "the worker was done before it was killed"
    worker.start()
    wait_for(lambda: not Training.objects.get(pk=killed.pk).is_active)
    killed.refresh_from_db()
    assert (killed.status, killed.reason, killed.attempt) == ("complete", "", 2)
    worker.stop()
    settings.SCORING_LEASE_SECONDS = 30
    whole = here(asked(judged, sam, name="whole", **long))
    weights = [one.checkpoint.weights_sha256 for one in (killed, whole)]
    assert weights[0] == weights[1]
    assert [c["dev"] for c in killed.curves] == [c["dev"] for c in whole.curves]


def test_a_stopped_training_is_resumed(judged, sam, monkeypatch):
    monkeypatch.setattr("scorers.learned.loop._STEPS_BETWEEN_REPORTS", 1)
    monkeypatch.setattr("scorers.learned.loop._SECONDS_BETWEEN_SAVES", 0.0)
    monkeypatch.setattr(work, "BEAT_SECONDS", 0.0)
    monkeypatch.setattr(work, "STORE_SECONDS", 0.0)
    training = asked(judged, sam, epochs=3)
    advance = Training.advance
    beats = []

    def stop_at_the_sixth(it, **progress):
        beats.append(progress["step"])
        if len(beats) == 6:
            assert trainings.stop(training, at=now())
        return advance(it, **progress)

    monkeypatch.setattr(Training, "advance", stop_at_the_sixth)
    assert here(training).status == "cancelled" and not Checkpoint.objects.exists()
    assert training.files.filter(role="state").exists()
    assert trainings.resume(training, at=now())
    assert here(training).status == "complete"
    assert beats[6] > 1, "it began anew"


def test_early_stop_keeps_the_best_epoch(judged, sam):
    training = here(asked(judged, sam, epochs=30, rates=(0.05,), patience=1))
    (curve,) = training.curves
    figures = [-1.0 if row["pearson"] is None else row["pearson"] for row in curve["dev"]]
    assert len(figures) < 30, "it went on to the end"
    best = training.checkpoint.card["figures"]
    assert best["best epoch"] == figures.index(max(figures)) + 1
    assert best["dev pearson"] == max(figures)


@pytest.mark.parametrize(
    ("kind", "choices"),
    [("ava", {"design": "linear"}), ("ava", {"design": "A1"}), ("sts", {"rates": (1e-3, 1e-4)})],
)
def test_every_kind_that_learns_from_judgments(judged, sam, kind, choices):
    training = here(asked(judged, sam, kind=kind, **choices))
    assert (training.status, training.reason) == ("complete", "")
    assert training.checkpoint.kind == kind
    score_here(judged, training.name)


def test_keyphrases_are_learned_from_a_file(staff):
    paragraphs = [
        {
            "context": f"The mill was built in {1800 + i}.",
            "qas": [{
                "id": str(i), "question": "When was it built?",
                "answers": [{"text": str(1800 + i), "answer_start": 22}],
            }],
        }
        for i in range(30)
    ]  # fmt: skip
    content = json.dumps({"data": [{"title": "Mills", "paragraphs": paragraphs}]}).encode()
    keys = ("epochs", "rates", "seeds", "batch_size", "max_tokens", "lora_rank", "patience")
    form = {**{k: SMALL[k] for k in keys}, "name": "marks", "format": "squad", "made": "0.1"}
    form["file"] = SimpleUploadedFile("../../mills.json", content)
    form["seeds"] = "1, 2"
    assert staff.post("/learned/train/kpqa/start", form).status_code == 302
    training = here(Training.objects.get())
    assert (training.status, training.reason) == ("complete", "")
    assert [trial["seed"] for trial in training.checkpoint.card["extra"]["trials"]] == [1, 2]
    assert len(training.curves) == 2
    (metric,) = scorers.parse_metrics("rouge-l-kpqa(predictor=marks)")
    with scorers.Session("cpu") as session:
        assert session.score(metric, [scorers.Item("in 1800", ("1800",), "When?")]).shape == (1,)


def test_faulty_data_fail_with_a_reason_that_names_no_folder(staff, judged):
    form = {**SMALL, "name": "mine", "format": "mocha"}
    form["file"] = SimpleUploadedFile("set.json", b'{"a": {"b": 1}}')
    assert staff.post("/learned/train/lerc/start", form).status_code == 302
    training = here(Training.objects.get())
    assert training.status == "failed"
    assert training.reason == "Data/set.json: a.b: is a number; an object is expected."


def test_a_checkpoint_is_exported_and_imported_with_its_card(judged, sam, staff):
    training = here(asked(judged, sam, kind="ava", design="linear"))
    content = staff.get("/learned/checkpoints/mine.zip").content
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert names == ["mine/card.json", "mine/weights.safetensors", "mine/training_items.npy"]

    def bring(name, data):
        file = SimpleUploadedFile("mine.zip", data)
        return staff.post("/learned/import", {"name": name, "file": file})

    assert bring("theirs", content).status_code == 302
    checkpoint = Checkpoint.objects.get(name="theirs")
    assert checkpoint.weights_sha256 == training.checkpoint.weights_sha256
    assert checkpoint.card == training.checkpoint.card
    runs = score_here(judged, "mine,theirs")
    assert list(runs[0].score_array) == list(runs[1].score_array)
    events = AuditEvent.objects.filter(action__startswith="checkpoint").order_by("pk")
    assert [(one.action, one.target_name, one.actor_name) for one in events] == [
        ("checkpoint.exported", "mine", "sam"),
        ("checkpoint.imported", "theirs", "sam"),
    ]
    assert "another metric, checkpoint" in readable(bring("theirs", content))
    assert "another metric, checkpoint" in readable(bring("bleu-1", content))
    assert "cannot be read as a zip file" in readable(bring("other", b"nothing"))
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        archive.writestr("card.json", json.dumps(checkpoint.card))
        archive.writestr("weights.safetensors", b"others")
        archive.writestr("../../evil", b"no")
    assert "not the file that its card names" in readable(bring("other", changed.getvalue()))
    assert not Checkpoint.objects.filter(name="other").exists()


def test_the_size_that_a_zip_file_states_is_not_trusted(judged, sam, staff, settings):
    here(asked(judged, sam, kind="ava", design="linear"))
    content = staff.get("/learned/checkpoints/mine.zip").content
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", zipfile.ZipFile(io.BytesIO(content)).read("mine/card.json"))
        archive.writestr("weights.safetensors", b"\0" * 3_000_000)
    settings.CHECKPOINT_MAX_BYTES = 1_000_000
    file = SimpleUploadedFile("bomb.zip", bomb.getvalue())
    answer = staff.post("/learned/import", {"name": "other", "file": file})
    assert "too large" in readable(answer)


def test_only_its_owner_and_administrators_see_a_training(judged, sam, staff):
    training = asked(judged, sam)
    other, visitor = Client(), Client()
    other.force_login(User.objects.create_user("ruth", is_staff=True))
    member = Client()
    member.force_login(User.objects.create_user("vera"))
    address = f"/learned/trainings/{training.pk}/"
    statuses = [client.get(address).status_code for client in (staff, other, member, visitor)]
    assert statuses == [200, 404, 403, 302]
    statuses = [client.get("/learned/").status_code for client in (staff, other, member, visitor)]
    assert statuses == [200, 200, 200, 200]  # the shipped checkpoints are public
    for client in (other, member, visitor):
        assert "mine" not in readable(client.get("/learned/"))


def test_the_audit_log_has_every_action_on_a_training(judged, sam, staff):
    training = asked(judged, sam)
    for do in ("stop", "stop", "resume", "stop", "delete"):
        staff.post(f"/learned/trainings/{training.pk}/change", {"do": do})
    assert not Training.objects.exists()
    events = list(AuditEvent.objects.filter(action__startswith="training").order_by("pk"))
    assert [one.action.removeprefix("training.") for one in events] == [
        "started", "stopped", "taken up", "stopped", "deleted",
    ]  # fmt: skip
    assert {one.actor_name for one in events} == {"sam"}
    assert events[0].after["judgment_sets"] == ["small@1"]
    assert events[0].after["choices"]["epochs"] == 2


def test_a_page_polls_while_its_training_is_active_and_only_its_owner_may(judged, sam, staff):
    training = asked(judged, sam)
    address = f"/learned/trainings/{training.pk}/"
    assert f'hx-get="{address}" hx-trigger="every 5s"' in readable(staff.get(address))
    poll = {"HX-Request": "true"}
    unchanged = poll | {"If-None-Match": staff.get(address, headers=poll)["ETag"]}
    assert staff.get(address, headers=unchanged).status_code == 304
    other = Client()
    assert other.get(address, headers=unchanged).status_code == 302
    other.force_login(User.objects.create_user("ruth", is_staff=True))
    assert other.get(address, headers=unchanged).status_code == 404
    Training.objects.filter(pk=training.pk).update(step=1, steps=8)
    moved = staff.get(address, headers=unchanged)
    assert moved.status_code == 200 and "step 1 of 8" in readable(moved)
    assert trainings.stop(training, at=now())
    ended = staff.get(address, headers=unchanged)
    assert ended.status_code == 200 and "hx-trigger" not in readable(ended)


def test_a_training_fails_if_its_owner_is_disabled(judged, sam):
    training = asked(judged, sam)
    sam.is_active = False
    sam.save()
    assert here(training).status == "failed" and "was deleted or disabled" in training.reason


def test_the_form_refuses_invalid_trainings(staff, judged):
    def page_of(kind, **changed):
        form = {**SMALL, "name": "mine", "sets": [judged.pk], **changed}
        answer = staff.post(f"/learned/train/{kind}/start", form)
        assert answer.status_code == 422
        return readable(answer)

    assert "A bound and fixed feature weights need features: name some." in page_of(
        "lerc", bound="1"
    )
    assert "Enter numbers separated by commas" in page_of("lerc", rates="fast")
    assert "Seeds must be different" in page_of("lerc", seeds="1,1")
    assert "must be below 1" in page_of("lerc", dev_share="0.6", test_share="0.5")
    assert "Choose a judgment set or send a file" in page_of("lerc", sets=[])
    assert "another metric, checkpoint or training" in page_of("ava", name="rouge-l", design="A1")
    assert "Allowed: " in page_of("ava", name="a,b", design="A1")
    assert staff.get("/learned/train/nothing/").status_code == 404


def test_a_training_fails_after_three_dead_workers(judged, sam):
    training = asked(judged, sam)
    for _ in range(3):
        assert Training.claim(training.pk, at=now()) is not None
        Training.objects.update(lease_until=now())
    trainings.perform(training.pk)
    training.refresh_from_db()
    assert "died 3 times" in training.reason


def test_two_trainings_of_one_name_are_refused(judged, sam):
    asked(judged, sam)
    with pytest.raises(TrainingRefusedError, match="mine is the name of another"):
        asked(judged, sam)


def test_the_same_weights_under_two_names_have_a_folder_each(db):
    for name in ("first", "second"):
        read_checkpoint(checkpoint_folder("ava"), name, at=now()).save()
    folders = [trainings.folder_of(name) for name in ("first", "second")]
    assert [folder.name for folder in folders] == ["first", "second"]
    assert len({folder.parent for folder in folders}) == 2
    Checkpoint.objects.filter(name="first").update(card={"kind": "another"})
    assert json.loads((trainings.folder_of("first") / "card.json").read_text()) == {
        "kind": "another"
    }
