"""A client of Concord's REST API with typed results; requests are retried safely.

For example:

    from concord import Client

    with Client("https://concord.example.org", token="concord_...") as client:
        made = client.import_set("judgments.jsonl", format="concord", name="answers")
        runs = client.wait(client.start_runs(made, ["bleu-1", "rouge-l"]))
        board = client.leaderboard(made)
        findings = client.get("/sets/answers/findings")
"""

from concord.client.client import Client
from concord.client.documents import *  # noqa: F403 the names are listed there
from concord.client.documents import __all__ as document_names
from concord.client.errors import (
    ConcordError,
    Fault,
    ProblemError,
    UnreachableError,
    WaitTimeoutError,
)

__all__ = [
    "Client",
    "ConcordError",
    "Fault",
    "ProblemError",
    "UnreachableError",
    "WaitTimeoutError",
]
__all__ += document_names
