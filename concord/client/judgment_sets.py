"""Judgment sets, metric runs, boards and submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from concord.client.base import FilePath, Polling, drop_none, path_part
from concord.client.documents import (
    Analysis,
    Board,
    Candidate,
    CandidateImport,
    Freezing,
    JudgmentSet,
    JudgmentSetDetail,
    MinimalPair,
    ModelJudge,
    Run,
    SetImport,
    Submission,
    Training,
    TryOut,
)
from concord.client.errors import ProblemError, WaitTimeoutError
from concord.client.set_downloads import AnySet, SetDownloads, set_path
from concord.client.transport import problem
from concord.documents.choices import ChoicesDocument
from concord.documents.criteria import CriteriaAnalysis
from concord.documents.findings import FindingRow, FindingsDocument
from concord.documents.spans import SpansAnalysis

LongTask = Run | Analysis | SetImport | CandidateImport | Freezing | Training | TryOut | ModelJudge
AnyWork = TypeVar(
    "AnyWork", Run, Analysis, SetImport, CandidateImport, Freezing, Training, TryOut, ModelJudge
)


class JudgmentSets(SetDownloads):
    """Methods take a set as its document, or as NAME or NAME@VERSION."""

    def sets(
        self, *, search: str | None = None, published: bool | None = None
    ) -> Iterator[JudgmentSet]:
        """The latest visible version of every set, by name."""
        query = {"search": search, "published": None if published is None else str(published)}
        return self._list(JudgmentSet, "/sets", query)

    def judgment_set(self, which: AnySet) -> JudgmentSetDetail:
        """One version; by default the latest."""
        return self._get(JudgmentSetDetail, set_path(which))

    def versions(self, which: AnySet) -> Iterator[JudgmentSet]:
        """Its versions, latest first."""
        return self._list(JudgmentSet, f"{set_path(which)}/versions")

    @overload
    def import_set(
        self,
        files: FilePath | Sequence[FilePath] = (),
        *,
        name: str,
        format: str | None = None,
        pairs: FilePath | None = None,
        texts: FilePath | None = None,
        recipe: FilePath | None = None,
        add: bool = False,
        wait: Literal[True] = True,
        **options: Any,
    ) -> JudgmentSetDetail: ...
    @overload
    def import_set(
        self,
        files: FilePath | Sequence[FilePath] = (),
        *,
        name: str,
        format: str | None = None,
        pairs: FilePath | None = None,
        texts: FilePath | None = None,
        recipe: FilePath | None = None,
        add: bool = False,
        wait: Literal[False],
        **options: Any,
    ) -> SetImport: ...
    def import_set(  # noqa: PLR0913 - public, its arguments are optional
        self,
        files: FilePath | Sequence[FilePath] = (),
        *,
        name: str,
        format: str | None = None,
        pairs: FilePath | None = None,
        texts: FilePath | None = None,
        recipe: FilePath | None = None,
        add: bool = False,
        wait: bool = True,
        **options: Any,
    ) -> JudgmentSetDetail | SetImport:
        """Import files of judgments as the set `name`, or as its next version.

        Without files, the next version has these `pairs` instead of the previous ones; pairs that
        people judged may make a new set. `texts`: of the answers, for the formats esa, mqm and
        potato. `format`: by default, by the first file's content. `recipe`: a TOML file of your own
        that reads the files, in place of a format. `add`: add the files' candidates to those of the
        set.
        `options`: title, description, illustrative, and options of the format (systems,
        references, criterion, order, reference_system, columns, sheet, split, constituent). Files
        are streamed, and a worker creates the set; this method waits for it. Raises ProblemError,
        whose `faults` have file, line and field. With `wait=False` it returns the import at once:
        see `wait` and `imported_set`.
        """
        paths = [files] if isinstance(files, str) or not isinstance(files, Sequence) else files
        sent = [("files", Path(file)) for file in paths]
        others = drop_none({"texts": texts, "pairs": pairs, "recipe": recipe})
        sent += [(name, Path(file)) for name, file in others.items()]
        fields = {"name": name, "add": add, **drop_none({"format": format, **options})}
        answer = self._transport.upload(
            "/sets", {k: _form_value(v) for k, v in fields.items()}, sent
        )
        set_import = SetImport.of(answer.json())
        return self.imported_set(self.wait(set_import)) if wait else set_import

    def set_import(self, number: int) -> SetImport:
        """The current state of your import."""
        return self._get(SetImport, f"/imports/{number}")

    def imports(self) -> Iterator[SetImport]:
        """Your imports, latest first."""
        return self._list(SetImport, "/imports")

    def stop_import(self, which: SetImport) -> SetImport:
        """Stop an import; nothing is imported."""
        return SetImport.of(self._transport.send("POST", f"{work_path(which)}/stop").json())

    def imported_set(self, which: SetImport) -> JudgmentSetDetail:
        """The set of a finished import. Raises ProblemError where it failed or was stopped."""
        if which.problem is not None:
            raise problem(which.problem)
        if which.judgment_set is None:
            raise ProblemError(409, "There is no set", which.reason or f"It is {which.status}.")
        return self.judgment_set(which.judgment_set)

    def import_pairs(
        self, which: AnySet, file: FilePath, *, format: str = "concord"
    ) -> JudgmentSetDetail:
        """Replace the minimal pairs of the set: creates its next version and waits for it."""
        path = f"{set_path(which)}/minimal-pairs"
        answer = self._transport.upload(path, {"format": format}, [("file", Path(file))])
        return self.imported_set(self.wait(SetImport.of(answer.json())))

    def candidates(self, which: AnySet, **labels: str) -> Iterator[Candidate]:
        """Its candidates in order; `labels`: system, constituent, category, split."""
        return self._list(Candidate, f"{set_path(which)}/candidates", labels)

    def pairs(self, which: AnySet, *, run: Run | int | None = None) -> Iterator[MinimalPair]:
        """Its minimal pairs; with a complete run, also the scores of its metric."""
        number = run.id if isinstance(run, Run) else run
        return self._list(MinimalPair, f"{set_path(which)}/pairs", {"run": number})

    def leaderboard(
        self,
        which: AnySet,
        *,
        by: str | None = None,
        group: str | None = None,
        criterion: str | None = None,
    ) -> Board:
        """Its leaderboard, overall or by a grouping, as `manage.py leaderboard --format json`.

        criterion: of a set with several criteria; by default its score.
        """
        query = drop_none({"by": by, "group": group, "criterion": criterion})
        return self._get(Board, f"{set_path(which)}/leaderboard", query)

    def findings(self, which: AnySet) -> list[FindingRow]:
        """What the set shows, in the sentences of its first page."""
        document: FindingsDocument = self._transport.get(f"{set_path(which)}/findings").json()
        return document["findings"]

    def choices(self, which: AnySet) -> ChoicesDocument:
        """People's choices between two candidates: agreement, metrics on them, and the ranking of
        systems."""
        choices: ChoicesDocument = self._transport.get(f"{set_path(which)}/choices").json()
        return choices

    def spans(self, which: AnySet, *, weights: str | None = None) -> SpansAnalysis:
        """Error spans: metrics on them, systems and raters, as the analysis "spans".

        `weights`: what errors cost, such as "minor=1,major=5". Raises ProblemError (409) where a
        worker has to compute it first: see `start_analysis`.
        """
        query = drop_none({"weights": weights})
        spans: SpansAnalysis = self._transport.get(f"{set_path(which)}/spans", query).json()
        return spans

    def criteria_agreement(self, which: AnySet) -> CriteriaAnalysis:
        """Agreement of raters by criterion, and halo between every two, as the analysis
        "criteria". Raises ProblemError as `spans` does."""
        criteria: CriteriaAnalysis = self._transport.get(f"{set_path(which)}/criteria").json()
        return criteria

    def metrics(self) -> list[str]:
        """The names of the metrics of this installation."""
        page = self._transport.get("/metrics", {"limit": 200}).json()
        return [row["name"] for row in page["results"]]

    def runs(self, which: AnySet, *, status: str | None = None) -> Iterator[Run]:
        """Its metric runs in order of creation."""
        return self._list(Run, f"{set_path(which)}/runs", {"status": status})

    def run(self, which: AnySet, number: int) -> Run:
        """The metric run with this number."""
        return self._get(Run, f"{set_path(which)}/runs/{number}")

    def start_runs(
        self, which: AnySet, metrics: Sequence[str], *, multi_ref: str = "max"
    ) -> list[Run]:
        """Start metric runs; metrics that are already computed are complete at once. See `wait`."""
        body = {"metrics": list(metrics), "multi_ref": multi_ref}
        answer = self._transport.send("POST", f"{set_path(which)}/runs", body, creates=True)
        return [Run.of(row) for row in answer.json()["runs"]]

    def stop_run(self, run: Run) -> Run:
        """Stop a run; computed scores are stored for a retry."""
        return Run.of(self._transport.send("POST", f"{work_path(run)}/stop").json())

    def retry_run(self, run: Run) -> Run:
        """Queue a run again that failed or was stopped."""
        return Run.of(self._transport.send("POST", f"{work_path(run)}/retry").json())

    def analyses(self, which: AnySet) -> Iterator[Analysis]:
        """Its analyses, without their results."""
        return self._list(Analysis, f"{set_path(which)}/analyses")

    def start_analysis(
        self, which: AnySet, kind: str, *, criterion: str | None = None, **parameters: Any
    ) -> Analysis:
        """Start an analysis of the set's complete runs. See `wait`.

        criterion: of a set with several criteria; by default its score.
        """
        body = {"kind": kind, "parameters": parameters, **drop_none({"criterion": criterion})}
        answer = self._transport.send("POST", f"{set_path(which)}/analyses", body, creates=True)
        return Analysis.of(answer.json())

    @overload
    def wait(
        self, work: AnyWork, *, timeout: float | None = None, max_interval: float = 5.0
    ) -> AnyWork: ...
    @overload
    def wait(
        self, work: Sequence[AnyWork], *, timeout: float | None = None, max_interval: float = 5.0
    ) -> list[AnyWork]: ...
    def wait(self, work: Any, *, timeout: float | None = None, max_interval: float = 5.0) -> Any:
        """Wait until a run, analysis, import, freezing, training, try-out or model judge has ended,
        or several.

        It may have failed: check `status` and `reason`. Polls after 0.1 seconds, then less often,
        up to every `max_interval` seconds. Raises WaitTimeoutError after `timeout` seconds.
        """
        polling = Polling(timeout, max_interval)
        if isinstance(work, LongTask):
            return self._wait_for(work, polling)
        return [self._wait_for(item, polling) for item in work]

    def submit_scores(
        self,
        which: AnySet,
        file: FilePath,
        *,
        name: str,
        higher_is_better: bool = True,
        **about: str,
    ) -> Submission:
        """Submit a metric's scores: JSON Lines, or a table (CSV, TSV, XLSX, Parquet, JSON).

        They are private until `publish_submission`. `about`: authors, link, note.
        """
        fields = {"kind": "scores", "name": name, "higher_is_better": _form_value(higher_is_better)}
        path = f"{set_path(which)}/submissions"
        answer = self._transport.upload(path, {**fields, **about}, [("scores", Path(file))])
        return Submission.of(answer.json())

    def submissions(self, which: AnySet) -> Iterator[Submission]:
        """Your submissions to this version, latest first."""
        return self._list(Submission, f"{set_path(which)}/submissions")

    def publish_submission(self, submission: Submission) -> Submission:
        """Make a submission visible to everybody who sees the board."""
        return self._change(submission, "publish")

    def withdraw_submission(self, submission: Submission) -> Submission:
        """Delete the scores of a submission permanently."""
        return self._change(submission, "withdraw")

    def _change(self, submission: Submission, change: str) -> Submission:
        path = f"{set_path(submission.judgment_set)}/submissions/{submission.id}/{change}"
        return Submission.of(self._transport.send("POST", path).json())

    def _wait_for(self, work: LongTask, polling: Polling) -> LongTask:
        etag = None
        while not work.has_ended:
            late = WaitTimeoutError(f"{work_path(work)} is {work.status}, at {work.percent}%.")
            if etag is not None:
                polling.wait(late)
            answer = self._transport.get(work_path(work), etag=etag)
            etag = answer.headers.get("ETag")
            if answer.status_code != 304:
                work = type(work).of(answer.json())
        if isinstance(work, Analysis) and work.result is None and work.status == "complete":
            work = self._get(Analysis, work_path(work))
        return work


def work_path(work: LongTask) -> str:
    """The path of a background task below /api/v1."""
    if isinstance(work, SetImport):
        return f"/imports/{work.id}"
    if isinstance(work, CandidateImport):
        return f"/studies/{path_part(work.study)}/candidate-imports/{work.id}"
    if isinstance(work, Freezing):
        return f"/studies/{path_part(work.study)}/freezings/{work.id}"
    if isinstance(work, Training):
        return f"/trainings/{work.id}"
    if isinstance(work, TryOut):
        return f"/try/{work.id}"
    if isinstance(work, ModelJudge):
        return f"{set_path(work.judgment_set)}/model-judges/{work.id}"
    kind = "runs" if isinstance(work, Run) else "analyses"
    return f"{set_path(work.judgment_set)}/{kind}/{work.id}"


def _form_value(value: Any) -> Any:
    """A value as a form field."""
    return str(value).lower() if isinstance(value, bool) else value
