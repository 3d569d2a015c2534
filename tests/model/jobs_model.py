"""A model of leased work in plain Python: rows with attempts, and which worker may write."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

MAX_TRIES = 3
ACTIVE = ("queued", "running")


@dataclass
class Row:
    """Work under a lease: a job, or a chunk of a run. Only `holder` may write."""

    status: str = "queued"
    tries: int = 0
    until: datetime | None = None
    holder: int | None = None

    def is_free(self, at: datetime) -> bool:
        is_expired = self.status == "running" and self.until is not None and self.until < at
        return self.status == "queued" or is_expired

    def claim(self, holder: int, at: datetime, lease: timedelta) -> None:
        assert self.is_free(at), f"another worker holds the row that {holder} claimed"
        self.status, self.holder, self.until = "running", holder, at + lease
        self.tries += 1

    def renew(self, holder: int, ok: bool, until: datetime) -> None:
        assert ok == (self.holder == holder and self.status == "running")
        if ok:
            self.until = until

    def end(self, holder: int, ok: bool, status: str) -> None:
        assert ok == (self.holder == holder and self.status == "running")
        if ok:
            self.status, self.holder, self.until = status, None, None

    def stop(self, ok: bool) -> None:
        assert ok == (self.status in ACTIVE)
        if ok:
            self.status, self.holder, self.until = "cancelled", None, None

    def ask_again(self, ok: bool) -> None:
        assert ok == (self.status in ("failed", "cancelled"))
        if ok:
            self.status, self.tries = "queued", 0


@dataclass
class RunModel:
    """A metric run with its chunks by primary key, and which worker scored each of them."""

    chunks: dict[int, Row]
    status: str = "queued"
    scored_by: dict[int, int] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def is_done(self) -> bool:
        return all(chunk.status == "done" for chunk in self.chunks.values())

    def free(self, at: datetime) -> list[int]:
        return [pk for pk, chunk in self.chunks.items() if self.is_active and chunk.is_free(at)]

    def claim(self, pks: list[int], holder: int, at: datetime, lease: timedelta) -> None:
        for pk in pks:
            assert pk in self.free(at), f"chunk {pk} was not free"
            self.chunks[pk].claim(holder, at, lease)
        self.status = "running"

    def complete_chunk(self, pk: int, holder: int, wrote: bool, ready: bool) -> None:
        """A stopped run still accepts the scores of chunks that were begun."""
        self.chunks[pk].end(holder, wrote, "done")
        if wrote:
            assert pk not in self.scored_by, f"chunk {pk} was scored twice"
            self.scored_by[pk] = holder
        assert ready == (wrote and self.is_done)

    def finish(self, ok: bool) -> None:
        assert ok == (self.is_active and self.is_done)
        if ok:
            self.status = "complete"

    def end(self, status: str) -> None:
        if self.is_active:
            self.status = status

    def ask_again(self) -> None:
        if self.status in ("failed", "cancelled"):
            self.status = "queued"
            for chunk in self.chunks.values():
                if chunk.status != "done":
                    chunk.status, chunk.tries, chunk.until, chunk.holder = "queued", 0, None, None
