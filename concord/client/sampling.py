"""Stages that choose what people rate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from concord.client.base import ApiMethods, FilePath, drop_none
from concord.client.documents import Sampling
from concord.client.studies import AnyStudy, study_path


class Samplings(ApiMethods):
    """Methods for the sampling of a study's full stage."""

    def sampling(self, which: AnyStudy) -> Sampling:
        """The rule, the waves, the looks, and whether it goes on. Raises ProblemError with the
        status 404 where the stage rates every candidate."""
        return self._get(Sampling, _path(which))

    def set_sampling(  # noqa: PLR0913 - the fields of the operation's body
        self,
        which: AnyStudy,
        scores: FilePath,
        *,
        rule: str,
        target: str,
        budget: int,
        value: float | None = None,
        wave_size: int | None = None,
        aim: str | None = None,
        systems: Sequence[str] = (),
        strata: str | None = None,
        uniform_share: float | None = None,
    ) -> Sampling:
        """Have the full stage draw instances by a rule, before it is opened.

        scores: a file with one or more metrics of every candidate. rule: uniform, stratified or
        active. target: width or ranking, with the width or the level as `value`, or budget. The
        other options are those of the page Sampling.
        """
        options = {
            "rule": rule,
            "aim": aim,
            "systems": list(systems) or None,
            "strata": strata,
            "uniform_share": uniform_share,
            "wave_size": wave_size,
            "target": target,
            "value": value,
            "budget": budget,
        }
        files = [("scores", Path(scores))]
        return Sampling.of(self._transport.upload(_path(which), drop_none(options), files).json())

    def remove_sampling(self, which: AnyStudy) -> None:
        """Have the full stage rate every candidate."""
        self._transport.send("DELETE", _path(which))

    def continue_sampling(self, which: AnyStudy) -> Sampling:
        """Draw the next wave now, or close the stage at its target. Raises ProblemError where the
        last wave is not rated yet, or a person must act first."""
        return Sampling.of(self._transport.send("POST", f"{_path(which)}/continue").json())


def _path(which: AnyStudy) -> str:
    return f"{study_path(which)}/stages/full/sampling"
