"""A requester's plain boto3 script, as labs have them: it knows the API and an address, no more.

    python plain_script.py ENDPOINT_URL create|review

`create` publishes two HITs and prints their IDs; `review` lists what was submitted, approves it,
pays a bonus for the first and deletes the HITs.
"""

from __future__ import annotations

import sys

import boto3  # noqa: TID253 - what such scripts begin with

QUESTION = """<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/\
AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">
  <ExternalURL>https://example.org/survey</ExternalURL>
  <FrameHeight>0</FrameHeight>
</ExternalQuestion>"""


def main() -> None:
    mturk = boto3.client(
        "mturk",
        endpoint_url=sys.argv[1],
        region_name="us-east-1",
        aws_access_key_id="AKIDLAB",
        aws_secret_access_key="secret",
    )
    if sys.argv[2] == "create":
        for number in (1, 2):
            hit = mturk.create_hit(
                Title="A short survey",
                Description="Two questions.",
                Keywords="survey",
                Reward="0.25",
                MaxAssignments=1,
                LifetimeInSeconds=86_400,
                AssignmentDurationInSeconds=900,
                AutoApprovalDelayInSeconds=172_800,
                Question=QUESTION,
                RequesterAnnotation=f"survey {number}",
            )
            print(hit["HIT"]["HITId"])
        return
    for page in mturk.get_paginator("list_hits").paginate():
        for hit in page["HITs"]:
            if hit["HITStatus"] != "Reviewable":
                continue
            done = mturk.list_assignments_for_hit(
                HITId=hit["HITId"], AssignmentStatuses=["Submitted"]
            )
            for assignment in done["Assignments"]:
                print(hit["RequesterAnnotation"], assignment["WorkerId"], assignment["Answer"])
                mturk.approve_assignment(
                    AssignmentId=assignment["AssignmentId"], RequesterFeedback="Thank you."
                )
                if hit["RequesterAnnotation"] == "survey 1":
                    mturk.send_bonus(
                        WorkerId=assignment["WorkerId"],
                        AssignmentId=assignment["AssignmentId"],
                        BonusAmount="0.10",
                        Reason="You were the first.",
                    )
            mturk.delete_hit(HITId=hit["HITId"])
    print(mturk.get_account_balance()["AvailableBalance"])


if __name__ == "__main__":
    main()
