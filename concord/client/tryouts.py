"""Try-outs: one answer scored by every metric."""

from __future__ import annotations

from collections.abc import Sequence

from concord.client.base import ApiMethods, drop_none
from concord.client.documents import TryOut


class TryOuts(ApiMethods):
    """Methods to score single answers; import many answers as a judgment set."""

    def try_answer(
        self,
        candidate: str,
        references: Sequence[str],
        *,
        question: str | None = None,
        passage: str | None = None,
        metrics: Sequence[str] | None = None,
    ) -> TryOut:
        """Score one answer with `metrics`, by default with all whose model is available.

        The result has the scores of metrics without a model; `wait` returns all scores.
        """
        body = {
            "candidate": candidate,
            "references": list(references),
            "question": question,
            "passage": passage,
            "metrics": None if metrics is None else ",".join(metrics),
        }
        answer = self._transport.send("POST", "/try", drop_none(body), creates=True)
        return TryOut.of(answer.json())

    def try_out(self, number: int) -> TryOut:
        """Your try-out with its scores so far; it is deleted after a day."""
        return self._get(TryOut, f"/try/{number}")
