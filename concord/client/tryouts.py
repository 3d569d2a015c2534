"""Try-outs: one answer scored by every metric."""

from __future__ import annotations

from collections.abc import Sequence

from concord.client.documents import TryOut
from concord.client.retrying import Asking, without_none


class TryOuts(Asking):
    """One answer at a time; for many, import them as a judgment set."""

    def try_answer(
        self,
        candidate: str,
        references: Sequence[str],
        *,
        question: str | None = None,
        passage: str | None = None,
        metrics: Sequence[str] | None = None,
    ) -> TryOut:
        """Score one answer with the metrics named, by default with all whose model is at hand.

        Metrics without a model have scored it in what is returned; `wait` returns it with all.
        """
        body = {
            "candidate": candidate,
            "references": list(references),
            "question": question,
            "passage": passage,
            "metrics": None if metrics is None else ",".join(metrics),
        }
        answer = self._transport.send("POST", "/try", without_none(body), creates=True)
        return TryOut.of(answer.json())

    def tried(self, number: int) -> TryOut:
        """One of yours, with the scores so far; they are deleted after a day."""
        return self._one(TryOut, f"/try/{number}")
