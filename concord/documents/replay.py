"""How few ratings of a finished set would have been enough."""

from typing import Any, NotRequired, TypedDict

from concord.documents.comparison import RunName


class CollectionReplay(TypedDict):
    """Collections by a sampling rule until a target. units: those of the set. wave: expected units
    of a wave. target: `concord.sampling.StoppingRule`, rows: `concord.sampling.DesignReplay`, as
    JSON."""

    units: int
    wave: int
    target: dict[str, Any]
    rows: list[dict[str, Any]]


class ReplayAnalysis(TypedDict):
    """The analysis "replay" of a stored set. rows: `concord.estimation.ReplayRow` as JSON; empty
    with a `collection`."""

    metric: RunName
    n: int
    passages: int
    systems: list[str]
    rows: list[dict[str, Any]]
    collection: NotRequired[CollectionReplay]
