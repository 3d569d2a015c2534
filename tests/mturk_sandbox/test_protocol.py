"""What AWS's front door says, and what the service model forbids."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import client, external, terms

TARGET = "MTurkRequesterServiceV20170117."
SIGNED = (
    "AWS4-HMAC-SHA256 Credential=AKIDALICE/20260101/us-east-1/mturk-requester/aws4_request, "
    f"SignedHeaders=host;x-amz-date, Signature={'0' * 64}"
)


def raw(url: str, target: str, body: bytes = b"{}", authorization: str = SIGNED) -> tuple[int, Any]:
    headers = {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"}
    if authorization:
        headers["Authorization"] = authorization
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize(
    ("target", "body", "authorization", "kind"),
    [
        (TARGET + "GetAccountBalance", b"{}", "", "MissingAuthenticationTokenException"),
        (TARGET + "GetAccountBalance", b"{}", "Basic abc", "IncompleteSignatureException"),
        (TARGET + "NoSuchThing", b"{}", SIGNED, "UnknownOperationException"),
        (TARGET + "ListWorkerBlocks", b"{}", SIGNED, "UnsupportedOperation"),
        ("Other.GetHIT", b"{}", SIGNED, "UnknownOperationException"),
        (TARGET + "GetHIT", b"{", SIGNED, "SerializationException"),
        (TARGET + "GetHIT", b"[]", SIGNED, "SerializationException"),
        (TARGET + "GetHIT", b"{}", SIGNED, "ValidationException"),
        (TARGET + "GetHIT", b'{"HITId": 7}', SIGNED, "ValidationException"),
        (TARGET + "GetHIT", b'{"HITId": "lower case"}', SIGNED, "ValidationException"),
        (TARGET + "ListHITs", b'{"MaxResults": 101}', SIGNED, "ValidationException"),
        (TARGET + "ListHITs", b'{"MaxResults": 0}', SIGNED, "ValidationException"),
        (TARGET + "ListHITs", b'{"Unknown": 1}', SIGNED, "ValidationException"),
    ],
)
def test_bad_requests_are_refused(
    sandbox: Sandbox, target: str, body: bytes, authorization: str, kind: str
) -> None:
    status, answer = raw(sandbox.url, target, body, authorization)
    assert (status, answer["__type"]) == (400, kind)


def test_an_answer_has_the_json_1_1_type_and_a_request_id(alice: Any) -> None:
    answer = alice.get_account_balance()
    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    assert headers["content-type"] == "application/x-amz-json-1.1"
    assert headers["x-amzn-requestid"] == answer["ResponseMetadata"]["RequestId"]


def test_an_error_has_the_models_shape(alice: Any) -> None:
    with pytest.raises(alice.exceptions.RequestError) as caught:
        alice.get_hit(HITId="3NOSUCHHIT")
    answer = caught.value.response
    assert answer["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"
    # As in github.com/aws/aws-cli/issues/6116 and github.com/longouyang/nosub/issues/11.
    assert answer["Error"]["Message"] == "Hit 3NOSUCHHIT does not exist. (1700000000000 s)"
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_each_access_key_is_an_account_of_its_own(sandbox: Sandbox, alice: Any) -> None:
    hit = alice.create_hit(**terms())["HIT"]
    carol = client(sandbox.url, key="AKIDCAROL")
    assert carol.list_hits()["HITs"] == []
    with pytest.raises(ClientError, match="does not exist"):
        carol.get_hit(HITId=hit["HITId"])
    assert carol.get_account_balance()["AvailableBalance"] == "10000.00"


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"Question": external("http://example.org/")}, "InvalidParameterValue", "https"),
        ({"Question": "<a"}, "XMLParseError", "error parsing the XML"),
        ({"Question": "<ExternalQuestion/>"}, "XMLParseError", "namespace"),
        ({"Question": external().replace("FrameHeight", "Height")}, "XMLParseError", "Frame"),
        (
            {"Question": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"},
            "XMLParseError",
            "document type",
        ),
        (
            {"Question": external("https://a.org/?" + "x" * 65_535)},
            "InvalidParameterValue",
            "65535",
        ),
        ({"Title": ""}, "InvalidParameterValue", "empty"),
        ({"Title": "x" * 129}, "InvalidParameterValue", "128"),
        ({"Description": "x" * 2001}, "InvalidParameterValue", "2000"),
        ({"Keywords": "x" * 1001}, "InvalidParameterValue", "1000"),
        ({"RequesterAnnotation": "x" * 256}, "InvalidParameterValue", "255"),
        ({"LifetimeInSeconds": 29}, "InvalidParameterValue", "between 30 and"),
        ({"AssignmentDurationInSeconds": 31_536_001}, "InvalidParameterValue", "between 30 and"),
        ({"AutoApprovalDelayInSeconds": 2_592_001}, "InvalidParameterValue", "between 0 and"),
        ({"MaxAssignments": 0}, "InvalidParameterValue", "between 1 and"),
        ({"Reward": "20000.01"}, "InsufficientFunds", "insufficient funds"),
    ],
)
def test_create_hit_refuses(alice: Any, changes: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(alice.exceptions.RequestError, match=message) as caught:
        alice.create_hit(**terms(**changes))
    assert caught.value.response["TurkErrorCode"] == f"AWS.MechanicalTurk.{code}"
    assert alice.list_hits()["HITs"] == []


def test_a_reward_that_is_no_amount_breaks_the_models_pattern(alice: Any) -> None:
    with pytest.raises(ClientError) as caught:
        alice.create_hit(**terms(Reward="$0.10"))
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_the_largest_question_is_accepted(alice: Any) -> None:
    frame = len(external("https://a.org/?").encode())
    question = external("https://a.org/?" + "x" * (65_535 - frame))
    assert len(question.encode()) == 65_535
    assert alice.create_hit(**terms(Question=question))["HIT"]["Question"] == question


def test_http_on_this_machine_can_be_forbidden(alice: Any) -> None:
    here = external("http://127.0.0.1:8000/rate/")
    assert alice.create_hit(**terms(Question=here))
    with Sandbox(local_http=False) as strict, pytest.raises(ClientError, match="https"):
        client(strict.url).create_hit(**terms(Question=here))
