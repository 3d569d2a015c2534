"""A model of a study's services in plain Python: no database, no locks, and time is an argument.

Each method models a service. It takes the service's result, raises AssertionError if that is wrong,
and changes the model as the service must change the database. Workers, HITs and candidates are
primary keys.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import isclose
from statistics import fmean
from typing import Any

LEASE = timedelta(minutes=60)
Pair = tuple[int, int]


@dataclass
class StudyModel:
    """The state of a study.

    wanted: the ratings that each HIT needs. members: the candidates of each HIT. required: the
    ratings that each candidate needs. holds: (worker, HIT) to the status of the assignment and the
    end of its lease. values: (worker, candidate) to the rating, its time, and its HIT. earlier:
    counts replaced values. steps: the ledger, each step [worker, candidate or None for an
    exclusion, whether it is active].
    """

    wanted: dict[int, int]
    members: dict[int, list[int]]
    required: dict[int, int]
    holds: dict[Pair, tuple[str, datetime]] = field(default_factory=dict)
    values: dict[Pair, tuple[int | None, datetime, int]] = field(default_factory=dict)
    earlier: Counter[tuple[int, int, int | None]] = field(default_factory=Counter)
    steps: list[list[Any]] = field(default_factory=list)
    withdrawn: set[int] = field(default_factory=set)
    erased: set[int] = field(default_factory=set)
    is_open: bool = True

    def open_slots(self, hit: int) -> int:
        live = [s for (_, h), (s, _) in self.holds.items() if h == hit]
        return self.wanted[hit] - live.count("held") - live.count("submitted")

    def excluded(self) -> set[int]:
        return {worker for worker, candidate, active in self.steps if active and candidate is None}

    def kept_ratings(self) -> dict[Pair, int]:
        """The ratings that count for the gold scores."""
        dropped = {(w, c) for w, c, active in self.steps if active}
        return {
            (w, c): value
            for (w, c), (value, _, hit) in self.values.items()
            if value is not None and self.holds[w, hit][0] == "submitted"
            if w not in self.withdrawn | self.excluded() and (w, c) not in dropped
        }

    def gold(self) -> dict[int, float]:
        by_candidate = defaultdict(list)
        for (_, candidate), value in self.kept_ratings().items():
            by_candidate[candidate].append(value)
        return {candidate: fmean(values) for candidate, values in by_candidate.items()}

    def missing_ratings(self) -> Counter[int]:
        """The ratings that each candidate still needs beyond those that open HITs will give."""
        coming = Counter(candidate for _, candidate in self.kept_ratings())
        for hit, candidates in self.members.items():
            held_count = sum(h == hit and s == "held" for (_, h), (s, _) in self.holds.items())
            coming.update(
                {candidate: self.open_slots(hit) + held_count for candidate in candidates}
            )
        return Counter(self.required) - coming

    def release_expired(self, at: datetime) -> None:
        for pair, (status, until) in self.holds.items():
            if status == "held" and until <= at:
                self.holds[pair] = ("expired", until)

    def hand_out(self, worker: int, hit: int | None, at: datetime) -> None:
        self.release_expired(at)
        statuses = {h: status for (w, h), (status, _) in self.holds.items() if w == worker}
        seen = {candidate for h in statuses for candidate in self.members[h]}
        free = [h for h in self.wanted if self.open_slots(h) > 0]
        new = [h for h in free if not seen & set(self.members[h])]
        again = {s: [h for h in free if statuses.get(h) == s] for s in ("expired", "returned")}
        held_hits = [h for h in statuses if statuses[h] == "held"]
        if not self.is_open or worker in self.excluded() | self.withdrawn | self.erased:
            held_hits = new = again["expired"] = again["returned"] = []
        choices = held_hits or again["expired"] or new or again["returned"]
        assert hit in (choices or [None]), f"{hit} was handed out, not one of {choices}"
        if hit is not None and hit not in held_hits:
            self.holds[worker, hit] = ("held", at + LEASE)

    def save(
        self, worker: int, hit: int, candidate: int, value: int | None, made_at: datetime, ok: bool
    ) -> None:
        old, at, _ = self.values.get((worker, candidate), (None, None, hit))
        is_late = at is not None and at > made_at
        assert ok == (is_late or self.holds[worker, hit][0] in ("held", "expired"))
        if not ok or is_late:
            return
        if at is not None and old != value:
            self.earlier[worker, candidate, old] += 1
        self.values[worker, candidate] = (value, made_at, hit)

    def submit(self, worker: int, hit: int, ok: bool) -> None:
        status, until = self.holds[worker, hit]
        rated = all((worker, candidate) in self.values for candidate in self.members[hit])
        assert ok == (status in ("submitted", "surplus") or (status != "returned" and rated))
        if ok and status in ("held", "expired"):
            counts = status == "held" or self.open_slots(hit) > 0
            self.holds[worker, hit] = ("submitted" if counts else "surplus", until)

    def return_hit(self, worker: int, hit: int, ok: bool) -> None:
        status, until = self.holds[worker, hit]
        assert ok == (status == "held")
        if ok:
            self.holds[worker, hit] = ("returned", until)

    def exclude(self, worker: int) -> None:
        if worker not in self.excluded():
            self.steps.append([worker, None, True])

    def readmit(self, worker: int) -> None:
        for step in self.steps:
            step[2] = step[2] and (step[0], step[1]) != (worker, None)

    def drop(self, worker: int, candidate: int, ok: bool) -> None:
        value, _, hit = self.values.get((worker, candidate), (None, None, 0))
        counts = value is not None and self.holds[worker, hit][0] == "submitted"
        is_dropped = [worker, candidate, True] in self.steps
        assert ok == (counts and worker not in self.withdrawn and not is_dropped)
        if ok:
            self.steps.append([worker, candidate, True])

    def switch(self, number: int, active: bool) -> None:
        self.steps[number][2] = active

    def withdraw(self, worker: int, ok: bool) -> None:
        assert ok == (worker not in self.erased)
        if ok:
            self.withdrawn.add(worker)

    def open_or_close(self, is_open: bool) -> None:
        self.is_open = is_open

    def erase(self, worker: int, ratings: bool, ok: bool) -> None:
        assert ok == (worker not in self.erased)
        if not ok:
            return
        self.erased.add(worker)
        for pair, (status, until) in self.holds.items():
            if pair[0] == worker and status in ("held", "expired"):
                self.holds[pair] = ("returned", until)
            if pair[0] == worker and status == "submitted" and ratings:
                self.holds[pair] = ("surplus", until)
        if ratings:
            self.values = {p: v for p, v in self.values.items() if p[0] != worker}
            self.earlier = Counter({p: n for p, n in self.earlier.items() if p[0] != worker})

    def freeze(self, gold: dict[int, float]) -> None:
        expected = self.gold()
        assert gold.keys() == expected.keys()
        assert all(isclose(gold[candidate], expected[candidate]) for candidate in gold)

    def top_up(self, made: dict[int, tuple[int, list[int]]]) -> None:
        """`made`: the new HITs, each with its number of ratings and its candidates."""
        added: Counter[int] = Counter()
        for wanted, candidates in made.values():
            added.update(dict.fromkeys(candidates, wanted))
        assert added == (self.missing_ratings() if self.is_open else Counter())
        for hit, (wanted, candidates) in made.items():
            self.wanted[hit], self.members[hit] = wanted, candidates
