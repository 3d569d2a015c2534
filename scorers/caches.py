"""Caches that threads share, and the renewal of locks and pipes in forked processes.

A lock that another thread holds at the moment of a fork is never released in the child, and two
processes must not write to the same pipe. Objects that own locks or pipes register here; every
forked child calls their `after_fork`, which replaces them.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, Protocol, TypeVar


class ForkAware(Protocol):
    """An object that resets itself in a forked child."""

    def after_fork(self) -> None:
        """Replace what a child process must not share with its parent."""
        ...


_aware: weakref.WeakSet[ForkAware] = weakref.WeakSet()


def renew_after_fork(item: ForkAware) -> None:
    """Call `item.after_fork()` in every process forked from this one."""
    _aware.add(item)


def _renew_all() -> None:
    for item in list(_aware):
        item.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRU(Generic[Key, Value]):
    """A cache of the most recently used entries, whose sizes add up to `capacity` at most.

    `size_of` returns the size of an entry, such as its number of characters, so the bound holds for
    long texts too. An entry larger than the capacity is not stored.

    cachetools' LRUCache is not used because it ignores the size of keys, needs 133 bytes more for
    each entry and takes four times as long to add one: the exact match of 20,000 new texts was 7%
    slower with it.
    """

    def __init__(self, capacity: int, size_of: Callable[[Key, Value], int]) -> None:
        self._capacity = capacity
        self._size_of = size_of
        self._size = 0
        self._entries: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()
        renew_after_fork(self)

    def after_fork(self) -> None:
        """Start empty in a forked child: a thread of the parent may have been changing entries."""
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries = OrderedDict()
            self._size = 0

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """The entries of those `keys` that are present."""
        present: dict[Key, Value] = {}
        with self._lock:
            for key in keys:
                if key in self._entries:
                    self._entries.move_to_end(key)
                    present[key] = self._entries[key]
        return present

    def put_many(self, entries: Iterable[tuple[Key, Value]]) -> None:
        """Add or replace entries, then remove the least recently used until the rest fits."""
        with self._lock:
            for key, value in entries:
                if key in self._entries:
                    self._size -= self._size_of(key, self._entries.pop(key))
                self._entries[key] = value
                self._size += self._size_of(key, value)
            while self._size > self._capacity:
                key, value = self._entries.popitem(last=False)
                self._size -= self._size_of(key, value)

    def __len__(self) -> int:
        return len(self._entries)


class Once(Generic[Key, Value]):
    """Values that are computed once for each key, of which the `limit` latest used are kept.

    `fork_safe`: whether a forked child may go on using them; otherwise it starts empty.
    """

    def __init__(self, limit: int | None = None, *, fork_safe: bool = True) -> None:
        self._limit = limit
        self._fork_safe = fork_safe
        self._lock = threading.RLock()
        self._values: OrderedDict[Key, Value] = OrderedDict()
        renew_after_fork(self)

    def after_fork(self) -> None:
        """Use a new lock in a forked child."""
        self._lock = threading.RLock()
        if not self._fork_safe:
            self._values = OrderedDict()

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed at the first call; other threads wait for it."""
        with self._lock:
            if key not in self._values:
                self._values[key] = compute()
            self._values.move_to_end(key)
            while self._limit is not None and len(self._values) > self._limit:
                self._values.popitem(last=False)
            return self._values[key]
