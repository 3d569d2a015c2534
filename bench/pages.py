"""Size and time of the pages of a set and of a study, against the limits for pages.

    .venv/bin/python -m bench.pages [--size 40000] [--metrics 30] [--only NAME,NAME]

A temporary site gets a set of `--size` invented candidates with `--metrics` metrics, four of them
computed, and a study of as many candidates in an open stage. An administrator then requests every
page whose address needs no more than the set or the study, and some others, several times in one
process. Analyses that a page leaves to a worker are computed after its first visit. The table has
the time of the first visit and of the best later one, queries and kilobytes. A page is over the
limits above 150 kB, or above 300 ms in a later visit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import rating_load, scale
from bench.temporary_site import temporary_site

MAX_BYTES = 150_000
MAX_SECONDS = 0.3
VISITS = 4
COMPUTED = "token-f1,exact-match,bleu-1,chrf"
# Files, which stream.
FILES = ("csv", "json", "jsonl", "xlsx", "tsv", "svg", "zip", "tex", "parquet", "download")


@dataclass(frozen=True)
class Visit:
    """One page: bytes, queries, and seconds of the first and of the best later visit."""

    name: str
    size: int
    queries: int
    first: float
    later: float

    @property
    def is_over(self) -> bool:
        return self.size > MAX_BYTES or self.later > MAX_SECONDS


def addresses(arguments: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The names and addresses of the pages whose only argument is one of `arguments`."""
    from django.urls import NoReverseMatch, get_resolver, reverse

    names = sorted({name for name in get_resolver().reverse_dict if isinstance(name, str)})
    for name in names:
        if name.startswith("api-"):
            continue
        for key, value in arguments.items():
            try:
                address = reverse(name, kwargs={key: value})
            except NoReverseMatch:
                continue
            if not address.endswith(FILES):
                yield name, address


def other_addresses(ref: str) -> Iterator[tuple[str, str]]:
    """The names and addresses of pages that need no argument, or more than one."""
    from django.urls import reverse

    from benchmarks.sets.models import JudgmentSet

    for name in ("judgment-sets", "across-sets", "studies", "learned-metrics", "try"):
        yield name, reverse(name)
    first, second = JudgmentSet.objects.named(ref).runs.values_list("pk", flat=True)[:2]
    yield "metric-run", reverse("metric-run", args=[ref, first])
    yield "candidate", reverse("candidate", args=[ref, "0-1"])
    side_by_side = reverse("side-by-side", args=[ref])
    yield "side-by-side, two metrics", f"{side_by_side}?run={first}&run={second}"


def visit(client: Any, name: str, address: str) -> Visit | None:
    """Request a page several times; None where it is no page."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    seconds, size, queries = [], 0, 0
    for _ in range(VISITS):
        with CaptureQueriesContext(connection) as captured:
            started = time.perf_counter()
            response = client.get(address)
            body = b"" if response.streaming else response.content
            seconds.append(time.perf_counter() - started)
        compute_analyses(name)
        if response.status_code != 200 or "html" not in response["Content-Type"]:
            return None
        size, queries = len(body), len(captured)
    return Visit(name, size, queries, seconds[0], min(seconds[1:]))


def compute_analyses(page: str) -> None:
    """Do the work that a page left to a worker, and print how long it took."""
    from benchmarks.analyses import services as analyses
    from benchmarks.analyses.models import Analysis

    for analysis in Analysis.objects.filter(status=Analysis.Status.QUEUED):
        analyses.ANALYSES.perform(analysis.pk)
        analysis.refresh_from_db()
        print(f"{page}: analysis {analysis.kind}, {analysis.seconds:.1f} s", flush=True)


def make_set(size: int, metrics: int, folder: Path) -> str:
    """A public set with its metrics scored."""
    path = folder / "set.jsonl"
    scale.write_candidates(path, size)
    about = ("--title", "A large set", "--illustrative", "--publish")
    scale.manage("import_judgments", str(path), "--format", "concord", "--name", "large", *about)
    scale.manage("score", "large", "--metrics", COMPUTED, "--wait")
    scale.submit("large", metrics - COMPUTED.count(",") - 1, folder)
    return "large@1"


def print_table(visits: list[Visit]) -> None:
    print("| page | first visit | later | queries | kB | |\n|---|---|---|---|---|---|")
    for one in sorted(visits, key=lambda one: (not one.is_over, -one.later)):
        print(
            f"| {one.name} | {1000 * one.first:,.0f} ms | {1000 * one.later:,.0f} ms "
            f"| {one.queries} | {one.size / 1000:,.0f} | {'over' if one.is_over else ''} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=40_000)
    parser.add_argument("--metrics", type=int, default=30)
    parser.add_argument("--only", default="", help="names of pages; by default all")
    options = parser.parse_args()
    with temporary_site() as folder:
        from django.conf import settings
        from django.contrib.auth.models import User
        from django.test import Client

        settings.ALLOWED_HOSTS = ["testserver"]
        scale.manage("migrate")
        ref = make_set(options.size, options.metrics, folder)
        study = rating_load.make_study(
            rating_load.made_up(options.size // rating_load.EACH), raters=1
        )
        client = Client()
        client.force_login(User.objects.create_superuser("ann"))
        only = set(filter(None, options.only.split(",")))
        visits = [
            one
            for name, address in [
                *addresses({"ref": ref, "slug": study.slug}),
                *other_addresses(ref),
            ]
            if (not only or name in only) and (one := visit(client, name, address))
        ]
        print_table(visits)


if __name__ == "__main__":
    main()
