"""Judgment sets, metric runs, boards and submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from concord.client.documents import (
    Analysis,
    Board,
    Candidate,
    CandidateImport,
    Freezing,
    JudgmentSet,
    MinimalPair,
    Run,
    SetImport,
    Submission,
    Training,
    TryOut,
)
from concord.client.errors import ProblemError, WaitedTooLongError
from concord.client.retrying import Asking, FilePath, Polling, part, without_none
from concord.client.transport import problem

Set = JudgmentSet | str
Long = Run | Analysis | SetImport | CandidateImport | Freezing | Training | TryOut
AnyWork = TypeVar("AnyWork", Run, Analysis, SetImport, CandidateImport, Freezing, Training, TryOut)


class JudgmentSets(Asking):
    """A set is given as its document, or as NAME or NAME@VERSION."""

    def sets(
        self, *, search: str | None = None, published: bool | None = None
    ) -> Iterator[JudgmentSet]:
        """The latest version you may see of every set, by name."""
        asked = {"search": search, "published": None if published is None else str(published)}
        return self._every(JudgmentSet, "/sets", asked)

    def judgment_set(self, which: Set) -> JudgmentSet:
        """One version; the latest, where only a name is given."""
        return self._one(JudgmentSet, set_path(which))

    def versions(self, which: Set) -> Iterator[JudgmentSet]:
        """Its versions, latest first."""
        return self._every(JudgmentSet, f"{set_path(which)}/versions")

    @overload
    def import_set(
        self,
        files: FilePath | Sequence[FilePath],
        *,
        format: str,
        name: str,
        pairs: FilePath | None = None,
        add: bool = False,
        wait: Literal[True] = True,
        **options: Any,
    ) -> JudgmentSet: ...
    @overload
    def import_set(
        self,
        files: FilePath | Sequence[FilePath],
        *,
        format: str,
        name: str,
        pairs: FilePath | None = None,
        add: bool = False,
        wait: Literal[False],
        **options: Any,
    ) -> SetImport: ...
    def import_set(
        self,
        files: FilePath | Sequence[FilePath],
        *,
        format: str,
        name: str,
        pairs: FilePath | None = None,
        add: bool = False,
        wait: bool = True,
        **options: Any,
    ) -> JudgmentSet | SetImport:
        """Bring files of judgments in, as the set `name` or as its next version.

        `add` keeps what it holds. `options`: title, description, illustrative, and what the format
        takes (systems, references, criterion, reference_system, split, constituent). The files
        stream; a worker makes the set of them, which this waits for. Raises ProblemError, whose
        `faults` name file, line and field. Without `wait`, the import is given at once: see `wait`
        and `imported`.
        """
        paths = [files] if isinstance(files, str) or not isinstance(files, Sequence) else files
        sent = [("files", Path(one)) for one in paths]
        if pairs is not None:
            sent.append(("pairs", Path(pairs)))
        fields = {"format": format, "name": name, "add": _said(add), **without_none(options)}
        answer = self._transport.upload("/sets", {k: _said(v) for k, v in fields.items()}, sent)
        asked = SetImport.of(answer.json())
        return self.imported(self.wait(asked)) if wait else asked

    def set_import(self, number: int) -> SetImport:
        """An import of yours, as far as it is."""
        return self._one(SetImport, f"/imports/{number}")

    def imports(self) -> Iterator[SetImport]:
        """Your imports, latest first."""
        return self._every(SetImport, "/imports")

    def stop_import(self, which: SetImport) -> SetImport:
        """Stop it; nothing of it is kept."""
        return SetImport.of(self._transport.send("POST", f"{_path(which)}/stop").json())

    def imported(self, which: SetImport) -> JudgmentSet:
        """The set that an import made which has ended. Raises ProblemError where it failed, and
        where it was stopped."""
        if which.problem is not None:
            raise problem(which.problem)
        if which.judgment_set is None:
            raise ProblemError(409, "There is no set", which.reason or f"It is {which.status}.")
        return self.judgment_set(which.judgment_set)

    def import_pairs(self, which: Set, file: FilePath, *, format: str = "concord") -> JudgmentSet:
        """The set's next version, with these minimal pairs in place of its own; waits for it as
        `import_set` does."""
        path = f"{set_path(which)}/minimal-pairs"
        answer = self._transport.upload(path, {"format": format}, [("file", Path(file))])
        return self.imported(self.wait(SetImport.of(answer.json())))

    def candidates(self, which: Set, **labels: str) -> Iterator[Candidate]:
        """Its candidates by their place; `labels`: system, constituent, category, split."""
        return self._every(Candidate, f"{set_path(which)}/candidates", labels)

    def pairs(self, which: Set, *, run: Run | int | None = None) -> Iterator[MinimalPair]:
        """Its minimal pairs; with a complete run, what its metric says of each."""
        number = run.id if isinstance(run, Run) else run
        return self._every(MinimalPair, f"{set_path(which)}/pairs", {"run": number})

    def download_judgments(self, which: Set, to: FilePath) -> Path:
        """The set as concord-judgments JSON Lines; imported again, it is the same."""
        return self._download(f"{set_path(which)}/judgments.jsonl", to)

    def download_pairs(self, which: Set, to: FilePath) -> Path:
        """Its minimal pairs as concord-pairs JSON Lines."""
        return self._download(f"{set_path(which)}/pairs.jsonl", to)

    def download_ratings(self, which: Set, to: FilePath) -> Path:
        """Every single rating as CSV; workers are pseudonyms."""
        return self._download(f"{set_path(which)}/ratings.csv", to)

    def download_scores(
        self, which: Set, to: FilePath, metrics: Sequence[str] | None = None
    ) -> Path:
        """Scores as JSON Lines, or as the CSV or spreadsheet that the name ends in."""
        suffix = Path(to).suffix.lower()
        ending = suffix if suffix in (".csv", ".xlsx") else ".jsonl"
        asked = {"metrics": list(metrics)} if metrics and ending == ".jsonl" else None
        return self._download(f"{set_path(which)}/scores{ending}", to, asked)

    def download_items(self, which: Set, to: FilePath) -> Path:
        """Everything that a submission scores, without a label."""
        return self._download(f"{set_path(which)}/items.jsonl", to)

    def download_labels(
        self,
        which: Set,
        to: FilePath,
        *,
        metric: str | None = None,
        threshold: float | None = None,
    ) -> Path:
        """The candidates that nobody judged, labelled by a run of AVA: a table that `train` takes
        as `tsv`. `threshold` is the probability from which an answer is correct."""
        asked = without_none({"metric": metric, "threshold": threshold})
        return self._download(f"{set_path(which)}/labels.tsv", to, asked)

    def leaderboard(self, which: Set, *, by: str | None = None, group: str | None = None) -> Board:
        """Its board, whole or by a grouping, as `manage.py leaderboard --format json` has it."""
        return self._one(
            Board, f"{set_path(which)}/leaderboard", without_none({"by": by, "group": group})
        )

    def metrics(self) -> list[str]:
        """The names of the metrics that this installation has."""
        page = self._transport.get("/metrics", {"limit": 200}).json()
        return [row["name"] for row in page["results"]]

    def runs(self, which: Set, *, status: str | None = None) -> Iterator[Run]:
        """Its metric runs in the order they were asked for."""
        return self._every(Run, f"{set_path(which)}/runs", {"status": status})

    def run(self, which: Set, number: int) -> Run:
        return self._one(Run, f"{set_path(which)}/runs/{number}")

    def start_runs(
        self, which: Set, metrics: Sequence[str], *, multi_ref: str = "max"
    ) -> list[Run]:
        """Ask for metrics; those that are known already are complete at once. See `wait`."""
        body = {"metrics": list(metrics), "multi_ref": multi_ref}
        answer = self._transport.send("POST", f"{set_path(which)}/runs", body, creates=True)
        return [Run.of(row) for row in answer.json()["runs"]]

    def stop_run(self, run: Run) -> Run:
        """Stop it; what is scored is kept for a retry."""
        return Run.of(self._transport.send("POST", f"{_path(run)}/stop").json())

    def retry_run(self, run: Run) -> Run:
        """Queue one that failed or was stopped."""
        return Run.of(self._transport.send("POST", f"{_path(run)}/retry").json())

    def analyses(self, which: Set) -> Iterator[Analysis]:
        """Its analyses, without their results."""
        return self._every(Analysis, f"{set_path(which)}/analyses")

    def start_analysis(self, which: Set, kind: str, **parameters: Any) -> Analysis:
        """Ask for statistics over the set's complete runs. See `wait`."""
        body = {"kind": kind, "parameters": parameters}
        answer = self._transport.send("POST", f"{set_path(which)}/analyses", body, creates=True)
        return Analysis.of(answer.json())

    @overload
    def wait(
        self, work: AnyWork, *, timeout: float | None = None, most: float = 5.0
    ) -> AnyWork: ...
    @overload
    def wait(
        self, work: Sequence[AnyWork], *, timeout: float | None = None, most: float = 5.0
    ) -> list[AnyWork]: ...
    def wait(self, work: Any, *, timeout: float | None = None, most: float = 5.0) -> Any:
        """The run, analysis, import, freezing, training or try-out, or each of several, once it has
        ended, well or not: look at its `status` and `reason`.

        Asks again after a tenth of a second, then less and less often, every `most` seconds in the
        end. Raises WaitedTooLongError after `timeout` seconds.
        """
        polling = Polling(timeout, most)
        if isinstance(work, Long):
            return self._ended(work, polling)
        return [self._ended(one, polling) for one in work]

    def submit_scores(
        self, which: Set, file: FilePath, *, name: str, higher_is_better: bool = True, **about: str
    ) -> Submission:
        """Submit a metric's scores; private until `publish_submission`. `about`: authors, link,
        note."""
        fields = {"kind": "scores", "name": name, "higher_is_better": _said(higher_is_better)}
        path = f"{set_path(which)}/submissions"
        answer = self._transport.upload(path, {**fields, **about}, [("scores", Path(file))])
        return Submission.of(answer.json())

    def submissions(self, which: Set) -> Iterator[Submission]:
        """Your submissions to this version, latest first."""
        return self._every(Submission, f"{set_path(which)}/submissions")

    def publish_submission(self, submission: Submission) -> Submission:
        """Show it to everybody who sees the board."""
        return self._change(submission, "publish")

    def withdraw_submission(self, submission: Submission) -> Submission:
        """Delete its scores for good."""
        return self._change(submission, "withdraw")

    def _change(self, submission: Submission, change: str) -> Submission:
        path = f"{set_path(submission.judgment_set)}/submissions/{submission.id}/{change}"
        return Submission.of(self._transport.send("POST", path).json())

    def _ended(self, work: Long, polling: Polling) -> Long:
        etag = None
        while not work.has_ended:
            late = WaitedTooLongError(f"{_path(work)} is {work.status}, at {work.percent}%.")
            if etag is not None:
                polling.wait(late)
            answer = self._transport.get(_path(work), etag=etag)
            etag = answer.headers.get("ETag")
            if answer.status_code != 304:
                work = type(work).of(answer.json())
        if isinstance(work, Analysis) and work.result is None and work.status == "complete":
            work = self._one(Analysis, _path(work))
        return work


def set_path(which: Set) -> str:
    """Where the set is, below /api/v1."""
    return f"/sets/{part(which.ref if isinstance(which, JudgmentSet) else which)}"


def _path(work: Long) -> str:
    if isinstance(work, SetImport):
        return f"/imports/{work.id}"
    if isinstance(work, CandidateImport):
        return f"/studies/{part(work.study)}/candidate-imports/{work.id}"
    if isinstance(work, Freezing):
        return f"/studies/{part(work.study)}/freezings/{work.id}"
    if isinstance(work, Training):
        return f"/trainings/{work.id}"
    if isinstance(work, TryOut):
        return f"/try/{work.id}"
    kind = "runs" if isinstance(work, Run) else "analyses"
    return f"{set_path(work.judgment_set)}/{kind}/{work.id}"


def _said(value: Any) -> Any:
    """A value as a form has it."""
    return str(value).lower() if isinstance(value, bool) else value
