"""What happens to a fleet: each part killed and cut off in random order, and failovers."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Literal

from tests.fleet.fleet import Fleet
from tests.waiting import wait_for

Kind = Literal["kill", "cut", "power loss", "failover"]
ROLES = (
    "web 1", "web 2", "worker 1", "worker 2", "worker 3", "pooler", "broker", "primary", "replica"
)  # fmt: skip
LONGEST_SECONDS = 25.0


class Mishaps:
    """Every part killed, cut off, and both, and two failovers, in an order drawn from a seed."""

    def __init__(self, fleet: Fleet, seed: int) -> None:
        self.fleet = fleet
        self.chance = random.Random(seed)
        kinds: tuple[Kind, ...] = ("kill", "cut", "power loss")
        self.coming: list[tuple[str, Kind]] = [(role, kind) for role in ROLES for kind in kinds]
        self.coming += [("primary", "failover")] * 2
        self.chance.shuffle(self.coming)
        self.happened: Counter[str] = Counter()

    def run(self) -> None:
        """Let all happen, one after the other."""
        for role, kind in self.coming:
            seconds = min(self.chance.expovariate(1 / 6), LONGEST_SECONDS)
            print(f"{time.strftime('%X')} {role}: {kind}, {seconds:.1f} s", flush=True)
            if kind == "failover":
                self._fail_over()
            else:
                self._disturb(role, kind, seconds)
            self.happened[kind] += 1
            time.sleep(self.chance.uniform(0.5, 5))

    def _disturb(self, role: str, kind: Kind, seconds: float) -> None:
        part = self.fleet.part(role)
        if kind != "kill":
            part.machine.cut()
        if kind != "cut":
            part.machine.kill()
        time.sleep(seconds)
        part.machine.plug_in()
        if kind != "cut":
            part.start()

    def _fail_over(self) -> None:
        # A replica that lacks confirmed commits must not become the primary.
        wait_for(self.fleet.primary.has_replica)
        self.fleet.fail_over()
