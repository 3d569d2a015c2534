"""The access table of the API: operation, who may, and what they get; the others' refusals follow.

A line is `METHOD route  who:status`, asked without a body by somebody with a token of all scopes.
`who` is the least role that may; a `reader` is a viewer, or anybody once it is public. Refused are
visitors with 401, those with too small a role with 403, and those who must not know of it with 404.
"""

from __future__ import annotations

from tests.core.rest.everything import ROLES

MEMBERS = ("viewer", "editor", "owner", "administrator")
RESEARCHERS = ("outsider", "owner", "administrator")

OPEN = """
GET api-sets everybody:200
GET api-metrics everybody:200
GET api-nothing everybody:404
"""

ACCOUNTS = """
GET api-account account:200
POST api-sets account:422
POST api-checkpoints researcher:422
GET api-checkpoint researcher:200
GET api-studies account:200
POST api-studies researcher:422
GET api-presets account:200
"""

SETS = """
GET api-set reader:200
GET api-versions reader:200
GET api-judgments-jsonl reader:200
GET api-judgments-parquet reader:200
GET api-dataset-zip reader:200
GET api-pairs-jsonl reader:200
GET api-ratings-csv reader:200
GET api-scores-csv reader:200
GET api-scores-jsonl reader:200
GET api-items reader:200
GET api-labels-tsv reader:409
GET api-preferences-jsonl reader:409
GET api-label-studio-json reader:200
GET api-label-studio-xml reader:200
GET api-potato-jsonl reader:200
GET api-candidates reader:200
GET api-runs reader:200
POST api-runs editor:422
GET api-run reader:200
POST api-stop-run editor:200
GET api-leaderboard reader:200
GET api-findings reader:200
GET api-systems reader:200
GET api-choices reader:200
GET api-analyses reader:200
POST api-analyses editor:422
GET api-analysis reader:200
GET api-submissions viewer:200
POST api-submissions viewer:422
GET api-submission submitter-of-it:200
POST api-model-judges editor:422
GET api-model-judge editor:200
POST api-confirm-model-judge judge-owner:200
GET api-import submitter-of-it:200
"""

STUDIES = """
GET api-study viewer:200
GET api-protocol viewer:200
PUT api-protocol editor:422
GET api-study-candidates viewer:200
POST api-uploads editor:422
GET api-upload viewer:200
PUT api-upload editor:422
POST api-import-upload editor:422
GET api-candidate-import viewer:200
GET api-cost viewer:200
POST api-signed-links editor:422
GET api-stages viewer:200
GET api-stage viewer:200
POST api-open-stage editor:409
GET api-sampling viewer:404
POST api-sampling editor:422
POST api-continue-sampling editor:404
POST api-close-stage editor:200
GET api-study-ratings viewer:200
GET api-study-choices editor:200
GET api-agreement viewer:200
GET api-ledger viewer:200
POST api-ledger editor:422
GET api-workers viewer:200
POST api-freeze editor:202
GET api-freezing viewer:200
GET api-draft viewer:404
PUT api-new-draft editor:422
POST api-publish-draft owner:404
GET api-publications viewer:200
GET api-publication viewer:200
POST api-sync editor:202
POST api-end owner:200
GET api-crowd-submissions viewer:200
POST api-approve-by-rule owner:202
POST api-crowd-results owner:422
GET api-decisions owner:200
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
        # Who may read what is public, is asked for no account.
        return 404 if who == "reader" else 401
    if who == "account":
        return status
    if who == "researcher":
        return status if person in RESEARCHERS else 403
    if who == "submitter-of-it":
        return status if person in ("owner", "administrator") else 404
    if person not in MEMBERS:
        return unknown
    if who == "judge-owner":  # the key is the owner's, whoever administers
        return status if person == "owner" else 403
    who = "viewer" if who == "reader" else who
    return status if MEMBERS.index(person) >= MEMBERS.index(who) else 403
