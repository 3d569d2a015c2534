"""A protocol in one line."""

from __future__ import annotations

from concord.protocols import Protocol
from concord.sentences import counted


def summary_of(protocol: Protocol) -> str:
    """The scale, the criteria, the number of ratings, the HITs, and what comes before and after."""
    counts = sorted({rule.ratings for rule in protocol.rating_rules})
    ratings = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    size = protocol.hit.max_candidates
    names = {"points": "Scale", "slider": "Slider"}
    if protocol.compares:
        names["points"] = f"{protocol.unit.capitalize()}s of answers, scale"
    criteria = len(protocol.criteria)
    parts = [
        f"{names[protocol.scale_kind]} from {protocol.low} to {protocol.high}",
        *([f"{criteria} further criteri{'a' if criteria > 1 else 'on'}"] if criteria else []),
        f"{ratings} rating{'s' if counts[-1] > 1 else ''} per candidate",
        f"HITs of up to {counted(size, 'candidate')}" if size > 1 else "one candidate per HIT",
    ]
    if protocol.qualification:
        parts.append(f"a test of {protocol.qualification.candidates}")
    if protocol.trial:
        parts.append(f"a trial of {protocol.trial.candidates}")
    if protocol.quality.zscore_threshold:
        parts.append(f"a z-score filter at {protocol.quality.zscore_threshold:g}")
    return f"{', '.join(parts)}."
