"""The example requests and responses of Amazon's documentation, sent over the wire.

Each test names its page: `ApiReference_...` is a page of the Amazon Mechanical Turk API Reference
(docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI). The examples there are sketches: keys without
quotes, invented IDs, here and there a member that the service model does not have. Where one could
not be sent as it stands, the test says so.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import (
    SCHEMAS,
    Person,
    external,
    terms,
)

SIGNED = (
    "AWS4-HMAC-SHA256 Credential=AKIDALICE/20260101/us-east-1/mturk-requester/aws4_request, "
    f"SignedHeaders=host;x-amz-date, Signature={'0' * 64}"
)
Send = Callable[[str, dict[str, Any]], dict[str, Any]]


@pytest.fixture
def send(sandbox: Sandbox) -> Send:
    """POST / with X-Amz-Target, as the examples do, without boto3."""

    def sent(operation: str, document: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            sandbox.url,
            data=json.dumps(document).encode(),
            headers={
                "Content-Type": "application/x-amz-json-1.1",
                "X-Amz-Target": f"MTurkRequesterServiceV20170117.{operation}",
                "Authorization": SIGNED,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                assert response.headers["Content-Type"] == "application/x-amz-json-1.1"
                assert response.headers["x-amzn-RequestId"]
                answer: dict[str, Any] = json.load(response)
                return answer
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    return sent


def test_get_account_balance(send: Send) -> None:
    """ApiReference_GetAccountBalanceOperation."""
    assert send("GetAccountBalance", {}) == {"AvailableBalance": "10000.00"}


def test_create_hit_type(send: Send) -> None:
    """ApiReference_CreateHITTypeOperation.

    Its Reward is a number and its duration 0; the model wants a string, and 30 seconds is the least
    that ApiReference_CreateHITOperation allows.
    """
    answer = send(
        "CreateHITType",
        {
            "Title": "Compare two photographs",
            "Description": "Compare two pictures and pick one",
            "Reward": "0.5",
            "AssignmentDurationInSeconds": 30,
            "Keywords": "location, photograph, image, identification, opinion",
        },
    )
    assert set(answer) == {"HITTypeId"} and len(answer["HITTypeId"]) <= 255


def test_create_qualification_type(send: Send) -> None:
    """ApiReference_CreateQualificationTypeOperation; the model wraps what the page shows bare."""
    fields = {
        "Name": "EnglishWritingAbility",
        "Description": "The ability to write and edit in text in English",
        "QualificationTypeStatus": "Active",
    }
    made = send("CreateQualificationType", fields)["QualificationType"]
    assert {name: made[name] for name in fields} == fields
    assert made["QualificationTypeId"]


def test_lists_of_hits(send: Send) -> None:
    """ApiReference_ListHITsOperation: ten a page."""
    for _ in range(11):
        send("CreateHIT", terms())
    answer = send("ListHITs", {})
    assert set(answer) == {"NextToken", "NumResults", "HITs"}
    assert answer["NumResults"] == len(answer["HITs"]) == 10


def test_list_qualification_types(send: Send) -> None:
    """ApiReference_ListQualificationTypesOperation; the model requires MustBeRequestable too."""
    for number in range(11):
        name = f"LanguageSkill {number}"
        fields = {"Name": name, "Description": "d", "QualificationTypeStatus": "Active"}
        send("CreateQualificationType", fields)
    answer = send("ListQualificationTypes", {"Query": "LanguageSkill", "MustBeRequestable": True})
    assert set(answer) == {"NextToken", "NumResults", "QualificationTypes"}
    assert answer["NumResults"] == 10


def test_operations_with_an_empty_answer(send: Send, bob: Person) -> None:
    """ "Returns with no errors and an empty body", on these pages:

    ApiReference_CreateAdditionalAssignmentsForHITOperation (its HITNumberOfAdditionalAssignments is
    NumberOfAdditionalAssignments in the model), ApiReference_ApproveAssignmentOperation,
    ApiReference_RejectAssignmentOperation (its example leaves out RequesterFeedback, which its own
    table requires).
    """
    hit = send("CreateHIT", terms())["HIT"]["HITId"]
    more = {"HITId": hit, "NumberOfAdditionalAssignments": 2}
    assert send("CreateAdditionalAssignmentsForHIT", more) == {}
    assert send("ApproveAssignment", {"AssignmentId": bob.do(hit)}) == {}
    other = bob.do(send("CreateHIT", terms())["HIT"]["HITId"])
    assert send("RejectAssignment", {"AssignmentId": other, "RequesterFeedback": "r"}) == {}


def test_an_assignment_and_its_answer(send: Send, bob: Person) -> None:
    """ApiReference_AssignmentDataStructureArticle, ..._QuestionFormAnswersDataStructureArticle,
    ..._ListAssignmentsForHITOperation."""
    hit = send("CreateHIT", terms())["HIT"]["HITId"]
    bob.do(hit, nextmove="C3")
    answer = send("ListAssignmentsForHIT", {"HITId": hit})
    assert set(answer) == {"NumResults", "Assignments"}
    (assignment,) = answer["Assignments"]
    documented = {"AssignmentId", "WorkerId", "HITId", "AssignmentStatus", "Deadline"}
    assert documented | {"AcceptTime", "SubmitTime", "Answer"} <= set(assignment)
    expected = (
        f'<QuestionFormAnswers xmlns="{SCHEMAS}2005-10-01/QuestionFormAnswers.xsd">'
        "<Answer><QuestionIdentifier>nextmove</QuestionIdentifier><FreeText>C3</FreeText></Answer>"
        "</QuestionFormAnswers>"
    )
    documents = [ElementTree.canonicalize(text) for text in (assignment["Answer"], expected)]
    assert documents[0] == documents[1]


def test_a_hit(send: Send) -> None:
    """ApiReference_HITDataStructureArticle; its LifetimeInSeconds is in no answer of the model."""
    requirement = {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThan",
        "IntegerValues": [18],
    }
    fields = {
        "MaxAssignments": 5,
        "AutoApprovalDelayInSeconds": 86_400,
        "AssignmentDurationInSeconds": 300,
        "Reward": "0.25",
        "Title": "Location and Photograph Identification",
        "Description": "Select the image that best represents...",
        "Keywords": "location, photograph, image, identification, opinion",
    }
    hit = send("CreateHIT", terms(**fields, QualificationRequirements=[requirement]))["HIT"]
    assert {name: hit[name] for name in fields} == fields
    assert (hit["HITStatus"], hit["HITReviewStatus"]) == ("Assignable", "NotReviewed")
    assert requirement.items() <= hit["QualificationRequirements"][0].items()
    # The members of a HIT of a real answer, recorded by github.com/NYUCCL/psiTurk in
    # tests/boto3-returns/list_hits.json (2019).
    recorded = {
        *("HITGroupId", "Description", "MaxAssignments", "Title", "HITId", "Question", "Reward"),
        *("NumberOfAssignmentsCompleted", "NumberOfAssignmentsPending", "HITTypeId", "HITStatus"),
        *("NumberOfAssignmentsAvailable", "AssignmentDurationInSeconds", "Keywords", "Expiration"),
        *("AutoApprovalDelayInSeconds", "QualificationRequirements", "HITReviewStatus"),
        "CreationTime",
    }
    assert set(hit) == recorded
    shown = {"ActionsGuarded", "RequiredToPreview", "Comparator", "IntegerValues"}
    assert set(hit["QualificationRequirements"][0]) == {*shown, "QualificationTypeId"}


def test_the_frame_of_an_external_question(send: Send, bob: Person) -> None:
    """ApiReference_ExternalQuestionArticle: four parameters, joined to those that are there."""
    url = "https://tictactoe.amazon.com/gamesurvey.cgi?gameid=01523"
    hit = send("CreateHIT", terms(Question=external(url, 400)))["HIT"]["HITId"]
    assignment_id = bob.accept(hit)
    page = bob.get(f"/worker/assignments/{assignment_id}/")
    here = bob.url.replace(":", "%3A").replace("/", "%2F")
    assert (
        f'src="{url}&amp;assignmentId={assignment_id}&amp;hitId={hit}&amp;turkSubmitTo={here}'
        f'&amp;workerId={bob.id}"'
    ) in page
    assert 'height="400"' in page and 'sandbox="' in page
