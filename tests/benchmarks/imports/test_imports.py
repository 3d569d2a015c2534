"""Imports by workers: all of a file or nothing, whatever happens on the way."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils.timezone import now

from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from benchmarks.imports.models import SetImport, SetImportPart
from benchmarks.imports.services import ImportFiles, ImportParameters, spool, work
from benchmarks.imports.services.drafts import DRAFT_LIFE, MAX_DRAFTS
from benchmarks.sets.models import Candidate, JudgmentSet, SetMember
from benchmarks.sets.services.importing import SetInfo
from concord.formats import FormatError
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from core.jobs.models import MAX_TRIES
from core.refusals import RefusedError
from tests.benchmarks.factories import (
    add_member,
    ask_for_import,
    candidate_lines,
    make_set,
    pair_lines,
    request,
    write_lines,
)
from tests.waiting import wait_for


@pytest.fixture
def sam(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)


def done(set_import: SetImport) -> SetImport:
    imports.SET_IMPORTS.perform(set_import.pk)
    return SetImport.objects.get(pk=set_import.pk)


def test_a_file_becomes_a_set_owned_by_the_importer(sam: User, tmp_path: Path) -> None:
    pairs = write_lines(tmp_path / "pairs.jsonl", pair_lines())
    parameters = ImportParameters(about=SetInfo("Answers", "of two systems"))
    queued = ask_for_import(sam, tmp_path, pairs=pairs, parameters=parameters)
    assert (queued.status, queued.percent, queued.parts.count()) == ("queued", 0, 2)
    assert not JudgmentSet.objects.exists()
    ended = done(queued)
    assert (ended.status, ended.reason, ended.percent) == ("complete", "", 100)
    assert (ended.rows, ended.bytes_read) == (16, ended.bytes_total)
    made = ended.judgment_set
    assert made is not None
    assert (str(made), made.n_candidates, made.n_pairs) == ("new@1", 12, 4)
    assert (made.title, made.description) == ("Answers", "of two systems")
    member = SetMember.objects.get(set_name="new")
    assert (member.user, member.role) == (sam, Role.OWNER)
    assert not SetImportPart.objects.exists(), "its files are of no use any more"
    assert imports.SET_IMPORTS.perform(ended.pk) is None and JudgmentSet.objects.count() == 1


def test_pairs_alone_make_the_next_version(sam: User, tmp_path: Path) -> None:
    first = done(ask_for_import(sam, tmp_path)).judgment_set
    assert first is not None and first.n_pairs == 0
    request(first, "token-f1")
    file = write_lines(tmp_path / "pairs.jsonl", pair_lines())
    asked = imports.request(
        "new", "concord", ImportFiles([], pairs=file), ImportParameters(), by=sam, at=now()
    )
    (run,) = imports.SET_IMPORTS.perform(asked.pk)
    asked.refresh_from_db()
    made = asked.judgment_set
    assert made is not None and (asked.status, asked.rows, asked.percent) == ("complete", 4, 100)
    assert (str(made), made.n_candidates, made.n_pairs) == ("new@2", 12, 4)
    assert (run.judgment_set, run.metric) == (made, "token-f1")


def test_faulty_pairs_alone_leave_the_set_as_it_is(sam: User, tmp_path: Path) -> None:
    done(ask_for_import(sam, tmp_path))
    lines = pair_lines()
    lines[1]["references"] = [1]
    file = write_lines(tmp_path / "pairs.jsonl", lines)
    ended = done(
        imports.request(
            "new", "concord", ImportFiles([], pairs=file), ImportParameters(), by=sam, at=now()
        )
    )
    assert (ended.status, ended.problem) == ("failed", "file-refused")
    assert [(one["file"], one["line"]) for one in ended.faults] == [("pairs.jsonl", 2)]
    assert JudgmentSet.objects.count() == 1


def test_pairs_need_a_set_and_are_not_added(sam: User, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "pairs.jsonl", pair_lines())
    alone = imports.request(
        "new", "concord", ImportFiles([], pairs=file), ImportParameters(), by=sam, at=now()
    )
    ended = done(alone)
    assert (ended.status, ended.problem) == ("failed", "import-refused")
    assert "There is no set new to add minimal pairs to" in ended.reason
    with pytest.raises(FormatError, match="kpqa"):
        done(ask_for_import(sam, tmp_path))
        imports.request(
            "new", "kpqa", ImportFiles([], pairs=file), ImportParameters(), by=sam, at=now()
        )
    with pytest.raises(RefusedError, match="cannot be added to a set in one import"):
        ask_for_import(sam, tmp_path, parameters=ImportParameters(add=True), pairs=file)


def test_the_audit_log_records_who_imported(sam: User, tmp_path: Path) -> None:
    done(ask_for_import(sam, tmp_path))
    events = AuditEvent.objects.order_by("pk").values_list("action", "actor_name", "judgment_set")
    assert list(events) == [
        ("set.import asked for", "sam", ""),
        ("set.version made", "sam", "new"),
    ]


def test_a_faulty_file_leaves_nothing_but_its_faults(sam: User, tmp_path: Path) -> None:
    lines = candidate_lines()
    lines[2]["score"] = "good"
    lines[4]["references"] = [1]
    ended = done(ask_for_import(sam, tmp_path, lines=lines))
    assert (ended.status, ended.problem) == ("failed", "file-refused")
    places = [(one["file"], one["line"], one["field"]) for one in ended.faults]
    assert places == [("answers.jsonl", 3, "score"), ("answers.jsonl", 5, "references[0]")]
    assert ended.reason.startswith("answers.jsonl:3: score: ")
    assert not JudgmentSet.objects.exists() and ended.has_files, "it may be imported again"


def test_files_of_the_latest_failed_imports_are_kept_for_a_day(sam: User, tmp_path: Path) -> None:
    lines = candidate_lines()
    lines[2]["score"] = "good"
    failed = [done(ask_for_import(sam, tmp_path, lines=lines)) for _ in range(MAX_DRAFTS + 1)]
    assert [one.has_files for one in failed] == [False, *[True] * MAX_DRAFTS]
    SetImport.objects.update(finished_at=now() - 2 * DRAFT_LIFE)
    queued = ask_for_import(sam, tmp_path)
    assert set(SetImportPart.objects.values_list("set_import", flat=True)) == {queued.pk}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08 and so on", "is compressed with gzip"),
        (b'{"id": "a",\n"candidate": "\xff"}', r"answers.jsonl:2: is not UTF-8: byte 0xff at"),
        (b'{"id": "' + b"a" * (1 << 20) + b'\n"\xc3', r"byte 0xc3 at offset 1,048,586"),
    ],
)
def test_invalid_requests_are_refused_at_once(
    sam: User, tmp_path: Path, content: bytes, says: str
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=says):
        imports.request("new", "concord", ImportFiles([file]), ImportParameters(), by=sam, at=now())
    assert not SetImport.objects.exists()


def test_a_name_of_others_and_a_missing_set_to_add_to_are_refused_at_once(
    sam: User, tmp_path: Path
) -> None:
    make_set(tmp_path, "theirs")
    with pytest.raises(RefusedError, match="The name theirs is taken"):
        ask_for_import(sam, tmp_path, "theirs")
    with pytest.raises(RefusedError, match="There is no set new to add to"):
        ask_for_import(sam, tmp_path, parameters=ImportParameters(add=True))


def test_the_worker_refuses_a_name_taken_meanwhile(sam: User, tmp_path: Path) -> None:
    queued = ask_for_import(sam, tmp_path)
    make_set(tmp_path, "new")
    ended = done(queued)
    assert (ended.status, ended.problem) == ("failed", "role-needed")
    assert "The name new is taken" in ended.reason
    assert JudgmentSet.objects.count() == 1


def test_added_candidates_ask_for_the_runs_of_the_version_before(sam: User, tmp_path: Path) -> None:
    request(make_set(tmp_path, "small"), "bleu-1")
    add_member("small", sam, Role.EDITOR)
    more = candidate_lines(systems=("c",))
    queued = ask_for_import(
        sam, tmp_path, "small", lines=more, parameters=ImportParameters(add=True)
    )
    runs = imports.SET_IMPORTS.perform(queued.pk)
    assert [(str(run.judgment_set), run.metric) for run in runs] == [("small@2", "bleu-1")]


def test_a_stopped_import_makes_no_set(
    sam: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued = ask_for_import(sam, tmp_path)
    reading = work.read_judgments

    def stopped_meanwhile(*args: Any) -> Any:
        ended = reading(*args)
        assert imports.cancel(queued, at=now())
        return ended

    monkeypatch.setattr(work, "read_judgments", stopped_meanwhile)
    ended = done(queued)
    assert (ended.status, ended.reason) == ("cancelled", "Stopped by hand.")
    assert not JudgmentSet.objects.exists() and not SetImportPart.objects.exists()
    assert not imports.cancel(ended, at=now())


def test_an_import_taken_over_while_writing_makes_no_set(
    sam: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued = ask_for_import(sam, tmp_path)
    storing = work.importing.import_judgments

    def taken_over_meanwhile(*args: Any, **more: Any) -> JudgmentSet:
        made = storing(*args, **more)
        SetImport.objects.update(attempt=2)
        return made

    monkeypatch.setattr(work.importing, "import_judgments", taken_over_meanwhile)
    imports.SET_IMPORTS.perform(queued.pk)
    assert not JudgmentSet.objects.exists()


def test_an_unexpected_error_is_stored_and_raised(
    sam: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued = ask_for_import(sam, tmp_path)
    monkeypatch.setattr(spool, "on_disk", lambda _: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        imports.SET_IMPORTS.perform(queued.pk)
    ended = SetImport.objects.get()
    assert (ended.status, ended.reason, ended.problem) == ("failed", "OSError: no room", "")


def test_a_lapsed_lease_is_retried_three_times(sam: User, tmp_path: Path) -> None:
    queued = ask_for_import(sam, tmp_path)
    for _ in range(MAX_TRIES):
        assert SetImport.claim(queued.pk, at=now()) is not None
        assert SetImport.claim(queued.pk, at=now()) is None, "it is held"
        assert SetImport.stale(at=now()) == []
        SetImport.objects.update(lease_until=now() - timedelta(seconds=1))
        assert SetImport.stale(at=now()) == [queued.pk]
    assert imports.SET_IMPORTS.perform(queued.pk) is None
    ended = SetImport.objects.get()
    assert (ended.status, ended.reason) == (
        "failed",
        "Its worker died 3 times; see the worker's log.",
    )


def test_a_large_file_comes_back_from_its_parts_as_it_was(
    sam: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "PART_BYTES", 100)
    queued = ask_for_import(sam, tmp_path)
    assert queued.parts.count() > 10
    with spool.on_disk(queued) as (path,):
        assert path.name == "answers.jsonl"
        assert path.read_bytes() == (tmp_path / "answers.jsonl").read_bytes()
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_workers_import_begins_again_and_there_is_one_whole_set(
    worker: Any, sam: User, tmp_path: Path, settings: Any
) -> None:
    settings.SCORING_LEASE_SECONDS = 3
    worker.environment |= {"SCORING_LEASE_SECONDS": "3"}
    lines = candidate_lines(instances=20_000)
    queued = ask_for_import(sam, tmp_path, lines=lines)
    worker.start("--queues", "light")
    tasks.import_set.delay(queued.pk)
    rows = SetImport.objects.filter(pk=queued.pk)
    wait_for(lambda: rows.filter(rows__gt=0).exists())
    assert not JudgmentSet.objects.exists()
    worker.kill()
    assert rows.get().status == "running", "the worker was done before it was killed"
    assert not JudgmentSet.objects.exists() and not Candidate.objects.exists()
    worker.start("--queues", "light")
    wait_for(lambda: not rows.get().is_active)
    ended = rows.get()
    assert (ended.status, ended.reason, ended.attempt) == ("complete", "", 2)
    assert JudgmentSet.objects.count() == 1
    assert Candidate.objects.count() == len(lines) == ended.rows
    assert not SetImportPart.objects.exists()
