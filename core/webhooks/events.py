"""The list of events. It does not depend on Django."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STUDY, SET, ACCOUNT = "study", "set", "account"


@dataclass(frozen=True)
class EventKind:
    """An event that webhooks can receive. `of` is the kind of its target."""

    name: str
    title: str
    of: str
    example: Mapping[str, object]


_RUN = {
    "judgment_set": "demo@1",
    "run": 12,
    "metric": "bleu-1",
    "signature": "bleu-1|tok:ptb|version:1",
    "status": "complete",
    "reason": "",
    "path": "/sets/demo@1/runs/12/",
}
_IMPORT = {
    "import": 7,
    "name": "demo",
    "status": "complete",
    "reason": "",
    "judgment_set": "demo@2",
    "path": "/imports/7/",
}
_STUDY = {"study": "news-answers", "title": "News answers", "path": "/studies/news-answers/"}

EVENTS = (
    EventKind("run.done", "A metric run is complete", SET, _RUN),
    EventKind(
        "run.failed",
        "A metric run failed",
        SET,
        _RUN | {"status": "failed", "reason": "The endpoint returned no scores."},
    ),
    EventKind(
        "set.imported",
        "A version of a judgment set was created",
        SET,
        {"judgment_set": "demo@2", "candidates": 1000, "pairs": 0, "path": "/sets/demo@2/"},
    ),
    EventKind(
        "set.published",
        "A version of a judgment set was published",
        SET,
        {"judgment_set": "demo@2", "path": "/sets/demo@2/"},
    ),
    EventKind("import.done", "Your import was completed", ACCOUNT, _IMPORT),
    EventKind(
        "import.failed",
        "Your import failed",
        ACCOUNT,
        _IMPORT
        | {
            "status": "failed",
            "reason": "answers.jsonl:5: references: at least one is needed",
            "judgment_set": None,
        },
    ),
    EventKind("stage.opened", "A stage was opened", STUDY, _STUDY | {"stage": "full"}),
    EventKind(
        "stage.complete",
        "A stage has all its ratings",
        STUDY,
        _STUDY | {"stage": "full"},
    ),
    EventKind("stage.closed", "A stage was closed", STUDY, _STUDY | {"stage": "full"}),
    EventKind(
        "study.frozen",
        "A study was frozen into a judgment set",
        STUDY,
        _STUDY | {"judgment_set": "news-answers@1"},
    ),
)
NAMES = tuple(event.name for event in EVENTS)
PING = "ping"  # a test message


def of_kind(kind: str) -> tuple[EventKind, ...]:
    """The events of a kind of target; for an account, all events."""
    return tuple(event for event in EVENTS if kind in (ACCOUNT, event.of))


def event_named(name: str) -> EventKind:
    """The event of this name. Raises KeyError."""
    return next((event for event in EVENTS if event.name == name), None) or _missing(name)


def _missing(name: str) -> EventKind:
    raise KeyError(f"unknown event {name!r}; the events are {', '.join(NAMES)}")
