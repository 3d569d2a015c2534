"""Signatures: the published test vector, and messages that must be refused."""

from __future__ import annotations

import pytest

from core.webhooks.signing import SignatureError, headers, new_secret, verify

# The vector of the Standard Webhooks libraries' own tests (standard-webhooks/libraries).
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
AT = 1614265330
BODY = b'{"test": 2432232314}'
SIGNED = {
    "webhook-id": ID,
    "webhook-timestamp": str(AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def test_signatures_equal_those_of_the_standards_libraries():
    assert headers(SECRET, ID, AT, BODY) == SIGNED


@pytest.mark.parametrize("at", [AT - 300, AT, AT + 300.0])
def test_a_fresh_and_complete_message_is_valid(at):
    verify(SECRET, {name.title(): value for name, value in SIGNED.items()}, BODY, at=at)
    two = SIGNED | {"webhook-signature": f"v1,AAAA v1a,x {SIGNED['webhook-signature']}"}
    verify(SECRET, two, BODY, at=at)


@pytest.mark.parametrize(
    ("changed", "body", "at", "sentence"),
    [
        ({}, BODY + b" ", AT, "does not match"),
        ({"webhook-id": "msg_other"}, BODY, AT, "does not match"),
        ({"webhook-timestamp": str(AT + 1)}, BODY, AT, "does not match"),
        ({"webhook-signature": "v1,"}, BODY, AT, "does not match"),
        ({"webhook-signature": "v1,\u00e9"}, BODY, AT, "does not match"),
        ({"webhook-signature": SIGNED["webhook-signature"][3:]}, BODY, AT, "does not match"),
        ({"webhook-signature": ""}, BODY, AT, "missing"),
        ({"webhook-id": ""}, BODY, AT, "missing"),
        ({"webhook-timestamp": "now"}, BODY, AT, "five minutes"),
        ({"webhook-timestamp": "9" * 5000}, BODY, AT, "five minutes"),
        ({}, BODY, AT + 301, "five minutes"),
        ({}, BODY, AT - 301, "five minutes"),
    ],
)
def test_a_changed_message_is_invalid(changed, body, at, sentence):
    with pytest.raises(SignatureError, match=sentence):
        verify(SECRET, SIGNED | changed, body, at=at)


def test_another_secret_is_invalid():
    with pytest.raises(SignatureError, match="does not match"):
        verify(new_secret(), SIGNED, BODY, at=AT)
    with pytest.raises(SignatureError, match="base64"):
        verify("whsec_?", SIGNED, BODY, at=AT)


def test_secrets_are_long_and_unique():
    secrets = {new_secret() for _ in range(50)}
    assert len(secrets) == 50 and {len(one) for one in secrets} == {6 + 44}
