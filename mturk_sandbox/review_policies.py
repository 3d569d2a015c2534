"""Review policies: ScoreMyKnownAnswers for assignments, SimplePlurality for HITs.

Results are computed from the answers at each request. The actions of a policy (approve, reject or
extend automatically) are not executed, and the report of actions is empty, because automatic
payments would hide the actions of a client.
Sources: the API reference's pages on assignment review policies and on the HIT Review Policy data
structure, and the sample response on its legacy page on GetReviewResultsForHIT.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from typing import Any

from mturk_sandbox.answers import free_text_by_question, selected_options
from mturk_sandbox.context import OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, invalid

KNOWN_ANSWERS = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
LEVELS = {"AssignmentReviewPolicy": KNOWN_ANSWERS, "HITReviewPolicy": PLURALITY}
NEEDED = {KNOWN_ANSWERS: "AnswerKey", PLURALITY: "QuestionIds"}
Result = dict[str, Any]


def check_policy(level: str, policy: dict[str, Any]) -> None:
    """Raise a TurkError unless this is the level's policy with its required parameter."""
    name = policy["PolicyName"]
    if name != LEVELS[level]:
        raise invalid(f"The {level} can be {LEVELS[level]}, not {name}.")
    if _parameter(policy, NEEDED[name]) is None:
        raise invalid(f"The policy {name} needs the parameter {NEEDED[name]}.")


def _parameter(policy: dict[str, Any], key: str) -> dict[str, Any] | None:
    # The reference has both QuestionIds and QuestionIDs.
    matching: list[dict[str, Any]] = [
        parameter
        for parameter in policy.get("Parameters", [])
        if parameter.get("Key", "").lower() == key.lower()
    ]
    return matching[0] if matching else None


@operation("ListReviewPolicyResultsForHIT")
def list_review_policy_results(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """The HIT's policies and their results for the answers so far."""
    query = "SELECT * FROM hit_states WHERE id = ? AND account = ?"
    hit = call.one(query, parameters["HITId"], call.account)
    if hit is None:
        raise does_not_exist("HIT", parameters["HITId"])
    levels = parameters.get("PolicyLevels") or ["Assignment", "HIT"]
    with_results = parameters.get("RetrieveResults", True)
    answer: dict[str, Any] = {"HITId": hit["id"]}
    submitted = call.all(
        "SELECT * FROM assignments WHERE hit_id = ?"
        " AND status IN ('Submitted', 'Approved', 'Rejected') ORDER BY seq",
        hit["id"],
    )
    if "Assignment" in levels and hit["assignment_policy"]:
        policy = json.loads(hit["assignment_policy"])
        results = _known_answers(policy, submitted) if with_results else []
        answer["AssignmentReviewPolicy"] = policy
        answer["AssignmentReviewReport"] = {"ReviewResults": results, "ReviewActions": []}
    if "HIT" in levels and hit["hit_policy"]:
        policy = json.loads(hit["hit_policy"])
        is_ready = with_results and hit["status"] in ("Reviewable", "Reviewing", "Disposed")
        results = _plurality(policy, hit["id"], submitted) if is_ready else []
        answer["HITReviewPolicy"] = policy
        answer["HITReviewReport"] = {"ReviewResults": results, "ReviewActions": []}
    return answer


def _answers_by_question(assignment: sqlite3.Row) -> dict[str, frozenset[str]]:
    """The answers by question: selections, or the stripped free text as a single one."""
    document = assignment["answer"] or ""
    selections = {name: values for name, values in selected_options(document).items() if values}
    texts = {
        name: frozenset([text.strip()]) for name, text in free_text_by_question(document).items()
    }
    return texts | selections


def _result(kind: str, subject: str, key: str, value: object, question: str = "") -> Result:
    action_id = hashlib.sha256(f"{subject}{key}{question}".encode()).hexdigest()[:30].upper()
    result = {
        "ActionId": action_id,
        "SubjectId": subject,
        "SubjectType": kind,
        "Key": key,
        "Value": str(value),
    }
    return {**result, "QuestionId": question} if question else result


def _known_answers(policy: dict[str, Any], submitted: list[sqlite3.Row]) -> list[Result]:
    """For each assignment, whether each known answer is right, and the percentage of right ones."""
    parameter = _parameter(policy, "AnswerKey") or {}
    key = {
        entry["Key"]: frozenset(value.strip() for value in entry.get("Values", []))
        for entry in parameter.get("MapEntries", [])
    }
    results = []
    for assignment in submitted:
        answers, subject = _answers_by_question(assignment), assignment["id"]
        is_right = {name: answers.get(name) == values for name, values in key.items()}
        for name, outcome in is_right.items():
            result = _result("Assignment", subject, "KnownAnswerCorrect", int(outcome), name)
            results.append(result)
        score = round(100 * sum(is_right.values()) / len(is_right)) if is_right else 0
        results.append(_result("Assignment", subject, "KnownAnswerScore", score))
    return results


def _plurality(policy: dict[str, Any], hit_id: str, submitted: list[sqlite3.Row]) -> list[Result]:
    """For each question the plurality answer, its share and the workers who agree."""
    questions = (_parameter(policy, "QuestionIds") or {}).get("Values", [])
    threshold_parameter = _parameter(policy, "QuestionAgreementThreshold") or {}
    threshold = float((threshold_parameter.get("Values") or ["50"])[0])
    by_assignment = {row["id"]: _answers_by_question(row) for row in submitted}
    if not questions or not by_assignment:
        return []
    results = []
    agreed: dict[str, frozenset[str]] = {}
    for name in questions:
        votes = Counter(answers.get(name, frozenset()) for answers in by_assignment.values())
        answer, count = votes.most_common(1)[0]
        level = 100 * count / len(by_assignment)
        if level < threshold:
            continue
        agreed[name] = answer
        for subject, answers in by_assignment.items():
            same = int(answers.get(name) == answer)
            results.append(_result("Assignment", subject, "AgreedWithPlurality", same, name))
        answer_text = "|".join(sorted(answer))
        results.append(_result("HIT", hit_id, "PluralityAnswer", answer_text, name))
        results.append(_result("HIT", hit_id, "PluralityLevel", round(level), name))
    score = round(100 * len(agreed) / len(questions))
    results.append(_result("HIT", hit_id, "HITAgreementScore", score))
    for subject, answers in by_assignment.items():
        if agreed:
            same = sum(answers.get(name) == answer for name, answer in agreed.items())
            share = round(100 * same / len(agreed))
            results.append(_result("Assignment", subject, "WorkerAgreementScore", share))
    return results
