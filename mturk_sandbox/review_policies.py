"""Review policies: ScoreMyKnownAnswers for assignments, SimplePlurality for HITs.

Their results are computed from the answers whenever they are asked for. The actions that a policy
may want (approving, rejecting, extending by itself) are not carried out here, and the report of
actions is empty: a sandbox that pays by itself would hide what a client does.
Sources: the API reference's pages on assignment review policies and on the HIT Review Policy data
structure, and the sample response on its legacy page on GetReviewResultsForHIT.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from typing import Any

from mturk_sandbox.answers import free_texts, selected
from mturk_sandbox.errors import does_not_exist, invalid
from mturk_sandbox.world import Call, Parameters, operation

KNOWN_ANSWERS = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
LEVELS = {"AssignmentReviewPolicy": KNOWN_ANSWERS, "HITReviewPolicy": PLURALITY}
NEEDED = {KNOWN_ANSWERS: "AnswerKey", PLURALITY: "QuestionIds"}
Result = dict[str, Any]


def check_policy(level: str, policy: dict[str, Any]) -> None:
    """Raise a TurkError unless it is the level's policy with the parameter that it needs."""
    name = policy["PolicyName"]
    if name != LEVELS[level]:
        raise invalid(f"The {level} can be {LEVELS[level]}, not {name}.")
    if _parameter(policy, NEEDED[name]) is None:
        raise invalid(f"The policy {name} needs the parameter {NEEDED[name]}.")


def _parameter(policy: dict[str, Any], key: str) -> dict[str, Any] | None:
    # The reference writes QuestionIds in one place and QuestionIDs in another.
    found: list[dict[str, Any]] = [
        one for one in policy.get("Parameters", []) if one.get("Key", "").lower() == key.lower()
    ]
    return found[0] if found else None


@operation("ListReviewPolicyResultsForHIT")
def list_review_policy_results(call: Call, parameters: Parameters) -> dict[str, Any]:
    """The HIT's policies, and what they find in the answers so far."""
    query = "SELECT * FROM hit_states WHERE id = ? AND account = ?"
    hit = call.one(query, parameters["HITId"], call.account)
    if hit is None:
        raise does_not_exist("HIT", parameters["HITId"])
    levels = parameters.get("PolicyLevels") or ["Assignment", "HIT"]
    wanted = parameters.get("RetrieveResults", True)
    answer: dict[str, Any] = {"HITId": hit["id"]}
    submitted = call.all(
        "SELECT * FROM assignments WHERE hit_id = ?"
        " AND status IN ('Submitted', 'Approved', 'Rejected') ORDER BY seq",
        hit["id"],
    )
    if "Assignment" in levels and hit["assignment_policy"]:
        policy = json.loads(hit["assignment_policy"])
        found = _known_answers(policy, submitted) if wanted else []
        answer["AssignmentReviewPolicy"] = policy
        answer["AssignmentReviewReport"] = {"ReviewResults": found, "ReviewActions": []}
    if "HIT" in levels and hit["hit_policy"]:
        policy = json.loads(hit["hit_policy"])
        done = wanted and hit["status"] in ("Reviewable", "Reviewing", "Disposed")
        found = _plurality(policy, hit["id"], submitted) if done else []
        answer["HITReviewPolicy"] = policy
        answer["HITReviewReport"] = {"ReviewResults": found, "ReviewActions": []}
    return answer


def _given(assignment: sqlite3.Row) -> dict[str, frozenset[str]]:
    """The answers by question: selections, or the free text as one; space around them is cut."""
    document = assignment["answer"] or ""
    chosen = {name: values for name, values in selected(document).items() if values}
    texts = {name: frozenset([text.strip()]) for name, text in free_texts(document).items()}
    return texts | chosen


def _result(kind: str, subject: str, key: str, value: object, question: str = "") -> Result:
    made = hashlib.sha256(f"{subject}{key}{question}".encode()).hexdigest()[:30].upper()
    found = {
        "ActionId": made,
        "SubjectId": subject,
        "SubjectType": kind,
        "Key": key,
        "Value": str(value),
    }
    return {**found, "QuestionId": question} if question else found


def _known_answers(policy: dict[str, Any], submitted: list[sqlite3.Row]) -> list[Result]:
    """Each known answer right or wrong, and the percentage that is right."""
    parameter = _parameter(policy, "AnswerKey") or {}
    key = {
        one["Key"]: frozenset(value.strip() for value in one.get("Values", []))
        for one in parameter.get("MapEntries", [])
    }
    results = []
    for assignment in submitted:
        given, subject = _given(assignment), assignment["id"]
        right = {name: given.get(name) == values for name, values in key.items()}
        for name, outcome in right.items():
            found = _result("Assignment", subject, "KnownAnswerCorrect", int(outcome), name)
            results.append(found)
        score = round(100 * sum(right.values()) / len(right)) if right else 0
        results.append(_result("Assignment", subject, "KnownAnswerScore", score))
    return results


def _plurality(policy: dict[str, Any], hit_id: str, submitted: list[sqlite3.Row]) -> list[Result]:
    """Per question the commonest answer and its share, and who gave it where enough agree."""
    questions = (_parameter(policy, "QuestionIds") or {}).get("Values", [])
    wanted = _parameter(policy, "QuestionAgreementThreshold") or {}
    threshold = float((wanted.get("Values") or ["50"])[0])
    given = {row["id"]: _given(row) for row in submitted}
    if not questions or not given:
        return []
    results = []
    agreed: dict[str, frozenset[str]] = {}
    for name in questions:
        votes = Counter(answers.get(name, frozenset()) for answers in given.values())
        answer, count = votes.most_common(1)[0]
        level = 100 * count / len(given)
        if level < threshold:
            continue
        agreed[name] = answer
        for subject, answers in given.items():
            same = int(answers.get(name) == answer)
            results.append(_result("Assignment", subject, "AgreedWithPlurality", same, name))
        shown = "|".join(sorted(answer))
        results.append(_result("HIT", hit_id, "PluralityAnswer", shown, name))
        results.append(_result("HIT", hit_id, "PluralityLevel", round(level), name))
    score = round(100 * len(agreed) / len(questions))
    results.append(_result("HIT", hit_id, "HITAgreementScore", score))
    for subject, answers in given.items():
        if agreed:
            same = sum(answers.get(name) == answer for name, answer in agreed.items())
            share = round(100 * same / len(agreed))
            results.append(_result("Assignment", subject, "WorkerAgreementScore", share))
    return results
