"""Rating load of Concord and of other platforms, one after the other on one machine.

    .venv/bin/python -m bench.rating_peers --cache FOLDER [--sites concord,potato,label-studio]
        [--raters 64] [--seconds 40] [--candidates 20000]

All have the same task: invented candidates, a Likert scale of five points, three ratings per
candidate, one candidate per page. Raters get a candidate, rate it and get the next, as fast as the
site responds. In a second run, all processes of the site and its database are killed by SIGKILL and
started again; raters repeat requests that got no response. Then the acknowledged ratings are
compared with the stored ones.

The other platforms are installed from the package index into virtual environments below FOLDER.
Servers and data are in a temporary folder. The raters share the machine with the site.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from bench.peers.load import Load, Losses, Record
from bench.peers.site import Site
from bench.temporary_site import temporary_site


@dataclass(frozen=True)
class Figures:
    """The measurements of a site."""

    title: str
    served_by: str
    record: Record
    crashed: Record
    losses: Losses
    away: float
    load: float
    cores: float

    def rate(self, kind: str) -> float:
        return len(getattr(self.record, kind)) / self.record.seconds

    def p95(self, kind: str) -> float:
        return float(np.percentile(getattr(self.record, kind), 95)) * 1000


def measure(site: Site, options: argparse.Namespace) -> Figures:
    from bench.rating_load import made_up

    site.prepare(made_up(options.candidates, each=1))
    site.start()
    away = 0.0

    def crash() -> None:
        nonlocal away
        time.sleep(options.seconds / 4)
        started = time.perf_counter()
        site.kill()
        site.start()
        away = time.perf_counter() - started

    try:
        load = Load(site.raters(options.raters))
        load.enter()
        warm = load.run(options.seconds / 8)
        others = os.getloadavg()[0]
        used = site.core_seconds()
        record = load.run(options.seconds)
        used = site.core_seconds() - used
        crashed = load.run(options.seconds, crash)
        acknowledged = warm.acknowledged | record.acknowledged | crashed.acknowledged
        for text, count in (warm.refused + record.refused + crashed.refused).items():
            print(f"{site.title} refused {count} times: {text}", flush=True)
        losses = Losses.of(acknowledged, site.stored())
    finally:
        site.stop()
    return Figures(site.title, site.served_by, record, crashed, losses, away, others, used)


def show(found: list[Figures], options: argparse.Namespace) -> None:
    """Print a table; ratios are to the first site."""
    cores, memory = os.cpu_count(), psutil.virtual_memory().total >> 30
    print(
        f"\n{options.raters} raters, {options.seconds:.0f} s a phase, {options.candidates:,} "
        f"candidates; {cores} cores, {memory} GB, {platform.system()}, "
        f"Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )
    table = Table()
    table.add_column("")
    for figures in found:
        table.add_column(figures.title, justify="right")
    first = found[0]

    def row(label: str, value: Callable[[Figures], float], form: str, ratio: bool) -> None:
        cells = []
        for figures in found:
            cell = form.format(value(figures))
            if ratio and figures is not first:
                cell += f" ({value(figures) / value(first):.2f}x)"
            cells.append(cell)
        table.add_row(label, *cells)

    row("hand-outs/s", lambda one: one.rate("take"), "{:.1f}", True)
    row("saves/s", lambda one: one.rate("save"), "{:.1f}", True)
    row("hand-out, p95 in ms", lambda one: one.p95("take"), "{:.0f}", True)
    row("save, p95 in ms", lambda one: one.p95("save"), "{:.0f}", True)
    row("ms of cores a rating", lambda one: 1000 * one.cores / len(one.record.save), "{:.1f}", True)
    row("load average before", lambda one: one.load, "{:.1f}", False)
    row("ratings acknowledged", lambda one: one.losses.acknowledged, "{}", False)
    row("requests without answer", lambda one: one.crashed.unanswered, "{}", False)
    row("refused after the kill", lambda one: one.crashed.refused.total(), "{}", False)
    row("s from kill to answers", lambda one: one.away, "{:.1f}", False)
    row("ratings lost", lambda one: one.losses.lost, "{}", False)
    row("ratings changed", lambda one: one.losses.changed, "{}", False)
    row("ratings doubled", lambda one: one.losses.doubled, "{}", False)
    row("candidates rated too often", lambda one: one.losses.beyond, "{}", False)
    Console(width=120).print(table)
    for figures in found:
        print(f"{figures.title}: {figures.served_by}")


def make(name: str, folder: Path, options: argparse.Namespace) -> Site:
    from bench.peers.concord import Concord
    from bench.peers.label_studio import LabelStudio
    from bench.peers.potato import Potato

    cache = options.cache.resolve()
    if name == "potato":
        return Potato(folder, cache)
    if name == "label-studio":
        return LabelStudio(folder, cache, options.postgres)
    return Concord(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="of the peers' packages")
    parser.add_argument("--sites", default="concord,potato,label-studio")
    parser.add_argument(
        "--postgres",
        type=Path,
        default=Path("/usr/lib/postgresql/15/bin"),
        help="programs of a PostgreSQL with pg_trgm, which Label Studio needs",
    )
    parser.add_argument("--raters", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=40.0, help="of each of the two phases")
    parser.add_argument("--candidates", type=int, default=20_000)
    options = parser.parse_args()
    with temporary_site() as folder:
        results = []
        for name in options.sites.split(","):
            site = make(name, folder, options)
            print(f"{site.title} ...", file=sys.stderr, flush=True)
            results.append(measure(site, options))
        show(results, options)


if __name__ == "__main__":
    main()
