"""The client: a method for each thing to do; what it returns is typed."""

from __future__ import annotations

import os
from types import TracebackType

import httpx

from concord.client.crowds import Crowds
from concord.client.disagreements import Disagreements
from concord.client.judgment_sets import JudgmentSets
from concord.client.learned import LearnedMetrics
from concord.client.studies import Studies
from concord.client.transport import Transport
from concord.client.tryouts import TryOuts
from concord.client.webhooks import Webhooks


class Client(JudgmentSets, Disagreements, Studies, Crowds, LearnedMetrics, TryOuts, Webhooks):
    """Speaks with one installation as one account.

    `url` and `token` are by default what the environment has as CONCORD_URL and CONCORD_TOKEN;
    without a token it sees what visitors see. `timeout` is how many seconds the server may be
    silent. Raises ProblemError where the server refuses, NotReachedError where it does not answer.
    Close it, or use it in a `with` block. Not for several threads at once.
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
        self._transport = Transport(url, token, timeout=timeout, transport=transport)

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
        """Let its connections go."""
        self._transport.close()
