"""Throughput and latency of the rating pages over HTTP: handing out, saving, submitting.

    .venv/bin/python -m bench.rating_load [--passages 400] [--parallel 16] [--web 2] [--threads 8]

Creates a study with the preset MOCHA 2020 and only its full stage (ten candidates per HIT, three
raters), serves it with gunicorn and lets simulated workers rate all of it. The embedded servers run
in a temporary folder; the installation is not changed.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.temporary_site import temporary_site

if TYPE_CHECKING:
    from annotation.studies.intake import Item
    from annotation.studies.models import Study
    from bench.rating_crowd import RunOutcome

ROOT = Path(__file__).resolve().parent.parent
EACH = 10


def make_study(candidates: list[Item], raters: int = 3) -> Study:
    """An open study of these candidates, `raters` for each."""
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.utils.timezone import now

    from annotation.setup.services.study_creation import StudySource, create_study
    from annotation.stages.services import opening
    from annotation.studies.services.candidates import add_items
    from concord.protocols import RatingRule, preset

    call_command("migrate", verbosity=0)
    rules = (RatingRule(raters),)
    protocol = dataclasses.replace(
        preset("mocha-2020"), qualification=None, trial=None, rating_rules=rules
    )
    owner = User.objects.create_user("bench")
    study = create_study(
        "bench", "Bench", protocol, source=StudySource("mocha-2020"), owner=owner, seed=1, at=now()
    )
    add_items(study, candidates)
    opening.open_stage(study.stages.get(), by=owner, at=now())
    return study


def made_up(passages: int, each: int = EACH) -> list[Item]:
    """`each` candidates for each of so many passages."""
    from annotation.studies.intake import Item
    from concord.formats import InstanceRecord

    candidates = []
    for number in range(passages):
        text = f"Passage {number}. " + "The boat lay by the old bridge until noon. " * 40
        instance = InstanceRecord(f"i{number}", ("by the old bridge",), text, "Where was the boat?")
        candidates += [
            Item.single(f"c{number}-{at}", instance, f"answer {at} to {number}")
            for at in range(each)
        ]
    return candidates


def rate(study: Study, url: str, parallel: int) -> RunOutcome:
    from annotation.rating.simulation.answers import AnswerModel
    from bench.rating_crowd import CrowdRun
    from bench.rating_pages import Browser, SimulatedWorker, join_path
    from concord.simulation import Crowd

    answer_model = AnswerModel(study, 1)
    workers = [
        SimulatedWorker(Browser(url), join_path(study, 1, number), rater, answer_model)
        for number, rater in enumerate(Crowd().raters(parallel, 1))
    ]
    return CrowdRun(workers).run(parallel)


def report(outcome: RunOutcome) -> None:
    requests = sum(map(len, outcome.timings.seconds.values()))
    print(
        f"{outcome.assignments} assignments, {outcome.ratings} ratings, {requests} requests in "
        f"{outcome.seconds:.1f} s: {outcome.assignments / outcome.seconds:.1f} assignments/s, "
        f"{outcome.ratings / outcome.seconds:.1f} ratings/s, {requests / outcome.seconds:.0f} "
        "requests/s"
    )
    for kind in outcome.timings.seconds:
        p50, p95 = (outcome.latency(kind, percentile) for percentile in (50, 95))
        if p50 is not None:
            print(f"  {kind:9}  p50 {p50:6.1f} ms   p95 {p95:6.1f} ms")
    for problem in outcome.problems:
        print(problem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=400)
    parser.add_argument("--parallel", type=int, default=16)
    parser.add_argument("--web", type=int, default=2, help="web processes")
    parser.add_argument("--threads", type=int, default=8, help="of each")
    options = parser.parse_args()
    with temporary_site():
        measure(options)


def measure(options: argparse.Namespace) -> None:
    study = make_study(made_up(options.passages))
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    os.set_inheritable(listening.fileno(), True)
    bound = ["--bind", f"fd://{listening.fileno()}", "--log-level", "error"]
    sizes = ["--workers", str(options.web), "--threads", str(options.threads)]
    site = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "config.wsgi", *bound, *sizes],
        cwd=ROOT,
        pass_fds=[listening.fileno()],
    )
    try:
        time.sleep(5)  # the web processes load what they need
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        print(f"{options.parallel} raters at once, {options.web} web processes:", flush=True)
        report(rate(study, url, options.parallel))
    finally:
        site.terminate()
        site.wait()


if __name__ == "__main__":
    main()
