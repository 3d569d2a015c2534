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
    choice,
    external,
    free_text,
    question_form,
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


def test_get_qualification_score_and_list_workers(send: Send, bob: Person) -> None:
    """ApiReference_GetQualificationScoreOperation and ..._ListWorkersWithQualificationType....

    A time is "<date>" on the page and a number of seconds on the wire, as JSON 1.1 has it; the
    value is in quotes there, and an integer in the model.
    """
    fields = {"Name": "n", "Description": "d", "QualificationTypeStatus": "Active"}
    kind = send("CreateQualificationType", fields)["QualificationType"]["QualificationTypeId"]
    who = {"QualificationTypeId": kind, "WorkerId": bob.id}
    assert send("AssociateQualificationWithWorker", {**who, "IntegerValue": 95}) == {}
    document = send("GetQualificationScore", who)["Qualification"]
    assert document == {
        **who,
        "IntegerValue": 95,
        "GrantTime": 1_700_000_000.0,
        "Status": "Granted",
    }
    listed = send("ListWorkersWithQualificationType", {"QualificationTypeId": kind})
    assert listed == {"NumResults": 1, "Qualifications": [document]}


def test_list_worker_blocks(send: Send, worker: Callable[[str], Person]) -> None:
    """ApiReference_ListWorkerBlocksOperation."""
    blocks = []
    for name in ("AZ3123EXAMPLE", "AZ3456EXAMPLE", "AZ3789EXAMPLE"):
        block = {"WorkerId": worker(name).id, "Reason": "Poor quality work"}
        assert send("CreateWorkerBlock", block) == {}
        blocks.append(block)
    assert send("ListWorkerBlocks", {}) == {"WorkerBlocks": blocks, "NumResults": 3}


@pytest.mark.parametrize(
    ("operation", "member"),
    [("ListHITs", "HITs"), ("ListReviewableHITs", "HITs")],
)
def test_lists_of_hits(sandbox: Sandbox, send: Send, operation: str, member: str) -> None:
    """ApiReference_ListHITsOperation, ApiReference_ListReviewableHITsOperation: ten a page."""
    for _ in range(11):
        send("CreateHIT", terms())
    sandbox.advance(3600)
    answer = send(operation, {})
    assert set(answer) == {"NextToken", "NumResults", member}
    assert answer["NumResults"] == len(answer[member]) == 10


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
    table requires), ApiReference_RejectQualificationRequestOperation.
    """
    hit = send("CreateHIT", terms())["HIT"]["HITId"]
    more = {"HITId": hit, "NumberOfAdditionalAssignments": 2}
    assert send("CreateAdditionalAssignmentsForHIT", more) == {}
    assert send("ApproveAssignment", {"AssignmentId": bob.do(hit)}) == {}
    other = bob.do(send("CreateHIT", terms())["HIT"]["HITId"])
    assert send("RejectAssignment", {"AssignmentId": other, "RequesterFeedback": "r"}) == {}
    fields = {"Name": "n", "Description": "d", "QualificationTypeStatus": "Active"}
    kind = send("CreateQualificationType", fields)["QualificationType"]["QualificationTypeId"]
    bob.post(f"/worker/qualifications/{kind}/request/")
    (asked,) = send("ListQualificationRequests", {})["QualificationRequests"]
    request = {"QualificationRequestId": asked["QualificationRequestId"]}
    assert send("RejectQualificationRequest", request) == {}


def test_an_assignment_and_its_answer(send: Send, bob: Person) -> None:
    """ApiReference_AssignmentDataStructureArticle, ..._QuestionFormAnswersDataStructureArticle,
    ..._ListAssignmentsForHITOperation."""
    form = question_form(free_text("nextmove"), choice("likelytowin", "notlikely", "likely"))
    hit = send("CreateHIT", terms(Question=form))["HIT"]["HITId"]
    assignment_id = bob.accept(hit)
    bob.post(
        f"/worker/assignments/{assignment_id}/answers/", nextmove="C3", likelytowin="notlikely"
    )
    answer = send("ListAssignmentsForHIT", {"HITId": hit})
    assert set(answer) == {"NumResults", "Assignments"}
    (assignment,) = answer["Assignments"]
    documented = {"AssignmentId", "WorkerId", "HITId", "AssignmentStatus", "Deadline"}
    assert documented | {"AcceptTime", "SubmitTime", "Answer"} <= set(assignment)
    expected = (
        f'<QuestionFormAnswers xmlns="{SCHEMAS}2005-10-01/QuestionFormAnswers.xsd">'
        "<Answer><QuestionIdentifier>nextmove</QuestionIdentifier><FreeText>C3</FreeText></Answer>"
        "<Answer><QuestionIdentifier>likelytowin</QuestionIdentifier>"
        "<SelectionIdentifier>notlikely</SelectionIdentifier></Answer></QuestionFormAnswers>"
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


def test_review_policies(send: Send, worker: Callable[[str], Person]) -> None:
    """ApiReference_HITReviewPolicyDataStructureArticle for the request, the legacy page
    ApiReference_GetReviewResultsForHitOperation for the results; no actions are taken here."""
    made = send(
        "CreateHIT",
        terms(
            MaxAssignments=2,
            AssignmentReviewPolicy={
                "PolicyName": "ScoreMyKnownAnswers/2011-09-01",
                "Parameters": [
                    {"Key": "AnswerKey", "MapEntries": [{"Key": "Question_2", "Values": ["B"]}]},
                    {"Key": "ApproveIfKnownAnswerScoreIsAtLeast", "Values": ["79"]},
                ],
            },
            HITReviewPolicy={
                "PolicyName": "SimplePlurality/2011-09-01",
                "Parameters": [
                    {"Key": "QuestionIDs", "Values": ["Question_1"]},
                    {"Key": "QuestionAgreementThreshold", "Values": ["100"]},
                ],
            },
        ),
    )
    hit = made["HIT"]["HITId"]
    right = worker("A1BOB").do(hit, Question_1="true", Question_2=" B ")
    wrong = worker("A2CAROL").do(hit, Question_1="true", Question_2="C")
    answer = send("ListReviewPolicyResultsForHIT", {"HITId": hit})
    assert answer["AssignmentReviewPolicy"]["PolicyName"] == "ScoreMyKnownAnswers/2011-09-01"
    assert answer["HITReviewPolicy"]["PolicyName"] == "SimplePlurality/2011-09-01"

    def lines(report: str) -> list[tuple[str, str, str | None, str, str]]:
        names = ("SubjectId", "SubjectType", "QuestionId", "Key", "Value")
        results = answer[report]["ReviewResults"]
        return [tuple(one.get(name) for name in names) for one in results]  # type: ignore[misc]

    assert lines("AssignmentReviewReport") == [
        (right, "Assignment", "Question_2", "KnownAnswerCorrect", "1"),
        (right, "Assignment", None, "KnownAnswerScore", "100"),
        (wrong, "Assignment", "Question_2", "KnownAnswerCorrect", "0"),
        (wrong, "Assignment", None, "KnownAnswerScore", "0"),
    ]
    assert lines("HITReviewReport")[:4] == [
        (right, "Assignment", "Question_1", "AgreedWithPlurality", "1"),
        (wrong, "Assignment", "Question_1", "AgreedWithPlurality", "1"),
        (hit, "HIT", "Question_1", "PluralityAnswer", "true"),
        (hit, "HIT", "Question_1", "PluralityLevel", "100"),
    ]
    only = send("ListReviewPolicyResultsForHIT", {"HITId": hit, "PolicyLevels": ["HIT"]})
    assert "AssignmentReviewReport" not in only
