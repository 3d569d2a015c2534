"""The client of the REST API."""

from __future__ import annotations

import os
from types import TracebackType

import httpx

from concord.client.crowds import Crowds
from concord.client.disagreements import Disagreements
from concord.client.judges import ModelJudges
from concord.client.judgment_sets import JudgmentSets
from concord.client.learned import LearnedMetrics
from concord.client.sampling import Samplings
from concord.client.studies import Studies
from concord.client.transport import ApiTransport
from concord.client.tryouts import TryOuts
from concord.client.webhooks import Webhooks


class Client(
    JudgmentSets,
    ModelJudges,
    Disagreements,
    Studies,
    Samplings,
    Crowds,
    LearnedMetrics,
    TryOuts,
    Webhooks,
):
    """A client of one installation, with one account.

    `url` and `token` are by default the environment variables CONCORD_URL and CONCORD_TOKEN.
    Without a token only public data are visible. `timeout` is the maximum number of seconds
    without data from the server. Raises ProblemError where the server rejects a request, and
    UnreachableError where it does not respond. Close the client, or use it in a `with` block. It
    is not thread-safe.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        url = os.environ.get("CONCORD_URL", "http://127.0.0.1:8000") if url is None else url
        token = os.environ.get("CONCORD_TOKEN", "") if token is None else token
        self._transport = ApiTransport(url, token, timeout=timeout, transport=transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
