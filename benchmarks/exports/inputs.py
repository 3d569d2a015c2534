"""What people choose about downloads, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from benchmarks.exports.services.dataset_card import LICENSES, UNKNOWN_LICENSE
from benchmarks.exports.services.preferences import SOURCES, Source
from benchmarks.sets.bounds import GROUP_NAME
from concord.bounds import REQUIRED, Text, choice, described, items, number, text


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """The run of AVA that labels unjudged answers, and the least probability of a correct answer.

    None: the latest run, and the threshold of its checkpoint.
    """

    metric: str | None = field(
        default=None,
        metadata=text(
            200,
            required=REQUIRED,
            help="`ava`, or a checkpoint of it, that has scored the set; by default the latest.",
        ),
    )
    threshold: float | None = field(
        default=None,
        metadata=number(
            0, 1, help="Minimum probability of a correct answer; by default the checkpoint's."
        ),
    )


@dataclass(frozen=True, slots=True)
class ScoresOptions:
    """The metrics of a file of scores; none: all complete ones."""

    metrics: tuple[str, ...] = field(
        default=(),
        metadata=items(
            1000,
            each=Text(200, REQUIRED),
            help="Names of metrics, in the order of the file; by default all complete ones.",
        ),
    )


@dataclass(frozen=True, slots=True)
class DatasetOptions:
    """What a dataset folder states."""

    license: str = field(
        default=UNKNOWN_LICENSE,
        metadata=choice(
            LICENSES,
            label="Licence",
            help="The licence that the dataset card states. Default: unknown.",
        ),
    )


@dataclass(frozen=True, slots=True)
class PreferenceOptions:
    """Where preferences come from; the other fields are for scores."""

    by: Source = field(
        default=SOURCES[0],
        metadata=choice(
            SOURCES, help="People's choices, minimal pairs, or the scores of two candidates."
        ),
    )
    min_gap: float | None = field(
        default=None, metadata=number(0, inf, help="scores: the least difference of two.")
    )
    criterion: str | None = field(
        default=None,
        metadata=described(GROUP_NAME, help="scores: of a set with several criteria."),
    )
