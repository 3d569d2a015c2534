"""The rules of the rate limits. The rates themselves are settings.

Sign-ins, writes, expensive requests and the API are counted. Pages that only read are not; a
reverse proxy can limit those.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.security.limits import callers
from core.security.limits.rules import UNSAFE, Rule, Rules

READS = frozenset({"GET", "HEAD"})
SIGN_IN = frozenset({"sign-in", "admin:login"})
PASSWORD_RESET = frozenset({"password_reset"})
PASSWORD_CHANGE = frozenset({"change-password"})
NEW_ACCOUNT = frozenset({"sign-up", "invitation"})
# Each rating is saved as it is made. The limit is per rating link.
RATING = frozenset(
    {
        "rating-home",
        "rating-task",
        "rating-assignment",
        "rating-ratings",
        "rating-test",
        "rating-message",
        "rating-done",
        "crowd-task",
        "crowd-ratings",
    }
)
JOINING = frozenset({"rating-join", "crowd-enter"})
UPLOADS = frozenset(
    {
        "study-upload-file",
        "study-crowd-file",
        "submit",
        "add-scores",
        "study-sampling",
        "start-training",
        "set-imports",
        "import-checkpoint",
    }
)
TRYOUTS = frozenset({"try", "api-try", "weigh-words"})
DOWNLOADS = frozenset(
    {
        "scores-xlsx",
        "scores-csv",
        "ratings-csv",
        "judgments-jsonl",
        "judgments-parquet",
        "dataset-zip",
        "pairs-jsonl",
        "preferences-jsonl",
        "label-studio-file",
        "label-studio-config-file",
        "potato-file",
        "labels-tsv",
        "leaderboard-csv",
        "leaderboard-json",
        "correctness-csv",
        "correctness-json",
        "rank-pairs-file",
        "submission-items",
        "study-ratings-file",
    }
)


def has_signed_in(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether a sign-in succeeded; only failures are counted."""
    return response.status_code == 302


RULES = Rules(
    special=(
        Rule("sign-in", callers.named_account_at_address, SIGN_IN, is_exempt=has_signed_in),
        Rule("sign-in-address", callers.address, SIGN_IN, is_exempt=has_signed_in),
        Rule("sign-in-account", callers.named_account, SIGN_IN, is_exempt=has_signed_in),
        Rule("password-reset-account", callers.named_account, PASSWORD_RESET),
        Rule("password-reset", callers.address, PASSWORD_RESET),
        Rule("password-change", callers.account, PASSWORD_CHANGE),
        Rule("new-account", callers.address, NEW_ACCOUNT),
        Rule("api", callers.bearer, prefix="/api/", methods=UNSAFE | READS),
        Rule("rating", callers.link, RATING),
        Rule("joining", callers.address, JOINING),
        Rule("upload", callers.account, UPLOADS),
        Rule("try", callers.bearer, TRYOUTS),
        Rule("download", callers.account, DOWNLOADS, methods=READS),
    ),
    default=Rule("write", callers.account),
)
