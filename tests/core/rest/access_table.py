"""The access table of the API: operation, who may, and what they get; the others' refusals follow.

A line is `METHOD route  who:status`, asked without a body by somebody with a token of all scopes.
`who` is the least role that may; a `reader` is a viewer, or anybody once it is public. Refused are
visitors with 401, those with too small a role with 403, and those who must not know of it with 404.
"""

from __future__ import annotations

from tests.core.rest.everything import ROLES

MEMBERS = ("viewer", "editor", "owner", "administrator")
RESEARCHERS = ("outsider", "owner", "administrator")
BROWSER = "browser"  # no token may

OPEN = """
GET api-sets everybody:200
GET api-metrics everybody:200
GET api-nothing everybody:404
"""

ACCOUNTS = """
GET api-account account:200
GET api-tokens browser:403
POST api-tokens browser:403
DELETE api-token browser:403
GET api-sessions browser:403
DELETE api-session browser:403
GET api-invitations browser:403
POST api-invitations browser:403
DELETE api-invitation browser:403
GET api-audit administrator-alone:200
GET api-webhook-events account:200
GET api-webhooks account:200
POST api-webhooks account:422
GET api-webhook owner-alone:200
PUT api-webhook owner-alone:422
DELETE api-webhook owner-alone:204
POST api-renew-secret owner-alone:200
POST api-turn-webhook-off owner-alone:200
POST api-turn-webhook-on owner-alone:200
POST api-test-webhook owner-alone:201
GET api-deliveries owner-alone:200
GET api-delivery owner-alone:200
POST api-redeliver owner-alone:422
POST api-sets account:422
GET api-imports account:200
GET api-checkpoints researcher:200
POST api-checkpoints researcher:422
GET api-checkpoint researcher:200
DELETE api-checkpoint researcher:204
POST api-try account:422
GET api-tryout owner-alone:200
GET api-studies account:200
POST api-studies researcher:422
GET api-presets account:200
GET api-crowds account:200
"""

SETS = """
GET api-set reader:200
GET api-versions reader:200
POST api-import-pairs editor:422
GET api-judgments reader:200
GET api-judgments-parquet reader:200
GET api-dataset reader:200
GET api-pairs-file reader:200
GET api-ratings reader:200
GET api-scores-csv reader:200
GET api-scores-xlsx reader:200
GET api-scores reader:200
GET api-items reader:200
GET api-labels reader:409
GET api-preferences-file reader:409
GET api-label-studio-file reader:200
GET api-label-studio-config-file reader:200
GET api-potato-file reader:200
GET api-candidates reader:200
GET api-candidate reader:200
GET api-pairs reader:200
GET api-changes reader:404
GET api-set-history viewer:200
GET api-disagreements reader:400
POST api-study-from-set owner:422
GET api-runs reader:200
POST api-runs editor:422
GET api-run reader:200
POST api-stop-run editor:200
POST api-retry-run editor:200
GET api-leaderboard reader:200
GET api-findings reader:200
GET api-systems reader:200
GET api-choices reader:200
GET api-spans reader:422
GET api-criteria reader:422
GET api-analyses reader:200
POST api-analyses editor:422
GET api-analysis reader:200
POST api-stop-analysis editor:200
GET api-correctness reader:200
GET api-submissions viewer:200
POST api-submissions viewer:422
GET api-submission submitter-of-it:200
POST api-publish-submission submitter-of-it:200
POST api-hide-submission submitter-of-it:200
POST api-stop-submission submitter-of-it:200
POST api-retry-submission submitter-of-it:200
POST api-withdraw-submission submitter-of-it:200
GET api-model-judges editor:200
POST api-model-judges editor:422
GET api-model-judge editor:200
POST api-stop-model-judge editor:200
POST api-confirm-model-judge judge-owner:200
POST api-resume-model-judge editor:422
DELETE api-model-judge judge-owner:204
GET api-import submitter-of-it:200
POST api-stop-import submitter-of-it:200
GET api-hidden-labels viewer:200
PUT api-hidden-labels editor:422
GET api-set-members viewer:200
GET api-set-member viewer:200
PUT api-set-member owner:422
DELETE api-set-member owner-or-self:204
POST api-invite-set-member owner:422
GET api-set-publishing viewer:200
POST api-take-back-set owner:200
POST api-publish-set owner:200
"""

STUDIES = """
GET api-study viewer:200
POST api-copy-study owner:422
POST api-study-language editor:422
POST api-archive-study owner:409
POST api-restore-study owner:200
POST api-delete-study owner:422
GET api-protocol viewer:200
PUT api-protocol editor:422
GET api-protocols viewer:200
GET api-study-candidates viewer:200
POST api-write-pair editor:422
GET api-uploads viewer:200
POST api-uploads editor:422
GET api-upload viewer:200
PUT api-upload editor:422
POST api-import-upload editor:422
GET api-candidate-import viewer:200
POST api-stop-candidate-import editor:200
DELETE api-upload editor:204
GET api-cost viewer:200
POST api-signed-links editor:422
GET api-joining viewer:200
PUT api-joining editor:422
GET api-stages viewer:200
GET api-stage viewer:200
GET api-plan viewer:200
POST api-open-stage editor:409
POST api-top-up editor:409
GET api-sampling viewer:404
POST api-sampling editor:422
DELETE api-sampling editor:409
POST api-continue-sampling editor:404
POST api-close-stage editor:200
POST api-pause-stage editor:422
POST api-resume-stage editor:409
GET api-assignments viewer:200
GET api-study-ratings viewer:200
GET api-study-choices editor:200
GET api-agreement viewer:200
GET api-ledger viewer:200
POST api-ledger editor:422
POST api-undo-step editor:200
POST api-redo-step editor:200
GET api-workers viewer:200
GET api-worker viewer:200
POST api-exclude-worker editor:422
POST api-readmit-worker editor:200
POST api-erase-worker owner:422
GET api-retention viewer:200
PUT api-retention owner:422
GET api-spot-checks viewer:200
PUT api-verdict editor:422
GET api-adjudication viewer:200
PUT api-settlement editor:422
DELETE api-settlement editor:204
GET api-messages viewer:200
PUT api-message editor:422
GET api-freeze viewer:200
POST api-freeze editor:202
GET api-freezing viewer:200
POST api-stop-freezing editor:200
GET api-study-members viewer:200
GET api-study-member viewer:200
PUT api-study-member owner:422
DELETE api-study-member owner-or-self:204
POST api-invite-study-member owner:422
GET api-public-study reader:200
GET api-study-publishing viewer:200
POST api-publish-study owner:200
POST api-take-back-study owner:200
GET api-draft viewer:404
DELETE api-draft editor:404
PUT api-new-draft editor:422
POST api-publish-draft owner:404
GET api-publications viewer:200
GET api-publication viewer:200
POST api-sync editor:202
POST api-retry-calls owner:202
POST api-end owner:200
PUT api-budget owner:422
GET api-crowd-submissions viewer:200
POST api-approve-by-rule owner:202
GET api-payments viewer:200
GET api-crowd-submission viewer:404
POST api-approve owner:404
POST api-reject owner:404
POST api-bonus owner:404
POST api-crowd-results owner:422
POST api-refresh-payments editor:200
GET api-decisions owner:200
GET api-study-history viewer:200
GET api-missing-raters owner:409
POST api-missing-raters owner:422
"""


def table() -> dict[tuple[str, str], dict[str, int]]:
    """The status of each role, by method and route."""
    table: dict[tuple[str, str], dict[str, int]] = {}
    for text, unknown in ((OPEN, 404), (ACCOUNTS, 403), (SETS, 404), (STUDIES, 404)):
        for line in text.split("\n"):
            if line:
                method, name, cell = line.split()
                who, status = cell.split(":")
                assert (method, name) not in table, f"{line} is there twice"
                table[method, name] = _row(who, int(status), unknown)
    return table


def _row(who: str, status: int, unknown: int) -> dict[str, int]:
    return {one: _status(one, who, status, unknown) for one in ROLES}


def _status(person: str, who: str, status: int, unknown: int) -> int:
    if who == "everybody":
        return status
    if person == "visitor":
        return (
            404 if who == "reader" else 401
        )  # who may read what is public, is asked for no account
    if who in ("account", BROWSER):
        return status
    if who == "researcher":
        return status if person in RESEARCHERS else 403
    if who == "administrator-alone":
        return status if person == "administrator" else 403
    if who == "owner-alone":
        return status if person == "owner" else 404
    if who == "trainer" and person not in RESEARCHERS:
        return 403
    if who in ("submitter-of-it", "trainer"):
        return status if person in ("owner", "administrator") else 404
    if person not in MEMBERS:
        return unknown
    if who == "judge-owner":  # the key is the owner's, whoever administers
        return status if person == "owner" else 403
    if who == "owner-or-self":
        return 403 if person == "editor" else status  # the membership is the viewer's
    who = "viewer" if who == "reader" else who
    return status if MEMBERS.index(person) >= MEMBERS.index(who) else 403
