"""Attacks on hidden labels by submissions whose scores are questions about them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.runs.models import Submission
from benchmarks.runs.services.releasing import STEP
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.formats import read_judgments
from core.refusals import RefusedError
from tests.benchmarks.factories import candidate_lines, published, write_lines
from tests.benchmarks.submissions.test_hidden import addresses, readable_content
from tests.html import readable

SYSTEMS = ("a", "b", "c", "d")
N = 200
# Released values of one figure: the steps from -1 to 1, and "withheld".
OUTCOMES = 2 / STEP + 2


def make_set(folder: Path, name: str, labels: list[int]) -> JudgmentSet:
    """A public set of 200 candidates with labels of 0 or 1; those of the split test are hidden."""
    lines = candidate_lines(N // len(SYSTEMS), SYSTEMS)
    for line, label in zip(lines, labels, strict=True):
        line |= {
            "score": label,
            "scale": [0, 1],
            "split": "dev" if line["id"][1] == "1" else "test",
        }
        line["ratings"] = [{"worker": f"w{k}", "value": label, "group": "crowd"} for k in range(2)]
    path = write_lines(folder / f"{name}.jsonl", lines)
    made = published(importing.import_judgments(name, read_judgments([path], "concord"), at=now()))
    hidden.hide(made, "test", at=now())
    return made


@pytest.fixture
def labels() -> list[int]:
    return np.random.default_rng(5).integers(0, 2, size=N).tolist()


@pytest.fixture
def asked(db: None, tmp_path: Path, labels: list[int], settings) -> JudgmentSet:
    settings.SUBMISSIONS_PER_DAY = 1000
    return make_set(tmp_path, "asked", labels)


def submit(
    judgment_set: JudgmentSet, owner: User, folder: Path, name: str, scores: np.ndarray
) -> Submission:
    keys = judgment_set.candidates.order_by("position").values_list("key", flat=True)
    rows = [{"id": key, "score": float(one)} for key, one in zip(keys, scores, strict=True)]
    path = write_lines(folder / "asked.jsonl", rows)
    return submissions.submit_scores(
        judgment_set, SubmissionInfo(name), path, owner=owner, at=now()
    )


def single_ones(turn: int) -> np.ndarray:
    """A score of 1 for one candidate of each system, else 0."""
    scores = np.zeros(N)
    scores[turn * len(SYSTEMS) : (turn + 1) * len(SYSTEMS)] = 1.0
    return scores


def test_scores_of_single_candidates_read_no_label(asked, people, ann, tmp_path) -> None:
    """Pearson's r by system told the label of each system's candidate with a score."""
    # Made while the labels are shown to all, so that no rule of submissions refuses the scores.
    hidden.reveal(asked, "test")
    for turn in range(5, 8):
        submit(asked, ann, tmp_path, f"ask {turn}", single_ones(turn))
    hidden.hide(asked, "test", at=now())
    read = {}
    for query in ("", "?by=system", "?by=split", "?by=category"):
        text = people["ann"].get(f"/sets/{asked}/leaderboard.csv{query}").content.decode()
        for row in csv.DictReader(io.StringIO(text)):
            if row["pearson"] and row["group"] != "dev":
                read[row["metric"], row["group"]] = float(row["pearson"]) > 0
    assert read == {}, f"{len(read)} of 12 labels were read"


def test_scores_of_single_candidates_are_refused_whatever_the_labels_are(
    asked, ann, sam, tmp_path
) -> None:
    with pytest.raises(RefusedError, match="almost constant"):
        submit(asked, ann, tmp_path, "ask", single_ones(5))
    noise = single_ones(5) + np.random.default_rng(1).normal(size=N) * 1e-3
    with pytest.raises(RefusedError, match="almost constant"):
        submit(asked, ann, tmp_path, "ask", noise)
    hidden.reveal(asked, "test")
    submit(asked, ann, tmp_path, "ask", single_ones(5))


def test_the_limit_counts_all_versions_and_days(asked, ann, people, tmp_path, labels, settings):
    settings.SUBMISSIONS_PER_HIDDEN_SET = 3
    rng = np.random.default_rng(2)
    submissions.withdraw(submit(asked, ann, tmp_path, "one", rng.normal(size=N)), at=now())
    submit(asked, ann, tmp_path, "two", rng.normal(size=N))
    page = " ".join(readable(people["ann"].get(reverse("submissions", args=[asked]))).split())
    assert "1 more time to this set within 24 hours, and 1 more time in all" in page
    # Scores for a new version are another question.
    lines = candidate_lines(N // len(SYSTEMS), SYSTEMS)
    for line, label in zip(lines, labels, strict=True):
        line |= {"score": label, "scale": [0, 1], "split": "test", "ratings": []}
    lines[0]["candidate"] = "a new text"
    path = write_lines(tmp_path / "second.jsonl", lines)
    second = importing.import_judgments("asked", read_judgments([path], "concord"), at=now())
    assert submissions.remaining_in_all(second, ann) == 1
    submit(second, ann, tmp_path, "two", rng.normal(size=N))
    assert submissions.remaining_in_all(second, ann) == 0
    with pytest.raises(RefusedError, match="maximum for all time"):
        submit(second, ann, tmp_path, "three", rng.normal(size=N))


def entropy(share: float) -> float:
    return -share * np.log2(share) - (1 - share) * np.log2(1 - share)


def test_adaptive_submissions_of_two_accounts_learn_no_more_than_their_bits(
    asked, ann, bob, people, tmp_path, labels, settings
) -> None:
    """Each question keeps the scores that agreed best so far and draws some of them anew."""
    settings.SUBMISSIONS_PER_HIDDEN_SET = limit = 8
    is_hidden = hidden.public_masks(asked).candidates
    rng = np.random.default_rng(3)
    belief, best, value = np.zeros(N), rng.choice([-1.0, 1.0], size=N), -1.0
    seen = set()
    for turn in range(2 * limit):
        owner = (ann, bob)[turn % 2]
        scores = np.where(rng.random(N) < 0.3, rng.choice([-1.0, 1.0], size=N), best)
        made = submit(asked, owner, tmp_path, f"ask {turn}", scores)
        submissions.publish(made, at=now())
        rows = people["visitor"].get(f"/sets/{asked}/leaderboard.json").json()["rows"]
        (row,) = [row for row in rows if row["metric"] == f"ask {turn}"]
        assert not row["pearson"]["p"] and not row["pearson"]["ci"]
        answer = row["pearson"]["value"]
        seen.add(answer)
        belief += (answer or 0.0) * scores
        if answer is not None and answer >= value:
            best, value = scores, answer
    for owner in (ann, bob):
        with pytest.raises(RefusedError, match="maximum for all time"):
            submit(asked, owner, tmp_path, "one more", rng.normal(size=N))
    assert None not in seen and len(seen) > 3, "the figures are of use"
    assert all(abs(answer / STEP - round(answer / STEP)) < 1e-9 for answer in seen)
    gold = np.array(labels)[is_hidden]
    right = float(((belief[is_hidden] > 0) == (gold == 1)).mean())
    # Fano: so many bits are needed to be right as often as this.
    learned = len(gold) * (1 - entropy(max(right, 0.5)))
    assert learned <= 2 * limit * np.log2(OUTCOMES)


def test_one_hidden_label_changes_nothing_that_others_get(
    db, tmp_path, ann, people, labels, settings
) -> None:
    """A set with another hidden label, which moves no figure over a step: every page and file is
    the same for a submitter, who sees what visitors see and runs of their own."""
    settings.SUBMISSIONS_PER_DAY = 1000
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, "100000/m")
    scores = np.random.default_rng(4).choice([-1.0, 1.0], size=N)
    with connection.cursor() as cursor:  # numbers of rows that are told from all others
        for table in ("judgmentset", "metricrun", "submission", "analysis"):
            sequence = f"pg_get_serial_sequence('benchmarks_{table}', 'id')"
            cursor.execute(f"SELECT setval({sequence}, 70000001)")
    seen: list[dict[str, str]] = []
    for change in (0, 1):
        own = list(labels)
        own[30] ^= change
        made = make_set(tmp_path, "twin", own)
        submissions.publish(submit(made, ann, tmp_path, "shown", scores), at=now())
        submit(made, ann, tmp_path, "private", -scores)
        board = people["visitor"].get(f"/sets/{made}/leaderboard.json").json()["rows"]
        assert any(row["pearson"]["value"] is not None for row in board)
        seen.append(dict(texts(people["ann"], made)))
        made.delete()
    first, second = seen
    assert len(first) > 80 and first.keys() == second.keys()
    differing = {key: difference(first[key], second[key]) for key in first}
    assert {key: parts for key, parts in differing.items() if parts} == {}


def difference(first: str, second: str) -> tuple[str, str] | None:
    """Where two texts differ first; None where they do not."""
    if first == second:
        return None
    at = next(at for at, pair in enumerate(zip_longest(first, second)) if pair[0] != pair[1])
    return first[at - 60 : at + 60], second[at - 60 : at + 60]


# What differs between any two answers: numbers of rows, hashes, times, tokens, pseudonyms.
CHANGING = (
    r"w-[0-9a-f]{12}",
    r'request_id": ?"[^"]*"',
    r"7000\d{4}",
    r"(?<![\w.])(?=\d*[a-f])[0-9a-f]{16,64}(?!\w)",
    r"20\d\d-[\d-]+[T ][\d:.]+(Z|\+00:00)?|\d\d:\d\d(:\d\d)?",
    r'(nonce|csrfmiddlewaretoken" value)="[^"]*"',
    r"cursor=[^\"&]+",
)


def texts(client: Client, made: JudgmentSet) -> Iterator[tuple[str, str]]:
    """Every address of a set with its text, without what differs between any two sets."""
    for url in addresses(made):
        response = client.get(url)
        text = f"{response.status_code} {readable_content(response)}"
        for pattern in CHANGING:
            text = re.sub(pattern, "*", text)
        yield re.sub(r"7000\d{4}", "*", url), text
