"""Reader of Concord's JSON Lines `concord-pairs`: minimal pairs, and pairs that people judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from concord.documents.conversation import is_whole
from concord.formats.best_worst import NOT_IMPLIED, order_of
from concord.formats.choices import BOTH_BAD, EXPECTED, ChoiceAnswer, as_choice, read_choice
from concord.formats.collector import RecordCollector
from concord.formats.concord import (
    INSTANCE_FIELDS,
    KEY_FIELDS,
    MEANINGS,
    WORKER_FIELDS,
    Lines,
    by_workers,
)
from concord.formats.conversations import read_conversation
from concord.formats.errors import quote
from concord.formats.fields import Fields, pair_fault
from concord.formats.files import SourceFile
from concord.formats.instances import pair_key
from concord.formats.options import ReadOptions
from concord.formats.records import ChoiceRecord, KeyRecord, PairRecord, candidate_names

OPTIONS = frozenset({"unscored_pairs", "for_ranking", "without_references", "keys", "both_orders"})

PAIR_FIELDS = INSTANCE_FIELDS | {
    "id",
    *(f"{name}{number}" for name in ("id", "system", "candidate", "score") for number in (1, 2)),
    "phenomenon",
    "set",
    "scale",
    "ratings",
}
PAIR_KEY_FIELDS = KEY_FIELDS | {"choice"}
CHOICE_FIELDS = WORKER_FIELDS | {"choice", "first_shown", "hard"}
NO_CHOICE = "without a choice: every answer of people is null"


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one pair per line: a minimal pair, or, with `ratings`, a pair that people judged.

    Required of a minimal pair: references, candidate1, score1, candidate2, score2, with score1
    above score2. With the option `unscored_pairs` both scores may be absent. A pair with `ratings`
    (each a worker's `choice`: 1, 2, "tie", "both_bad", or null for an invalid answer, which is
    counted and left out) needs the candidates only; scores may be in any order.
    `set` names the compared set whose best-worst choices imply the pair; each worker must have all
    pairs that follow from a best and a worst. Without `id` the key is a hash of the
    instance, both candidates and the set. With the option `keys`, `choice` (1, 2 or "tie") is the
    correct choice, and `answers` has the correct answers to criteria; the correct choices of a set
    must be those of a best and a worst too.
    """
    lines, sets = Lines(collector, options), _Sets()
    allowed = PAIR_FIELDS | PAIR_KEY_FIELDS if options.keys else PAIR_FIELDS
    meanings = {name: name for name in allowed} | MEANINGS
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.count_row(file.name, line)
            collector.report.see(data, meanings)
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            fields.reject_unknown(allowed)
            file_key = fields.name("id", required=data.get("id") is not None)
            choices, invalid = _choices(fields, collector, options)
            # An invalid choice is the only fault of its line: nothing else is needed then.
            is_judged = bool(data.get("ratings"))
            conversation = read_conversation(fields)
            if conversation and is_whole(conversation):
                fields.fault("judged", "is of single candidates; those of a pair are replies")
            instance = lines.instance(
                fields, conversation=conversation, without_references=is_judged
            )
            first, second = (fields.text(f"candidate{n}", required=True) for n in (1, 2))
            systems = _systems(fields, collector, options)
            keys = fields.name("id1"), fields.name("id2")
            scores = _pair_scores(fields, options, has_choices=is_judged)
            test_key = _test_key(fields, line) if options.keys else None
            phenomenon = collector.pool.name(fields.name("phenomenon"))
            set_key = collector.pool.name(fields.name("set"))
            if set_key and not is_judged and not options.keys:
                fields.fault("set", "needs `ratings`, the choices of those who compared the set")
            if set_key and test_key is not None and test_key.choice is None:
                fields.fault("choice", "is missing; a pair of a set needs its correct choice")
            stated = zip(("score1", "score2"), scores, strict=True)
            lines.check_scale(fields, [(name, one) for name, one in stated if one is not None])
            if instance is None or fields.faults:
                continue
            collector.report.invalid_choices += invalid
            if is_judged and not choices:
                collector.leave_out(NO_CHOICE)
                continue
            key = file_key or pair_key(instance, first, second, set_key)
            pair = PairRecord(
                key,
                instance,
                first,
                scores[0],
                second,
                scores[1],
                phenomenon,
                systems,
                keys,
                choices,
                set_key,
                test_key,
            )
            collector.add_pair(pair, file.name, line, "id")
            for one in (*pair.choices, *_correct_choice(pair)) if set_key else ():
                sets.add(pair, one, file.name, line)
    sets.finish(collector)
    lines.finish()
    if both_bad := sum(one.is_both_bad for pair in collector.pairs for one in pair.choices):
        collector.note(f"Ties whose rater said that both answers are bad: {both_bad:,}.")


class _Sets:
    """Checks across lines: the pairs of a set are those that a best and a worst imply."""

    def __init__(self) -> None:
        self._preferences: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        self._positions: dict[tuple[str, ...], tuple[str, int | None]] = {}

    def add(self, pair: PairRecord, choice: ChoiceRecord, file: str, line: int | None) -> None:
        judgment = (pair.instance.key, pair.set_key, choice.group, choice.worker)
        first, second = candidate_names(pair)
        # A tie is preferred to itself, which no best and worst implies.
        preference = {1: (first, second), 2: (second, first), "tie": (first, first)}
        self._preferences[judgment].append(preference[choice.choice])
        self._positions.setdefault(judgment, (file, line))

    def finish(self, collector: RecordCollector) -> None:
        for judgment, preferences in self._preferences.items():
            if order_of(preferences) is None:
                _, set_key, _, worker = judgment
                place = f"of {quote(worker)} in {quote(set_key)} they are not"
                if not worker:
                    place = f"the correct ones of {quote(set_key)} are not"
                message = f"{NOT_IMPLIED}; {place}"
                collector.problems.add(*self._positions[judgment], "set", message)


def _test_key(fields: Fields, line: int) -> KeyRecord:
    """The correct choice and answers of a pair, with a fault where the choice is none."""
    choice = None if fields.data.get("choice") is None else _choice(fields)
    if choice == BOTH_BAD:
        fields.fault("choice", EXPECTED)
    return KeyRecord(fields.values_by_name("answers"), line, choice and as_choice(choice))


def _correct_choice(pair: PairRecord) -> tuple[ChoiceRecord, ...]:
    """The correct choice of a pair, by no worker; empty where it has none."""
    if pair.test_key is None or pair.test_key.choice is None:
        return ()
    return (ChoiceRecord("", pair.test_key.choice),)


def _choice(fields: Fields) -> ChoiceAnswer | None:
    """The field `choice`; None with a fault."""
    choice = read_choice(fields.data.get("choice"))
    if choice is None:
        fields.fault("choice", EXPECTED)
    return choice


def _pair_scores(
    fields: Fields, options: ReadOptions, *, has_choices: bool
) -> tuple[float | None, float | None]:
    """score1 and score2, None where absent, with a fault where the pair needs them or another
    order."""
    has_scores = any(fields.data.get(name) is not None for name in ("score1", "score2"))
    needed = not has_choices and (has_scores or not options.unscored_pairs)
    first, second = (fields.number(f"score{n}", required=needed) for n in (1, 2))
    if first is None or second is None or has_choices or options.for_ranking:
        return first, second
    if fault := pair_fault(first, second):
        fields.fault("score1", fault)
    return first, second


def _systems(fields: Fields, collector: RecordCollector, options: ReadOptions) -> tuple[str, str]:
    """The systems of both candidates; a ranking needs two."""
    needed = options.for_ranking
    first, second = (
        collector.pool.name(fields.name(f"system{n}", required=needed)) for n in (1, 2)
    )
    if needed and first and first == second and not fields.data.get("set"):
        message = f"is {quote(second)} as `system1` is; two systems are needed"
        fields.fault("system2", message)
    return first, second


def _choices(
    fields: Fields, collector: RecordCollector, options: ReadOptions
) -> tuple[tuple[ChoiceRecord, ...], int]:
    """The choices of a pair, and the number of invalid answers; each pair of a set has a choice."""
    choices, invalid = [], 0
    rows = by_workers(
        fields,
        collector,
        "ratings",
        CHOICE_FIELDS,
        "chooses twice",
        both_orders=options.both_orders,
    )
    for item, worker, group, simulated in rows:
        shown = item.data.get("first_shown")
        is_null = "choice" in item.data and item.data["choice"] is None
        is_invalid = is_null and not fields.data.get("set")
        choice = None if is_invalid else _choice(item)
        if shown is not None and (type(shown) is not int or shown not in (1, 2)):
            item.fault("first_shown", "1 or 2 is expected")
        is_hard = item.flag("hard")
        invalid += is_invalid
        if choice is not None and not item.faults:
            choices.append(
                ChoiceRecord(
                    worker,
                    as_choice(choice),
                    shown,
                    group,
                    simulated,
                    is_hard,
                    is_both_bad=choice == BOTH_BAD,
                )
            )
    if choices and options.unscored_pairs:
        message = "people chose between these candidates already; minimal pairs are expected"
        fields.fault("ratings", message)
    return tuple(choices), invalid
