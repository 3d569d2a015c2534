"""Pages, the API and the commands train alike what nobody chose."""

from __future__ import annotations

import argparse
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.trainings.api.bodies import StartTraining, parse_choices
from benchmarks.trainings.forms import TrainingForm
from benchmarks.trainings.services import KINDS, TrainingOptions
from scorers.training_cli import add_training_commands
from scorers.training_defaults import NAMES, PAPER, training_defaults
from scorers.training_options import fill_defaults, training_settings

pytestmark = pytest.mark.django_db


def format_of(kind: str) -> str:
    return "race" if kind == "lerc-choices" else KINDS[kind].formats[0]


def by_form(kind: str, **sent: str) -> TrainingOptions:
    file = SimpleUploadedFile("data.jsonl", b"{}")
    data: dict[str, Any] = {"name": "mine", "format": format_of(kind), **sent}
    form = TrainingForm(data, {"file": file}, kind=kind, sets=[])
    assert form.is_valid(), form.errors
    return form.cleaned_data["choices"]


def by_api(kind: str, **sent: str) -> TrainingOptions:
    body = StartTraining(data={"name": "mine", "kind": kind, **sent})
    assert body.is_valid(), body.errors
    return parse_choices(body.validated_data)


def by_command(kind: str, *options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_training_commands(parser.add_subparsers())
    parsed = parser.parse_args(["train", kind, "--data", "concord:x", "--out", "x", *options])
    fill_defaults(parsed)
    return parsed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_form_api_and_command_have_the_same_defaults(kind: str, name: str) -> None:
    form, body = by_form(kind, defaults=name).to_json(), by_api(kind, defaults=name).to_json()
    formats = form.pop("formats"), body.pop("formats")
    assert form == body and formats == ({"data.jsonl": format_of(kind)}, None)
    command, choices = by_command(kind, "--defaults", name), TrainingOptions.from_json(form)
    best_by = training_defaults(kind).best_by
    assert training_settings(command) == choices.settings(best_by)
    assert training_settings(command).best_by == best_by
    assert (command.learning_rate, command.seeds) == (choices.rates, choices.seeds)
    for option, value in {
        "dev_share": choices.dev_share,
        "references": choices.references,
        "design": choices.design,
        "shared": choices.shared,
        "made_questions": choices.made,
    }.items():
        assert getattr(command, option) == value, option


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_choice_all_train_as_in_the_paper(kind: str) -> None:
    paper = training_defaults(kind, PAPER)
    assert by_api(kind) == TrainingOptions.of_kind(kind, PAPER)
    assert by_form(kind).to_json() | {"formats": None} == by_api(kind).to_json()
    assert training_settings(by_command(kind)) == paper.settings


def test_the_papers_settings() -> None:
    """MOCHA's Appendix A, AVA's Section 6.1 and KPQA's Appendix C.1."""
    lerc, ava, kpqa = (training_defaults(kind) for kind in ("lerc", "ava", "kpqa"))
    assert (lerc.epochs, lerc.batch_size, lerc.seeds) == (3, 32, (1, 2, 3))
    assert lerc.rates == (1e-5, 2e-5, 3e-5) and (lerc.max_tokens, lerc.lora_rank) == (512, 0)
    assert (ava.epochs, ava.rates, ava.max_tokens, ava.design) == (2, (1e-6,), 128, "A2")
    assert (kpqa.epochs, kpqa.batch_size, kpqa.rates) == (5, 16, (2e-5,))


def test_what_is_chosen_replaces_a_default_only() -> None:
    chosen = by_form("lerc", defaults="quick", epochs="7", seeds="4, 5")
    assert (chosen.epochs, chosen.seeds, chosen.lora_rank) == (7, (4, 5), 16)
    assert by_api("lerc", epochs="7").seeds == (1, 2, 3)
    command = by_command("lerc", "--epochs", "7", "--defaults", "quick")
    assert (command.epochs, command.lora_rank, command.patience) == (7, 16, 2)


def test_a_form_says_what_an_empty_field_means() -> None:
    form = TrainingForm(kind="lerc", sets=[])
    assert form.fields["max_tokens"].help_text == "If empty: 512 as in the paper, 128 quick."
    assert "1e-05, 2e-05, 3e-05 as in the paper, 0.0005 quick" in form.fields["rates"].help_text
    assert "never as in the paper, 2 quick" in form.fields["patience"].help_text
