"""METEOR 1.5 inside the helper process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scorers.java.jars import meteor_jar
from scorers.java.jvm import start_jvm


def meteor_service() -> Callable[[Any], Any]:
    """METEOR with `-l en -norm`, its classes called as the jar's own command line calls them.

    `{"score": [[hypothesis, [reference, ...]], ...]}` returns `[[score, statistics], ...]`;
    `{"aggregate": [statistics, ...]}` returns the score of the summed statistics. The statistics
    are METEOR's line of 23 numbers. Every score is computed from such a line, because the COCO
    scripts let the jar evaluate lines that it printed before.
    """
    # The serial collector needs less memory and leaves the other cores to metrics. The tables of
    # METEOR take 0.3 GB.
    start_jvm(meteor_jar(), "-Xmx1g", "-Xms400m", "-Xmn64m", "-XX:+UseSerialGC")
    import jpype

    array_list = jpype.JClass("java.util.ArrayList")
    stats = jpype.JClass("edu.cmu.meteor.scorer.MeteorStats")
    arguments = jpype.JArray(jpype.JString)(["-", "-", "-stdio", "-l", "en", "-norm"])
    properties = jpype.JClass("Meteor").createPropertiesFromArgs(arguments, 2)
    configuration = jpype.JClass("edu.cmu.meteor.scorer.MeteorConfiguration")(properties)
    scorer = jpype.JClass("edu.cmu.meteor.scorer.MeteorScorer")(configuration)

    def score(hypothesis: str, references: list[str]) -> tuple[float, str]:
        java_references = array_list()
        for reference in references:
            java_references.add(reference)
        line = scorer.getMeteorStats(hypothesis, java_references).toString()
        parsed = stats(line)
        scorer.computeMetrics(parsed)
        return float(parsed.score), str(line)

    def aggregate(lines: list[str]) -> float:
        total = stats()
        for line in lines:
            total.addStats(stats(line))
        scorer.computeMetrics(total)
        return float(total.score)

    def handle(request: dict[str, Any]) -> Any:
        if "score" in request:
            return [score(hypothesis, references) for hypothesis, references in request["score"]]
        return aggregate(request["aggregate"])

    return handle
