"""Human judgments of generated answers, and automatic metrics benchmarked against them.

>>> import concord
>>> frame = concord.read_judgments("marco_all.csv", format="kpqa")
>>> concord.leaderboard(frame, ["bleu-1", "rouge-l"])
>>> concord.agreement(concord.read_judgments("thumb.jsonl", format="thumb",
...                                          criterion="coherence"), raters="crowd").alpha

The library needs no Django, no database, no torch and no Java. Some metrics need torch or Java.
`concord.Client` is the client of a site's REST API.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concord.boards import Leaderboard, compare, leaderboard
    from concord.client import Client
    from concord.filtering import WorkerFilter, ZScoreFilter
    from concord.formats import FormatError, write_judgments
    from concord.frames import FrameError, read_judgments, to_frame
    from concord.meta.comparing import ComparisonOptions
    from concord.raters import Agreement, aggregate, agreement, filter_ratings
    from concord.scoring import score

# PyTorch's threads sleep where they wait for each other. By default they spin, which doubles the
# CPU time where other processes use the cores. The variable is read when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

_MODULES = {
    "Agreement": "concord.raters",
    "Client": "concord.client",
    "ComparisonOptions": "concord.meta.comparing",
    "FormatError": "concord.formats",
    "FrameError": "concord.frames",
    "Leaderboard": "concord.boards",
    "WorkerFilter": "concord.filtering",
    "ZScoreFilter": "concord.filtering",
    "aggregate": "concord.raters",
    "agreement": "concord.raters",
    "compare": "concord.boards",
    "filter_ratings": "concord.raters",
    "leaderboard": "concord.boards",
    "read_judgments": "concord.frames",
    "score": "concord.scoring",
    "to_frame": "concord.frames",
    "write_judgments": "concord.formats",
}

__all__ = [
    "Agreement",
    "Client",
    "ComparisonOptions",
    "FormatError",
    "FrameError",
    "Leaderboard",
    "WorkerFilter",
    "ZScoreFilter",
    "aggregate",
    "agreement",
    "compare",
    "filter_ratings",
    "leaderboard",
    "read_judgments",
    "score",
    "to_frame",
    "write_judgments",
]


def __getattr__(name: str) -> Any:
    """Import a public name's module on first use, so that `import concord` stays fast."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'concord' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
