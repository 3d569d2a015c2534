"""What people choose to freeze a study, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.studies.inputs import SLUG_TEXT
from annotation.studies.models import Stage
from benchmarks.sets.bounds import SET_NAME
from concord.bounds import choice, choice_of, described, flag, items
from concord.protocols.protocol import AGGREGATIONS

KINDS = tuple(kind.value for kind in Stage.Kind if kind != Stage.Kind.QUALIFICATION)


@dataclass(frozen=True, slots=True)
class FreezeOptions:
    """How gold scores are made of a study's ratings, and the set that they make.

    name: "" for the name of the study.
    """

    aggregation: str = field(
        default="mean",
        metadata=choice(
            {name: DESCRIPTIONS[name] for name in AGGREGATIONS},
            label="Gold score",
            help="By default that of the protocol. Not used where raters compare candidates.",
        ),
    )
    stages: tuple[str, ...] = field(
        default=(),
        metadata=items(
            len(KINDS),
            each=choice_of(KINDS),
            label="Ratings of",
            help="By default all stages except a trial that does not count.",
        ),
    )
    name: str = field(
        default="",
        metadata=described(
            SET_NAME,
            "Name of the set",
            "By default the name of the study, or of the set that its pairs are for.",
        ),
    )
    is_preview: bool = field(
        default=False, metadata=flag("Only compute the preview; do not make a set.")
    )


@dataclass(frozen=True, slots=True)
class NewPairStudy:
    """The name of a study that collects minimal pairs for a set."""

    slug: str = field(
        metadata=described(SLUG_TEXT, "Short name of the study", SLUG_TEXT.pattern_help)
    )
