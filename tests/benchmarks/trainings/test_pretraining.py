"""LERC's pre-training and fine-tuning on the page: the form has what the command line has."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from benchmarks.trainings import services as trainings
from benchmarks.trainings.models import Checkpoint, Training
from benchmarks.trainings.services import CHOICES, KINDS, TrainingOptions, TrainingRefusedError
from benchmarks.trainings.services.folder import TrainingFolder
from scorers import training_cli
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.lerc.form import LercForm
from scorers.multiple_choice import read_choices
from tests.benchmarks.factories import add_member, make_set

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = {
    "epochs": 1, "rates": "0.001", "seeds": "1", "batch_size": 8, "max_tokens": 32,
    "lora_rank": 2, "patience": 2, "dev_share": 0.3, "split_seed": 2,
}  # fmt: skip
WORDS = ("salt", "wool", "coal", "fish", "wine", "silk", "corn", "iron", "wood", "hops")


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)


@pytest.fixture
def staff(sam: User) -> Client:
    client = Client()
    client.force_login(sam)
    return client


def race() -> SimpleUploadedFile:
    """Ten passages with a question each, a passage a line."""
    lines = [
        json.dumps(
            {
                "id": f"r{number}",
                "article": f"Ship {number} brought {WORDS[number % 10]} to the harbour.",
                "questions": ["What did the ship bring?"],
                "options": [[WORDS[number % 10], WORDS[(number + 3) % 10]]],
                "answers": ["A"],
            }
        )
        for number in range(10, 20)
    ]
    return SimpleUploadedFile("race.txt", "\n".join(lines).encode())


def start(staff: Client, kind: str, **form: object) -> Training:
    answer = staff.post(f"/learned/train/{kind}/start", {**SMALL, **form})
    assert answer.status_code == 302, answer.content.decode()
    return Training.objects.latest("pk")


def here(training: Training) -> Training:
    assert trainings.perform(training.pk)
    training.refresh_from_db()
    assert (training.status, training.reason) == ("complete", "")
    return training


def test_a_pre_training_starts_a_fine_tuning_with_parts_and_without_a_constituent(
    staff: Client, sam: User, tmp_path: Path
) -> None:
    judged = make_set(tmp_path, instances=12)
    add_member("small", sam)
    parts = ["question", "reference", "candidate"]
    asked = start(staff, CHOICES, name="races", file=race(), format="race", parts=parts)
    page = staff.get(f"/learned/trainings/{asked.pk}/").content.decode()
    assert "pre-training" in page
    made = here(asked)
    card = made.checkpoint.card
    assert (card["kind"], card["options"]["parts"]) == (CHOICES, parts)
    assert "dev accuracy" in card["figures"]
    page = staff.get(f"/learned/trainings/{asked.pk}/").content.decode()
    assert "/learned/train/lerc/?pretrained=races" in page and "It is the metric" not in page
    form = staff.get("/learned/train/lerc/?pretrained=races").content.decode()
    assert '<option value="races" selected>' in form
    fine = here(
        start(
            staff, "lerc", name="fine", sets=[judged.pk], test_share=0, pretrained="races",
            parts=["reference", "candidate"], without="facts",
        )
    )  # fmt: skip
    card = fine.checkpoint.card
    assert card["options"]["parts"] == ["reference", "candidate"]
    recipe = card["options"]["recipe"]
    assert (recipe["start"], recipe["without"]) == ("races", ["facts"])
    # Of the constituent "stories", two questions with two answers are of the training split and two
    # of the dev split. As in the paper, an answer counts once for each of its two references.
    assert [card["figures"][part] for part in ("training", "dev")] == [8, 8]
    content = staff.get("/learned/checkpoints/races.zip").content
    file = SimpleUploadedFile("races.zip", content)
    assert staff.post("/learned/import", {"name": "theirs", "file": file}).status_code == 302
    checkpoint = Checkpoint.objects.get(name="theirs")
    assert (checkpoint.kind, checkpoint.weights_sha256) == (CHOICES, made.checkpoint.weights_sha256)
    assert "theirs" in trainings.start_checkpoints()


def test_the_form_passes_reading_and_layer_to_the_training(
    staff: Client, sam: User, tmp_path: Path
) -> None:
    judged = make_set(tmp_path)
    add_member("small", sam)
    asked = start(staff, "lerc", name="m", sets=[judged.pk], test_share=0, reading="match", layer=3)
    form = TrainingOptions.from_json(asked.choices).form("lerc")
    assert form == LercForm(reading="match", layer=3)
    assert TrainingOptions.from_json(asked.choices).form("sts").parts == ("reference", "candidate")


def test_mctest_answers_are_read_from_a_second_file(staff: Client, tmp_path: Path) -> None:
    cells = []
    for _ in range(4):
        cells += ["one: What came?", "salt", "wool", "coal", "fish"]
    rows = ["\t".join([f"m{n}", "", f"Story {n} has salt.", *cells]) for n in range(12)]
    stories = SimpleUploadedFile("mc160.dev.tsv", "\n".join(rows).encode())
    answers = SimpleUploadedFile("other.ans", "\n".join(["A\tA\tA\tA"] * 12).encode())
    asked = start(staff, CHOICES, name="m", file=stories, answers=answers, format="mctest")
    assert sorted(asked.files.values_list("path", flat=True)) == ["mc160.dev.ans", "mc160.dev.tsv"]
    ((path, format_),) = TrainingFolder(asked, tmp_path).fill()
    questions = read_choices(path, format_)
    assert len(questions) == 48 and questions[0].right == ("salt",)


def test_an_invalid_training_is_refused_with_a_reason(
    staff: Client, sam: User, tmp_path: Path
) -> None:
    judged = make_set(tmp_path)
    add_member("small", sam)

    def error_message(kind: str, **changed: object) -> str:
        form = {**SMALL, "name": "mine", **changed}
        answer = staff.post(f"/learned/train/{kind}/start", form)
        assert answer.status_code == 422
        return answer.content.decode()

    assert "no set has the constituent moons; available: facts, stories" in error_message(
        "lerc", sets=[judged.pk], test_share=0, without="facts,moons"
    ).replace("No set", "no set")
    assert "needs its file of answers" in error_message(CHOICES, file=race(), format="mctest")
    assert "Only MCTest" in error_message(CHOICES, file=race(), answers=race(), format="race")
    assert "needs the parts reference and candidate" in error_message(
        CHOICES, file=race(), format="race", parts=["question", "reference"]
    )
    assert "Select a valid choice" in error_message(CHOICES, file=race(), format="squad")
    assert "This field is required" in error_message(CHOICES, format="race")
    assert "Select a valid choice" in error_message("lerc", sets=[judged.pk], pretrained="/etc")
    assert not Training.objects.exists()
    # Nor by a program: a path is no name of a checkpoint.
    folder = str(checkpoint_folder("lerc"))
    with pytest.raises(TrainingRefusedError, match="no checkpoint"):
        choices = TrainingOptions(pretrained=folder)
        trainings.request("mine", "lerc", choices, [judged], [], by=sam, at=now())
    with pytest.raises(TrainingRefusedError, match="linear design"):
        choices = TrainingOptions(pretrained="lerc", design="linear")
        trainings.request("mine", "ava", choices, [judged], [], by=sam, at=now())


def test_a_training_starts_from_any_checkpoint_of_the_default_encoder(db: None) -> None:
    names = trainings.start_checkpoints()
    assert {"lerc-features", "lerc-paper", "kpqa"} <= set(names)
    assert all(CheckpointCard.read(checkpoint_folder(name)).encoder for name in names)


def test_the_form_has_the_kinds_and_formats_of_the_command_line() -> None:
    parser = argparse.ArgumentParser()
    training_cli.add_training_commands(parser.add_subparsers())
    commands = parser._subparsers._group_actions[0].choices["train"]._subparsers  # type: ignore[union-attr,index]
    kinds = commands._group_actions[0].choices  # type: ignore[union-attr]
    assert set(KINDS) == set(kinds)
    for name, kind in KINDS.items():
        options = {
            one.lstrip("-") for action in kinds[name]._actions for one in action.option_strings
        }  # type: ignore[index]
        (data,) = [one for one in kinds[name]._actions if "--data" in one.option_strings]  # type: ignore[index]
        assert all(format_ in data.help for format_ in kind.formats), name
        for field in ("parts", "reading", "layer", "without", "pretrained"):
            if field in kind.fields:
                assert field in options, (name, field)


def test_old_stored_choices_keep_their_meaning() -> None:
    old = TrainingOptions().to_json()
    for added in ("parts", "reading", "layer", "pretrained"):
        del old[added]
    assert TrainingOptions.from_json(old) == TrainingOptions()
