"""Language models that the site asks to judge a set, and second looks at disagreements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from concord.client.base import ApiMethods, drop_none
from concord.client.documents import JudgeLooks, ModelJudge, Run, SecondLook
from concord.client.judgment_sets import work_path
from concord.client.set_downloads import AnySet, set_path


class ModelJudges(ApiMethods):
    """Methods for editors of a set."""

    def model_judges(self, which: AnySet) -> Iterator[ModelJudge]:
        """The set's model judges, latest first."""
        return self._list(ModelJudge, f"{set_path(which)}/model-judges")

    def model_judge(self, which: AnySet, number: int) -> ModelJudge:
        """The present state of a model judge."""
        return self._get(ModelJudge, f"{set_path(which)}/model-judges/{number}")

    def draft_judge(
        self,
        which: AnySet,
        *,
        name: str,
        max_tokens: int,
        endpoint: str = "",
        model: str = "",
        key: str = "",
        previous: ModelJudge | None = None,
        **options: Any,
    ) -> ModelJudge:
        """Draft a judge, which sends nothing: `quote` of the answer says what would be sent.

        endpoint: the base URL of a server of the chat protocol. key: sealed, never shown again.
        previous: the judge of which it is a new version. options: local_model (one that the site
        offers, in the place of endpoint, model and key), template, own_template,
        scale, pairs, shots, train_split, seed, probes, json_schema, temperature, repeats,
        threads, max_completion, logprobs, prompt_price, completion_price, max_cost.
        """
        body = {
            "name": name,
            "endpoint": endpoint,
            "model": model,
            "max_tokens": max_tokens,
            "key": key,
            "previous": None if previous is None else previous.id,
            **options,
        }
        path = f"{set_path(which)}/model-judges"
        answer = self._transport.send("POST", path, drop_none(body), creates=True)
        return ModelJudge.of(answer.json())

    def confirm_judge(self, judge: ModelJudge) -> ModelJudge:
        """Send what the quote says, within the budget. See `wait`."""
        return self._change_judge(judge, "confirm")

    def stop_judge(self, judge: ModelJudge) -> ModelJudge:
        """Stop asking; what is answered is kept."""
        return self._change_judge(judge, "stop")

    def resume_judge(
        self, judge: ModelJudge, *, max_tokens: int, max_cost: float | None = None
    ) -> ModelJudge:
        """Go on with a stopped or failed judge, within this budget, what was spent included."""
        return self._change_judge(judge, "resume", {"max_tokens": max_tokens, "max_cost": max_cost})

    def delete_judge(self, judge: ModelJudge) -> None:
        """Delete a judge with its key and answers; a submission made of them stays."""
        self._transport.send("DELETE", work_path(judge))

    def plan_looks(
        self, judge: ModelJudge, *, max_tokens: int, key: str = "", **options: Any
    ) -> JudgeLooks:
        """Have a judge asked again about the same candidates on a schedule, to see whether it
        drifts.

        max_tokens: of all looks together. options: every ("day" or "week"), looks (how many at
        most), candidates, max_cost.
        """
        body = {"max_tokens": max_tokens, "key": key, **options}
        answer = self._transport.send("POST", f"{work_path(judge)}/looks", body, creates=True)
        return JudgeLooks.of(answer.json())

    def looks(self, judge: ModelJudge) -> Iterator[JudgeLooks]:
        """Each time that looks at a judge were planned, latest first, with their results."""
        return self._list(JudgeLooks, f"{work_path(judge)}/looks")

    def stop_looks(self, judge: ModelJudge) -> JudgeLooks:
        """End the looks at a judge; the results are kept, the key is deleted."""
        answer = self._transport.send("POST", f"{work_path(judge)}/looks/stop")
        return JudgeLooks.of(answer.json())

    def start_second_look(
        self, run: Run, candidates: Sequence[str], *, ratings: int = 3
    ) -> SecondLook:
        """Ask other raters about candidates on which the run disagrees with people: a stage of the
        set's study, which a person opens."""
        body = {"candidates": list(candidates), "ratings": ratings}
        answer = self._transport.send("POST", _look_path(run), body, creates=True)
        return SecondLook.of(answer.json())

    def second_look(self, run: Run) -> SecondLook:
        """The run's second look, with what it says once its stage has closed."""
        return self._get(SecondLook, _look_path(run))

    def _change_judge(
        self, judge: ModelJudge, change: str, body: dict[str, Any] | None = None
    ) -> ModelJudge:
        path = f"{work_path(judge)}/{change}"
        return ModelJudge.of(self._transport.send("POST", path, body).json())


def _look_path(run: Run) -> str:
    return f"{set_path(run.judgment_set)}/runs/{run.id}/second-look"
