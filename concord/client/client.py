"""The client of the REST API."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar, overload
from urllib.parse import quote

import httpx

from concord.client.documents import (
    Agreement,
    Analysis,
    Board,
    CandidateImport,
    Document,
    Freezing,
    JudgmentSet,
    JudgmentSetDetail,
    Publication,
    Run,
    SetImport,
    Stage,
    Study,
    Upload,
)
from concord.client.errors import ProblemError, WaitTimeoutError
from concord.client.transport import CHUNK, ApiTransport, problem
from concord.documents.stages import CostDocument

FilePath = str | os.PathLike[str]
AnySet = JudgmentSet | str
AnyStudy = Study | str
DocumentType = TypeVar("DocumentType", bound=Document)
Work = TypeVar("Work", Run, Analysis, SetImport, CandidateImport, Freezing)
FIRST_PAUSE, MAX_PAUSE = 0.1, 5.0  # seconds between two looks at a running task


class Client:
    """A client of one installation, with one account.

    `get`, `pages`, `post`, `upload` and `download` ask any operation of the API, below /api/v1, and
    return its JSON. The other methods are for what most programs do, and return documents; they
    take a set as its document, NAME or NAME@VERSION, and a study as its document or short name.

    `url` and `token` are by default the environment variables CONCORD_URL and CONCORD_TOKEN.
    Without a token only public data are visible. `timeout` is the maximum number of seconds
    without data from the server. Raises ProblemError where the server rejects a request, and
    UnreachableError where it does not respond. Close the client, or use it in a `with` block. It
    is not thread-safe.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        url = os.environ.get("CONCORD_URL", "http://127.0.0.1:8000") if url is None else url
        token = os.environ.get("CONCORD_TOKEN", "") if token is None else token
        self._transport = ApiTransport(url, token, timeout=timeout, transport=transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def get(self, path: str, **query: Any) -> Any:
        """The JSON document at a path, such as "/sets/demo/findings"."""
        return self._transport.get(path, _without_none(query)).json()

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """All items of a list; its pages are requested as needed."""
        parameters: Mapping[str, Any] | None = {"limit": 200, **_without_none(query)}
        while True:
            page = self._transport.get(path, parameters).json()
            yield from page["results"]
            if page["next"] is None:
                return
            path, parameters = page["next"].partition("/api/v1")[2], None

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        method: str = "POST",
        creates: bool = False,
    ) -> Any:
        """The JSON answer to a change; None without one.

        creates: the operation takes an Idempotency-Key, so that it is repeated where the answer is
        lost and yet executed once. method: also PUT, PATCH or DELETE.
        """
        answer = self._transport.send(method, path, body, creates=creates)
        return answer.json() if answer.content else None

    def upload(
        self, path: str, files: Mapping[str, FilePath | Sequence[FilePath]], **fields: Any
    ) -> Any:
        """The JSON answer to a form with files, by the names of their fields; each is streamed.
        Fields that are None are not sent."""
        sent = [(name, Path(file)) for name, several in files.items() for file in _listed(several)]
        form = {name: _form_value(value) for name, value in _without_none(fields).items()}
        return self._transport.upload(path, form, sent).json()

    def download(self, path: str, to: FilePath, **query: Any) -> Path:
        """Download a file; it appears under its name only when it is complete."""
        target, parameters = Path(to), _without_none(query)
        handle, part = tempfile.mkstemp(dir=target.parent or Path(), prefix=f".{target.name}.")
        try:
            with (
                os.fdopen(handle, "wb") as file,
                self._transport.stream(path, parameters) as answer,
            ):
                for chunk in answer.iter_bytes(CHUNK):
                    file.write(chunk)
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise
        return target

    @overload
    def wait(self, work: Work, *, timeout: float | None = None) -> Work: ...
    @overload
    def wait(self, work: str, *, timeout: float | None = None) -> Any: ...
    @overload
    def wait(self, work: Sequence[Work], *, timeout: float | None = None) -> list[Work]: ...
    def wait(self, work: Any, *, timeout: float | None = None) -> Any:
        """Wait until a task, or each of several, has ended: a document, or the path of any with a
        status, such as "/try/7". It may have failed: check `status` and `reason`. Raises
        WaitTimeoutError after `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        if isinstance(work, Sequence) and not isinstance(work, str):
            return [self._wait(one, deadline) for one in work]
        return self._wait(work, deadline)

    def judgment_set(self, which: AnySet) -> JudgmentSetDetail:
        """One version of a set; by default the latest."""
        return self._read(JudgmentSetDetail, set_path(which))

    def versions(self, which: AnySet) -> Iterator[JudgmentSet]:
        """The versions of a set, latest first."""
        return map(JudgmentSet.of, self.pages(f"{set_path(which)}/versions"))

    @overload
    def import_set(
        self,
        files: FilePath | Sequence[FilePath] = (),
        *,
        name: str,
        wait: Literal[True] = True,
        **options: Any,
    ) -> JudgmentSetDetail: ...
    @overload
    def import_set(
        self,
        files: FilePath | Sequence[FilePath] = (),
        *,
        name: str,
        wait: Literal[False],
        **options: Any,
    ) -> SetImport: ...
    def import_set(
        self,
        files: FilePath | Sequence[FilePath] = (),
        *,
        name: str,
        wait: bool = True,
        **options: Any,
    ) -> JudgmentSetDetail | SetImport:
        """Import files of judgments as the set `name`, or as its next version.

        Without files, the next version has these `pairs` instead of the previous ones; pairs that
        people judged may make a new set. `options`: `pairs`, `texts` (of the answers, for the
        formats esa, mqm and potato) and `recipe` (a TOML file of your own that reads the files, in
        place of a format) are files; `format` (by default by the first file's content), `add` (the
        files' candidates to those of the set), title, description, illustrative, and the options of
        the format. A worker creates the set; this method waits for it. Raises ProblemError, whose
        `faults` have file, line and field. With `wait=False` it returns the import at once: see
        `wait` and `imported_set`.
        """
        others = {one: options.pop(one, None) for one in ("texts", "pairs", "recipe")}
        answer = self.upload(
            "/sets", {"files": files, **_without_none(others)}, name=name, **options
        )
        started = SetImport.of(answer)
        return self.imported_set(self.wait(started)) if wait else started

    def imported_set(self, which: SetImport) -> JudgmentSetDetail:
        """The set of a finished import. Raises ProblemError where it failed or was stopped."""
        if which.problem is not None:
            raise problem(which.problem)
        return self._made_set(which.judgment_set, which.reason, which.status)

    def start_runs(
        self, which: AnySet, metrics: Sequence[str], *, multi_ref: str = "max"
    ) -> list[Run]:
        """Start metric runs; metrics that are already computed are complete at once. See `wait`."""
        body = {"metrics": list(metrics), "multi_ref": multi_ref}
        answer = self.post(f"{set_path(which)}/runs", body, creates=True)
        return [Run.of(row) for row in answer["runs"]]

    def start_analysis(self, which: AnySet, kind: str, **parameters: Any) -> Analysis:
        """Start an analysis of the set's complete runs. See `wait`. parameters: those of its kind,
        and `criterion`, of a set with several criteria; by default its score."""
        body = {"kind": kind, "criterion": parameters.pop("criterion", None)}
        path = f"{set_path(which)}/analyses"
        asked = _without_none(body) | {"parameters": parameters}
        return Analysis.of(self.post(path, asked, creates=True))

    def leaderboard(
        self,
        which: AnySet,
        *,
        by: str | None = None,
        group: str | None = None,
        criterion: str | None = None,
    ) -> Board:
        """The leaderboard of a set, overall or by a grouping, as `manage.py leaderboard --format
        json`. criterion: of a set with several criteria; by default its score."""
        path = f"{set_path(which)}/leaderboard"
        return self._read(Board, path, by=by, group=group, criterion=criterion)

    def download_judgments(self, which: AnySet, to: FilePath) -> Path:
        """Download a set as concord-judgments JSON Lines, or as Parquet by the suffix of `to`. Both
        can be imported without loss."""
        ending = ".parquet" if Path(to).suffix.lower() == ".parquet" else ".jsonl"
        return self.download(f"{set_path(which)}/judgments{ending}", to)

    def download_dataset(self, which: AnySet, to: FilePath, *, license: str | None = None) -> Path:
        """Download a set as a zip archive of a dataset folder, in the form of the Hugging Face hub.
        `license`: the hub's identifier, such as cc-by-4.0, for the dataset card."""
        return self.download(f"{set_path(which)}/dataset.zip", to, license=license)

    def create_study(
        self,
        slug: str,
        title: str,
        *,
        preset: str | None = None,
        protocol: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Study:
        """Create a private study from a preset or a protocol."""
        body = {"slug": slug, "title": title, "preset": preset, "protocol": protocol, "seed": seed}
        return Study.of(self.post("/studies", _without_none(body), creates=True))

    def upload_candidates(
        self,
        which: AnyStudy,
        file: FilePath,
        *,
        use: str = "rated",
        columns: Sequence[str] | None = None,
        sheet: str | None = None,
        **options: Any,
    ) -> CandidateImport:
        """Upload candidates; a worker adds them to the study, all or none.
        `client.wait(client.upload_candidates(study, file)).counts` says what became of them.

        `columns`: the meaning of each column of a table (CSV, TSV, XLSX, Parquet, JSON), as in
        `concord.formats.tables.MEANINGS`; by default guessed by the headings. `sheet`: of an XLSX,
        by default the first that is not blank. `use`: rated, qualification, gold or pairs. Test
        items and hidden checks have their correct answers in the file, in the field `answers` or
        in columns with the meaning "key". `options`: span_based (a list of keys), and
        draw_questions, how many of the uploaded questions are rated, drawn at random (None: all; by
        default the protocol decides).
        """
        path = f"{study_path(which)}/uploads"
        upload = Upload.of(self.upload(path, {"file": file}, use=use))
        if columns is not None or sheet is not None or upload.needs_columns:
            meanings = None if columns is None else list(columns)
            body = _without_none({"meanings": meanings, "sheet": sheet})
            self.post(f"{path}/{upload.id}", body, method="PUT")
        started = self.post(f"{path}/{upload.id}/import", options, creates=True)
        return CandidateImport.of(started)

    def cost(self, which: AnyStudy) -> CostDocument:
        """HITs, assignments, ratings and pay in cents, in total and by stage."""
        cost: CostDocument = self.get(f"{study_path(which)}/cost")
        return cost

    def stages(self, which: AnyStudy) -> list[Stage]:
        """The stages of a study in order, with their progress."""
        return [Stage.of(row) for row in self.pages(f"{study_path(which)}/stages")]

    def open_stage(self, which: AnyStudy, kind: str) -> Stage:
        """Create the HITs of a stage and admit raters."""
        return Stage.of(self.post(f"{study_path(which)}/stages/{path_part(kind)}/open"))

    def close_stage(self, which: AnyStudy, kind: str) -> Stage:
        """Stop admitting raters; started assignments can still be submitted."""
        return Stage.of(self.post(f"{study_path(which)}/stages/{path_part(kind)}/close"))

    def agreement(self, which: AnyStudy, *, level: str | None = None) -> Agreement:
        """Agreement of raters before and after the ledger. `level`: by default ordinal, of
        comparisons nominal."""
        return self._read(Agreement, f"{study_path(which)}/agreement", level=level)

    def publications(self, which: AnyStudy) -> list[Publication]:
        """Publications of a study on crowd platforms, with progress and cost."""
        return [Publication.of(row) for row in self.pages(f"{study_path(which)}/publications")]

    def freeze(
        self,
        which: AnyStudy,
        *,
        aggregation: str | None = None,
        stages: Sequence[str] | None = None,
        name: str | None = None,
        is_preview: bool = False,
    ) -> Freezing:
        """Start to create the next version of a judgment set from the ratings that the ledger
        keeps, or with `is_preview` only to compute its figures. The set is
        `client.frozen_set(client.wait(client.freeze(study)))`."""
        choices = {"aggregation": aggregation, "stages": stages and list(stages), "name": name}
        body = _without_none(choices) | {"is_preview": is_preview}
        return Freezing.of(self.post(f"{study_path(which)}/freeze", body, creates=True))

    def frozen_set(self, which: Freezing) -> JudgmentSetDetail:
        """The set of a finished freezing. Raises ProblemError where there is none."""
        return self._made_set(which.judgment_set, which.reason, which.status)

    def _read(self, kind: type[DocumentType], path: str, **query: Any) -> DocumentType:
        return kind.of(self.get(path, **query))

    def _made_set(self, ref: str | None, reason: str, status: str) -> JudgmentSetDetail:
        if ref is None:
            raise ProblemError(409, "There is no set", reason or f"It is {status}.")
        return self.judgment_set(ref)

    def _wait(self, work: Any, deadline: float | None) -> Any:
        path = work if isinstance(work, str) else work_path(work)
        if not isinstance(work, str) and work.has_ended:
            return work
        pause, etag = FIRST_PAUSE, None
        document: dict[str, Any] = {}
        while not document or document["status"] in ("queued", "running"):
            if document:
                if deadline is not None and time.monotonic() + pause > deadline:
                    state = f"is {document['status']}, at {document.get('percent', 0)}%"
                    raise WaitTimeoutError(f"{path} {state}.")
                time.sleep(pause)
                pause = min(pause * 1.5, MAX_PAUSE)
            answer = self._transport.get(path, etag=etag)
            etag = answer.headers.get("ETag")
            if answer.status_code != 304:
                document = answer.json()
        return document if isinstance(work, str) else type(work).of(document)


def set_path(which: AnySet) -> str:
    """The path of a set below /api/v1."""
    return f"/sets/{path_part(which.ref if isinstance(which, JudgmentSet) else which)}"


def study_path(which: AnyStudy) -> str:
    """The path of a study below /api/v1."""
    return f"/studies/{path_part(which.slug if isinstance(which, Study) else which)}"


def work_path(work: Run | Analysis | SetImport | CandidateImport | Freezing) -> str:
    """The path of a task below /api/v1."""
    if isinstance(work, SetImport):
        return f"/imports/{work.id}"
    if isinstance(work, CandidateImport):
        return f"{study_path(work.study)}/candidate-imports/{work.id}"
    if isinstance(work, Freezing):
        return f"{study_path(work.study)}/freezings/{work.id}"
    kind = "runs" if isinstance(work, Run) else "analyses"
    return f"{set_path(work.judgment_set)}/{kind}/{work.id}"


def path_part(value: object) -> str:
    """A value as one part of a URL path."""
    return quote(str(value), safe="@")


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _listed(files: FilePath | Sequence[FilePath]) -> Sequence[FilePath]:
    return [files] if isinstance(files, str) or not isinstance(files, Sequence) else files


def _form_value(value: Any) -> Any:
    """A value as a form field."""
    return str(value).lower() if isinstance(value, bool) else value
