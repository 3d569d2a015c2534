"""Signed addresses: they name a participation and cannot be made up."""

from __future__ import annotations

import pytest
from django.core import signing

from annotation.rating.services import tokens
from core.refusals import RefusedError
from tests.annotation import factories

pytestmark = pytest.mark.django_db


def test_a_token_names_its_participation_and_nothing_of_the_person():
    participation = factories.join(factories.make_study(), "ann.example@example.org")
    token = tokens.token_for(participation)
    assert tokens.participation_of(token) == participation
    assert "ann.example" not in token


@pytest.mark.parametrize(
    "token",
    ["", "x", ":::", "a:b:c", "\0", "\ud800", "ä" * 50, "x" * 10_000],
)
def test_an_invalid_token_is_refused(token):
    with pytest.raises(RefusedError, match="not complete"):
        tokens.participation_of(token)


def test_a_changed_token_is_refused():
    token = tokens.token_for(factories.join(factories.make_study(), "ann"))
    for at in range(len(token)):
        other = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        if other[:-1] != token[:-1]:  # the last sign of base64 has bits that say nothing
            with pytest.raises(RefusedError):
                tokens.participation_of(other)


@pytest.mark.parametrize("named", [0, -1, 2**70, "x", None, [1], {"pk": 1}, 1.5])
def test_a_valid_token_without_a_participation_is_refused(named):
    with pytest.raises(RefusedError):
        tokens.participation_of(signing.dumps(named, salt=tokens.SALT))


def test_a_token_of_another_purpose_is_refused():
    participation = factories.join(factories.make_study(), "ann")
    with pytest.raises(RefusedError):
        tokens.participation_of(signing.dumps(participation.pk, salt="something else"))


def test_an_old_token_expires(monkeypatch):
    token = tokens.token_for(factories.join(factories.make_study(), "ann"))
    monkeypatch.setattr(tokens, "VALID_SECONDS", -1)
    with pytest.raises(RefusedError, match="too old"):
        tokens.participation_of(token)
