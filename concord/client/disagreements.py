"""Where metrics and people disagree, and the reasons that people give for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from concord.client.documents import Run, Study
from concord.client.judgment_sets import Set, set_path
from concord.client.retrying import Asking, without_none

AnyRun = Run | int


class Disagreements(Asking):
    """Of a metric run and people, or of two runs."""

    def disagreements(
        self,
        which: Set,
        run: AnyRun,
        *,
        other: AnyRun | None = None,
        count: int = 20,
        direction: str = "both",
        compare: str = "rank",
    ) -> Sequence[Mapping[str, Any]]:
        """The candidates on which they differ most, largest first, with the reasons given.

        `other` stands in people's place; `direction`: both, over (higher by the run), under;
        `compare`: rank, or score for the scores as they are.
        """
        asked = {**_compared(run, other), "count": count, "direction": direction}
        asked["compare"] = compare
        answer = self._transport.get(f"{set_path(which)}/disagreements", asked)
        found: Sequence[Mapping[str, Any]] = answer.json()["conflicts"]
        return found

    def study_of_disagreements(
        self,
        which: Set,
        run: AnyRun,
        *,
        other: AnyRun | None = None,
        count: int = 20,
        direction: str = "both",
        preset: str | None = None,
        slug: str | None = None,
    ) -> Study:
        """Begin a private study with every answer to the questions of the largest disagreements.

        `preset` is by default that of the set's kind.
        """
        asked = {**_compared(run, other), "count": count, "direction": direction}
        return self._study(which, "disagreements", asked, {"preset": preset, "slug": slug})

    def study_of_lost_pairs(
        self,
        which: Set,
        run: AnyRun,
        *,
        phenomenon: str | None = None,
        preset: str | None = None,
        slug: str | None = None,
    ) -> Study:
        """Begin a private study with the minimal pairs that the run's metric loses."""
        told = {"phenomenon": phenomenon, "preset": preset, "slug": slug}
        return self._study(which, "lost-pairs", _compared(run, None), told)

    def _study(
        self, which: Set, items: str, asked: Mapping[str, Any], told: Mapping[str, Any]
    ) -> Study:
        body = {"items": items, **asked, **without_none(told)}
        path = f"{set_path(which)}/studies"
        return Study.of(self._transport.send("POST", path, body, creates=True).json())

    def tag(
        self,
        which: Set,
        run: AnyRun,
        candidate: str,
        reason: str,
        *,
        other: AnyRun | None = None,
        note: str | None = None,
    ) -> int:
        """Say why they disagree on a candidate; the number of what was said."""
        told = {"candidate": candidate, "reason": reason, "note": note}
        body = {**_compared(run, other), **without_none(told)}
        path = f"{set_path(which)}/tags"
        return int(self._transport.send("POST", path, body, creates=True).json()["id"])

    def untag(self, which: Set, number: int) -> None:
        """Take back a reason of yours."""
        self._transport.send("DELETE", f"{set_path(which)}/tags/{number}")

    def tallies(self, which: Set) -> Sequence[Mapping[str, Any]]:
        """Of how many candidates each reason was given, for every two that were compared."""
        found: Sequence[Mapping[str, Any]]
        found = self._transport.get(f"{set_path(which)}/tags").json()["tallies"]
        return found


def _compared(run: AnyRun, other: AnyRun | None) -> dict[str, int]:
    sides = without_none({"run": run, "other": other})
    return {name: one.id if isinstance(one, Run) else one for name, one in sides.items()}
