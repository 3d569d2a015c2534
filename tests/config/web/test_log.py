"""How the access log redacts paths."""

from __future__ import annotations

import pytest

from core.logs.privacy import without_secrets


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/sets/demo@1/runs/12/", "/sets/demo@1/runs/12/"),
        ("/rate/abc:def/task/1/", "/rate/…/task/1/"),
        ("/rate/crowd/task/short/ratings/", "/rate/crowd/task/…/ratings/"),
        ("/invitations/AbCdEfGhIjKlMnOpQrStUvWxYz012345/", "/invitations/…/"),
        ("/", "/"),
    ],
)
def test_the_log_omits_secrets_of_a_path(path, logged):
    assert without_secrets(path) == logged
