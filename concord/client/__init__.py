"""A client of Concord's REST API with typed results; requests are retried safely.

For example:

    from concord import Client

    with Client("https://concord.example.org", token="concord_...") as client:
        made = client.import_set("judgments.jsonl", format="concord", name="answers")
        runs = client.wait(client.start_runs(made, ["bleu-1", "rouge-l"]))
        board = client.leaderboard(made)
"""

from concord.client.client import Client
from concord.client.documents import (
    Agreement,
    Analysis,
    Board,
    Candidate,
    CandidateImport,
    Checkpoint,
    Document,
    Freezing,
    JudgmentSet,
    JudgmentSetDetail,
    MinimalPair,
    ModelJudge,
    Publication,
    RaterDisagreement,
    Rating,
    Run,
    Sampling,
    SecondLook,
    SetImport,
    Stage,
    Study,
    Submission,
    Training,
    TrainingDetail,
    TryOut,
    Upload,
    Webhook,
    WebhookMessage,
    WholeWebhookMessage,
    Worker,
)
from concord.client.errors import (
    ConcordError,
    Fault,
    ProblemError,
    UnreachableError,
    WaitTimeoutError,
)

__all__ = [
    "Agreement",
    "Analysis",
    "Board",
    "Candidate",
    "CandidateImport",
    "Checkpoint",
    "Client",
    "ConcordError",
    "Document",
    "Fault",
    "Freezing",
    "JudgmentSet",
    "JudgmentSetDetail",
    "MinimalPair",
    "ModelJudge",
    "ProblemError",
    "Publication",
    "RaterDisagreement",
    "Rating",
    "Run",
    "Sampling",
    "SecondLook",
    "SetImport",
    "Stage",
    "Study",
    "Submission",
    "Training",
    "TrainingDetail",
    "TryOut",
    "UnreachableError",
    "Upload",
    "WaitTimeoutError",
    "Webhook",
    "WebhookMessage",
    "WholeWebhookMessage",
    "Worker",
]
