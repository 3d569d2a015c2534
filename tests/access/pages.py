"""The access table of the pages: route, then what GET and POST without a body answer."""

from __future__ import annotations

from tests.access.rules import Refusal, Row, table

SIGN_IN = 302
# For people without access, the object does not exist.
UNKNOWN = 404

OPEN = table(
    """
    sign-in                  200    200
    sign-out                 405    302
    theme                    405    302
    site-logo                404    405
    site-colours             404    405
    invitation               200    visitor:422,account:302
    sign-up                  404    404
    password_reset           200    200
    password_reset_done      200    405
    password_reset_confirm   200    200
    password_reset_complete  200    405
    judgment-sets            200    405
    across-sets              200    405
    search                   200    405
    learned-metrics          200    405
    across-file              200    405
    try                      200    422
    docs                     200    405
    docs-page                404    405
    docs-search              200    405
    healthz                  200    405
    readyz                   200    405
    metrics                  404    405
    """,
    Refusal(SIGN_IN, 403, 403),
)

ACCOUNTS = table(
    """
    account                  account:200   405
    account-email            405           account:302
    change-password          account:200   account:200
    make-token               405           account:422
    end-other-sessions       405           account:302
    webhooks                 account:200   405
    webhook-new              account:200   account:200
    studies                  account:200   405
    set-imports              account:200   account:422
    """,
    Refusal(SIGN_IN, 403, 403),
)

# Objects of one user, which do not exist for others.
MINE = table(
    """
    revoke-token             405        mine:302
    end-session              405        mine:302
    withdraw-invitation      405        owner:302
    set-import               owner:200  405
    set-import-columns       owner:302  owner:302
    discard-set-import       405        owner:302
    stop-set-import          405        owner:302
    tryout                   mine:200   405
    webhook                  mine:200   405
    webhook-change           mine:200   mine:200
    webhook-do               405        mine:302
    webhook-delivery         mine:200   405
    webhook-redeliver        405        mine:302
    """,
    Refusal(SIGN_IN, UNKNOWN, UNKNOWN),
)

STANDINGS = table(
    """
    invitations              researcher:200      researcher:422
    study-new                researcher:200      researcher:422
    import-checkpoint        405                 researcher:422
    checkpoint               researcher:404      405
    export-checkpoint        researcher:404      405
    delete-checkpoint        405                 researcher:404
    administration           administrator:200   405
    crowd-accounts           administrator:200   405
    crowd-account-enter      405                 administrator:422
    crowd-account-test       405                 administrator:404
    crowd-account-remove     405                 administrator:404
    administration-jobs      administrator:200   405
    administration-stop-job  405                 administrator:302
    administration-retry-job 405                 administrator:302
    audit                    administrator:200   405
    audit-file               administrator:200   405
    """,
    Refusal(SIGN_IN, 403, 403),
)

STUDIES = table(
    """
    study                    viewer:200   405
    study-members            viewer:200   owner:302
    study-publishing         viewer:200   owner:302
    study-privacy            viewer:200   owner:302
    study-erase-worker       owner:200    owner:422
    study-settings           viewer:200   405
    study-language           405          editor:302
    study-copy               405          owner:422
    study-archive            405          owner:302
    study-delete             405          owner:422
    study-exclude-simulated  405          editor:302
    study-history            viewer:200   405
    study-history-file       viewer:200   405
    study-protocol           viewer:200   editor:422
    study-protocol-rules     viewer:200   editor:422
    study-protocol-version   viewer:200   405
    study-candidates         viewer:200   405
    study-after-import       viewer:302   405
    study-upload-file        405          editor:422
    study-upload             viewer:200   editor:422
    study-import-upload            405          editor:422
    study-candidate-import   viewer:200   405
    study-stop-candidate-import  405      editor:302
    study-take-out-import    405          editor:302
    study-discard-upload     405          editor:302
    study-write-pair         405          editor:422
    study-cost               viewer:200   405
    study-preview            viewer:200   405
    study-stages             viewer:200   405
    study-invitations        viewer:200   editor:422
    study-joining            405          editor:302
    study-open-stage         405          editor:302
    study-close-stage        405          editor:302
    study-monitor            viewer:200   405
    study-pause-stage        405          editor:422
    study-resume-stage       405          editor:302
    study-top-up             405          editor:302
    study-quality            viewer:200   405
    study-data               viewer:200   405
    study-ratings-file       editor:200   405
    study-choices-file       editor:200   405
    study-add-step           405          editor:422
    study-add-suggested        405          editor:302
    study-drop-rating        405          editor:302
    study-undo-step          405          editor:302
    study-redo-step          405          editor:302
    study-worker             viewer:200   405
    study-exclude-worker     405          editor:422
    study-readmit-worker     405          editor:302
    study-spot-checks        viewer:200   405
    study-verdict            405          editor:302
    study-adjudication       viewer:200   405
    study-settle             405          editor:422
    study-messages           viewer:200   405
    study-answer             405          editor:422
    study-sampling           viewer:200   editor:422
    study-remove-sampling    405          editor:302
    study-continue-sampling  405          editor:302
    study-freeze             viewer:200   editor:302
    study-pairs              viewer:302   405
    study-freezing           viewer:200   405
    study-stop-freezing      405          editor:302
    study-crowd              viewer:200   405
    study-crowd-draft        405          editor:422
    study-crowd-discard      405          editor:302
    study-crowd-sync         405          editor:302
    study-crowd-try-again    405          owner:302
    study-crowd-order        owner:200    owner:302
    study-crowd-end          405          owner:302
    study-crowd-budget       405          owner:302
    study-crowd-review       viewer:200   405
    study-crowd-approve      405          owner:422
    study-crowd-decide       405          owner:302
    study-crowd-payments        viewer:200   405
    study-crowd-refresh-payments        405          editor:302
    study-crowd-decisions    owner:200    405
    study-crowd-file         405          owner:302
    """,
    Refusal(SIGN_IN, UNKNOWN, 403),
)

# The public page and the raters' preview ask nobody to sign in.
STUDIES_READ = table(
    """
    study-public             viewer:200   405
    """,
    Refusal(UNKNOWN, UNKNOWN, 403),
)
PREVIEW = table(
    """
    rating-preview           viewer:200   405
    """,
    Refusal(403, 403, 403),
)

# What stands in a rater's address says who is there; being signed in changes nothing.
RATERS = table(
    """
    rating-join              403   403
    rating-home              200   303
    rating-task              303   303
    rating-assignment        200   303
    rating-ratings           200   400
    rating-test              302   303
    rating-message           200   422
    rating-done              200   200
    crowd-enter              403   405
    crowd-task               403   403
    crowd-ratings            403   403
    """,
    Refusal(403, 403, 403),
)

_SETS = """
    judgment-set             reader:200   405
    compare-versions         reader:200   405
    leaderboard              reader:200   405
    leaderboard-csv          reader:200   405
    leaderboard-json         reader:200   405
    comparison               reader:200   405
    comparison-file          reader:200   405
    judges                   reader:200   405
    judge                    reader:200   405
    fewer-ratings            reader:200   405
    rating-plan              reader:302   405
    sentinels                reader:302   405
    jury                     reader:302   405
    combination              reader:302   405
    estimate                 reader:302   405
    plane                    reader:200   405
    fewer-ratings-file       404          405
    judge-file               404          405
    plane-file               404          405
    correctness              reader:200   405
    correctness-file         reader:200   405
    system-board             reader:200   405
    choices                  reader:302   405
    spans                    reader:302   405
    criteria                 reader:200   405
    criteria-csv             reader:200   405
    criteria-tex             reader:200   405
    side-by-side             reader:200   405
    metric-runs              reader:200   405
    metric-run               reader:200   405
    scatter-svg              reader:200   405
    submissions              reader:200   405
    submission-items         reader:200   405
    set-data                 reader:200   405
    errors                   reader:200   405
    minimal-pairs            reader:200   405
    pair-differences-file    404          405
    candidate                reader:200   405
    scores-xlsx              reader:200   405
    scores-csv               reader:200   405
    ratings-csv              reader:200   405
    judgments-jsonl          reader:200   405
    judgments-parquet        reader:200   405
    dataset-zip              reader:200   405
    set-files                reader:200   405
    set-report               reader:200   405
    pairs-jsonl              reader:200   405
    label-studio-json        reader:200   405
    label-studio-xml         reader:200   405
    potato-jsonl             reader:200   405
    labels-tsv               reader:409   405
    preferences-jsonl        reader:409   405
    set-members              viewer:200   owner:302
    set-publishing           viewer:200   owner:302
    set-history              viewer:200   405
    set-history-file         viewer:200   405
    compute-comparison       405          editor:302
    compute-plane            405          editor:302
    compute-judges           405          editor:302
    compute-judge            405          editor:302
    compute-fewer-ratings    405          editor:302
    compute-rating-plan      405          editor:302
    compute-sentinels        405          editor:302
    compute-sentinel-judges  405          editor:302
    collect-pairs            editor:200   editor:422
    compute-correctness      405          editor:302
    compute-jury             405          editor:302
    compute-combination      405          editor:302
    compute-estimate         405          editor:302
    compute-spans            405          editor:302
    compute-choices          405          editor:302
    compute-criteria         405          editor:302
    start-runs               405          editor:422
    stop-run                 405          editor:302
    retry-run                405          editor:302
    hidden-labels            405          editor:404
    submit                   405          account:422
    study-from-set           405          researcher:404
    model-judges             editor:200   editor:422
    model-judge              editor:200   405
    change-model-judge       405          editor:302
    align                    editor:200   editor:422
"""

PRIVATE_SETS = table(
    _SETS,
    Refusal(SIGN_IN, UNKNOWN, 403),
    {
        "reader": ("viewer", Refusal(UNKNOWN, UNKNOWN, UNKNOWN)),
        "account": ("viewer", Refusal(SIGN_IN, UNKNOWN, UNKNOWN)),
        # Of those who know of the set.
        "researcher": ("owner", Refusal(SIGN_IN, UNKNOWN, 403)),
    },
)
PUBLIC_SETS = table(
    _SETS, Refusal(SIGN_IN, 403, 403), {"reader": ("everybody", Refusal(200, 200, 200))}
)
CHANGE_SUBMISSION = table(
    """
    change-submission        405          owner:302
    """,
    Refusal(SIGN_IN, UNKNOWN, UNKNOWN),
)

# Once a study is published, it is known: what else there is of it is refused and not missing.
PUBLISHED_STUDY = table(
    """
    study-public             200          405
    study                    viewer:200   405
    study-members            viewer:200   owner:302
    study-protocol           viewer:200   editor:422
    study-protocol-rules     viewer:200   editor:422
    study-worker             viewer:200   405
    """,
    Refusal(SIGN_IN, 403, 403),
)

PAGES: dict[str, Row] = (
    OPEN | ACCOUNTS | MINE | STANDINGS | STUDIES | STUDIES_READ | PREVIEW | RATERS
) | CHANGE_SUBMISSION
