"""Rating studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from concord.client.base import ApiMethods, FilePath, drop_none, path_part
from concord.client.documents import (
    Agreement,
    CandidateImport,
    Freezing,
    JudgmentSetDetail,
    RaterDisagreement,
    Rating,
    Stage,
    Study,
    Upload,
    Worker,
)
from concord.client.errors import ProblemError
from concord.documents.quality import LedgerDocument
from concord.documents.stages import CostDocument, ForecastDocument

AnyStudy = Study | str
Protocol = Mapping[str, Any]


class Studies(ApiMethods):
    """Methods take a study as its document, or as its slug."""

    def studies(self) -> Iterator[Study]:
        """The studies in which you have a role, latest first."""
        return self._list(Study, "/studies")

    def study(self, which: AnyStudy) -> Study:
        """The study with this short name."""
        return self._get(Study, study_path(which))

    def create_study(
        self,
        slug: str,
        title: str,
        *,
        preset: str | None = None,
        protocol: Protocol | None = None,
        seed: int | None = None,
    ) -> Study:
        """Create a private study from a preset or a protocol."""
        options = {"preset": preset, "protocol": protocol, "seed": seed}
        body = {"slug": slug, "title": title, **drop_none(options)}
        return Study.of(self._transport.send("POST", "/studies", body, creates=True).json())

    def copy_study(self, which: AnyStudy, slug: str, title: str) -> Study:
        """Create a study with the protocol and the candidates of another, without its ratings."""
        path, body = f"{study_path(which)}/copy", {"slug": slug, "title": title}
        return Study.of(self._transport.send("POST", path, body, creates=True).json())

    def set_rater_language(self, which: AnyStudy, language: str) -> Study:
        """Set the language of the raters' pages, such as "de"; "" for each rater's browser's."""
        path, body = f"{study_path(which)}/language", {"language": language}
        return Study.of(self._transport.send("POST", path, body).json())

    def archive_study(self, which: AnyStudy) -> Study:
        """Archive a study: no stage can be opened, and nobody can join."""
        return Study.of(self._transport.send("POST", f"{study_path(which)}/archive").json())

    def restore_study(self, which: AnyStudy) -> Study:
        """Undo `archive_study`."""
        return Study.of(self._transport.send("POST", f"{study_path(which)}/restore").json())

    def delete_study(self, which: AnyStudy, *, paid: bool = False) -> None:
        """Delete a study. `paid` confirms that the raters who came by links were paid."""
        slug = which.slug if isinstance(which, Study) else which
        body = {"confirm": slug, "paid": paid}
        self._transport.send("POST", f"{study_path(which)}/delete", body)

    def signed_links(self, which: AnyStudy, workers: Sequence[str]) -> dict[str, str]:
        """A link for each rater, by which only they can join."""
        path, body = f"{study_path(which)}/signed-links", {"workers": list(workers)}
        answer = self._transport.send("POST", path, body).json()
        return {link["worker"]: link["url"] for link in answer["links"]}

    def protocol(self, which: AnyStudy) -> dict[str, Any]:
        """The current protocol, in the form of `update_protocol`."""
        answer = self._transport.get(f"{study_path(which)}/protocol").json()
        protocol: dict[str, Any] = answer["protocol"]
        return protocol

    def update_protocol(self, which: AnyStudy, protocol: Protocol) -> int:
        """Replace the protocol. Returns its version, which is new if work with the current one has
        started."""
        answer = self._transport.send("PUT", f"{study_path(which)}/protocol", dict(protocol))
        return int(answer.json()["version"])

    def upload_candidates(
        self,
        which: AnyStudy,
        file: FilePath,
        *,
        use: str = "rated",
        columns: Sequence[str] | None = None,
        sheet: str | None = None,
        span_based: Sequence[str] = (),
        draw_questions: int | Literal["protocol", "all"] = "protocol",
    ) -> CandidateImport:
        """Upload candidates; a worker adds them to the study, all or none.
        `client.wait(client.upload_candidates(study, file)).counts` says what became of them.

        `columns`: the meaning of each column of a table (CSV, TSV, XLSX, Parquet, JSON), as in
        `concord.formats.tables.MEANINGS`; by default guessed by the headings. `sheet`: of an XLSX,
        by default the first that is not blank. `use`: rated, qualification, gold or pairs. Test
        items and hidden checks have their correct answers in the file, in the field `answers` or
        in columns with the meaning "key".
        `draw_questions`: how many of the uploaded questions are rated, drawn at random; by default
        the protocol decides.
        """
        path = f"{study_path(which)}/uploads"
        answer = self._transport.upload(path, {"use": use}, [("file", Path(file))])
        upload = Upload.of(answer.json())
        if columns is not None or sheet is not None or upload.needs_columns:
            chosen = None if columns is None else list(columns)
            body = drop_none({"meanings": chosen, "sheet": sheet})
            self._transport.send("PUT", f"{path}/{upload.id}", body)
        options: dict[str, object] = {"span_based": list(span_based)}
        if draw_questions != "protocol":
            options["draw_questions"] = None if draw_questions == "all" else draw_questions
        started = self._transport.send("POST", f"{path}/{upload.id}/import", options, creates=True)
        return CandidateImport.of(started.json())

    def stop_candidate_import(self, which: CandidateImport) -> CandidateImport:
        """Stop it; no candidate is added."""
        path = f"{study_path(which.study)}/candidate-imports/{which.id}/stop"
        return CandidateImport.of(self._transport.send("POST", path).json())

    def cost(self, which: AnyStudy) -> CostDocument:
        """HITs, assignments, ratings and pay in cents, in total and by stage."""
        cost: CostDocument = self._transport.get(f"{study_path(which)}/cost").json()
        return cost

    def plan(self, which: AnyStudy, **wanted: Any) -> ForecastDocument:
        """Raters, items and cost for a width of alpha's interval. `wanted`: width, fee, level,
        source, ability, noise, spam."""
        plan: ForecastDocument = self._transport.get(f"{study_path(which)}/planner", wanted).json()
        return plan

    def stages(self, which: AnyStudy) -> list[Stage]:
        """Its stages in order, with their progress."""
        return list(self._list(Stage, f"{study_path(which)}/stages"))

    def open_stage(self, which: AnyStudy, kind: str, *, accepts_cost: bool = False) -> Stage:
        """Create the HITs of a stage and admit raters.

        accepts_cost: open a trial that costs more than the study, which is refused otherwise.
        """
        return self._stage(which, kind, "open", {"accepts_cost": accepts_cost})

    def close_stage(self, which: AnyStudy, kind: str) -> Stage:
        """Stop admitting raters; started assignments can still be submitted."""
        return self._stage(which, kind, "close")

    def pause_stage(self, which: AnyStudy, kind: str, reason: str) -> Stage:
        """Hand out no HITs until the stage is resumed; the reason is in the audit log."""
        return self._stage(which, kind, "pause", {"reason": reason})

    def resume_stage(self, which: AnyStudy, kind: str) -> Stage:
        """Hand out HITs of a paused stage again."""
        return self._stage(which, kind, "resume")

    def ratings(
        self,
        which: AnyStudy,
        *,
        stage: str | None = None,
        worker: str | None = None,
        candidate: str | None = None,
    ) -> Iterator[Rating]:
        """Ratings before the ledger; workers have their names in the study."""
        query = {"stage": stage, "worker": worker, "candidate": candidate}
        return self._list(Rating, f"{study_path(which)}/ratings", query)

    def workers(self, which: AnyStudy) -> Iterator[Worker]:
        """Workers with kept ratings, their statistics and warnings."""
        return self._list(Worker, f"{study_path(which)}/workers")

    def exclude_worker(self, which: AnyStudy, worker: str, reason: str) -> None:
        """Exclude a worker: no more HITs, and the ratings do not count. Pay does not change."""
        path = f"{study_path(which)}/workers/{path_part(worker)}/exclude"
        self._transport.send("POST", path, {"reason": reason})

    def readmit_worker(self, which: AnyStudy, worker: str) -> None:
        """Admit an excluded worker again; the ratings count again."""
        self._transport.send("POST", f"{study_path(which)}/workers/{path_part(worker)}/readmit")

    def erase_worker(
        self, which: AnyStudy, worker: str, *, ratings: bool = False, unpaid: bool = False
    ) -> str:
        """Permanently remove a worker's identity and texts, and with `ratings` also the ratings.

        Returns a sentence that says what was removed. `unpaid`: also if work is still to be
        reviewed or paid.
        """
        path = f"{study_path(which)}/workers/{path_part(worker)}/erase"
        body = {"confirm": worker, "ratings": ratings, "unpaid": unpaid}
        return str(self._transport.send("POST", path, body).json()["sentence"])

    def set_id_retention(self, which: AnyStudy, days: int | None) -> None:
        """Set the days after a worker's last work for which the study stores the worker's id; None:
        the installation's default."""
        self._transport.send("PUT", f"{study_path(which)}/retention", {"days": days})

    def rater_disagreements(
        self, which: AnyStudy, *, criterion: str = "", include_adjudicated: bool = False
    ) -> Iterator[RaterDisagreement]:
        """Candidates or pairs with different values after the ledger, of the main question or a
        criterion."""
        query = {"criterion": criterion, "include_adjudicated": include_adjudicated}
        return self._list(RaterDisagreement, f"{study_path(which)}/adjudication", query)

    def adjudicate(
        self, which: AnyStudy, candidate: int, value: float, *, criterion: str = "", note: str = ""
    ) -> None:
        """Set a candidate's value, of the main question or a criterion; it replaces the aggregate.

        `candidate`: the `id` of its disagreement. Of a pair, the value is 1 (the first is better),
        2, or 0 for a tie; of yes and no, 1 and 0.
        """
        body = {"value": value, "criterion": criterion, "note": note}
        path = f"{study_path(which)}/adjudication/{candidate}"
        self._transport.send("PUT", path, body)

    def agreement(self, which: AnyStudy, *, level: str | None = None) -> Agreement:
        """Agreement of raters before and after the ledger. `level`: by default ordinal, of
        comparisons nominal."""
        query = drop_none({"level": level})
        return self._get(Agreement, f"{study_path(which)}/agreement", query)

    def download_choices(self, which: AnyStudy, to: FilePath) -> Path:
        """Download each pair with the choices that the ledger keeps, as concord-pairs JSON Lines;
        for editors. `import_set(pairs=...)` makes a set of them."""
        return self._download(f"{study_path(which)}/choices.jsonl", to)

    def ledger(self, which: AnyStudy) -> LedgerDocument:
        """The replayed ledger: its steps, what they keep, and how much of the gain is real."""
        ledger: LedgerDocument = self._transport.get(f"{study_path(which)}/ledger").json()
        return ledger

    def add_step(self, which: AnyStudy, kind: str, **options: Any) -> int:
        """Add a filter to the ledger, such as `add_step(study, "zscore", threshold=1.0)`; its
        number."""
        body = {"kind": kind, **options}
        answer = self._transport.send("POST", f"{study_path(which)}/ledger", body, creates=True)
        return int(answer.json()["number"])

    def undo_step(self, which: AnyStudy, number: int) -> None:
        """Make a step of the ledger inactive; it stays in the ledger."""
        self._transport.send("POST", f"{study_path(which)}/ledger/{number}/undo")

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
        body = drop_none(choices) | {"is_preview": is_preview}
        path = f"{study_path(which)}/freeze"
        return Freezing.of(self._transport.send("POST", path, body, creates=True).json())

    def stop_freezing(self, which: Freezing) -> Freezing:
        """Stop a freezing; no version is created."""
        path = f"{study_path(which.study)}/freezings/{which.id}/stop"
        return Freezing.of(self._transport.send("POST", path).json())

    def frozen_set(self, which: Freezing) -> JudgmentSetDetail:
        """The set of a finished freezing. Raises ProblemError where there is none."""
        if which.judgment_set is None:
            raise ProblemError(409, "There is no set", which.reason or f"It is {which.status}.")
        return self._get(JudgmentSetDetail, f"/sets/{path_part(which.judgment_set)}")

    def _stage(
        self, which: AnyStudy, kind: str, change: str, body: dict[str, Any] | None = None
    ) -> Stage:
        path = f"{study_path(which)}/stages/{path_part(kind)}/{change}"
        return Stage.of(self._transport.send("POST", path, body).json())


def study_path(which: AnyStudy) -> str:
    """The path of a study below /api/v1."""
    return f"/studies/{path_part(which.slug if isinstance(which, Study) else which)}"
