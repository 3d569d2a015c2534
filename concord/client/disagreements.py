"""Disagreements between metrics and people, and tags with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from concord.client.base import ApiMethods, drop_none
from concord.client.documents import Run, Study
from concord.client.set_downloads import AnySet, set_path
from concord.documents.disagreements import ConflictDocument, TallyDocument

AnyRun = Run | int


class Disagreements(ApiMethods):
    """Disagreements of a metric run with people, or of two runs."""

    def disagreements(
        self,
        which: AnySet,
        run: AnyRun,
        *,
        other: AnyRun | None = None,
        count: int = 20,
        direction: str = "both",
        compare: str = "rank",
    ) -> Sequence[ConflictDocument]:
        """The candidates with the largest differences, largest first, with their tags.

        `other`: a second run instead of people. `direction`: both, over (higher by the run), under.
        `compare`: rank, or score for unchanged scores.
        """
        query = {**_compared_runs(run, other), "count": count, "direction": direction}
        query["compare"] = compare
        answer = self._transport.get(f"{set_path(which)}/disagreements", query)
        conflicts: Sequence[ConflictDocument] = answer.json()["conflicts"]
        return conflicts

    def create_disagreement_study(
        self,
        which: AnySet,
        run: AnyRun,
        *,
        other: AnyRun | None = None,
        count: int = 20,
        direction: str = "both",
        preset: str | None = None,
        slug: str | None = None,
    ) -> Study:
        """Create a private study of all answers to the questions with the largest disagreements.

        The default `preset` depends on the kind of the set.
        """
        body = {**_compared_runs(run, other), "count": count, "direction": direction}
        return self._study(which, "disagreements", body, {"preset": preset, "slug": slug})

    def create_lost_pairs_study(
        self,
        which: AnySet,
        run: AnyRun,
        *,
        phenomenon: str | None = None,
        preset: str | None = None,
        slug: str | None = None,
    ) -> Study:
        """Create a private study of the minimal pairs that the run's metric orders wrongly."""
        options = {"phenomenon": phenomenon, "preset": preset, "slug": slug}
        return self._study(which, "lost-pairs", _compared_runs(run, None), options)

    def _study(
        self, which: AnySet, items: str, selection: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Study:
        body = {"items": items, **selection, **drop_none(options)}
        path = f"{set_path(which)}/studies"
        return Study.of(self._transport.send("POST", path, body, creates=True).json())

    def tag(
        self,
        which: AnySet,
        run: AnyRun,
        candidate: str,
        reason: str,
        *,
        other: AnyRun | None = None,
        note: str | None = None,
    ) -> int:
        """Tag a candidate with the reason of a disagreement. Returns the tag's id."""
        fields = {"candidate": candidate, "reason": reason, "note": note}
        body = {**_compared_runs(run, other), **drop_none(fields)}
        path = f"{set_path(which)}/tags"
        return int(self._transport.send("POST", path, body, creates=True).json()["id"])

    def untag(self, which: AnySet, number: int) -> None:
        """Delete your tag."""
        self._transport.send("DELETE", f"{set_path(which)}/tags/{number}")

    def tag_counts(self, which: AnySet) -> Sequence[TallyDocument]:
        """The number of candidates with each reason, for each pair that was compared."""
        tallies: Sequence[TallyDocument]
        tallies = self._transport.get(f"{set_path(which)}/tags").json()["tallies"]
        return tallies


def _compared_runs(run: AnyRun, other: AnyRun | None) -> dict[str, int]:
    sides = drop_none({"run": run, "other": other})
    return {
        name: run_or_id.id if isinstance(run_or_id, Run) else run_or_id
        for name, run_or_id in sides.items()
    }
