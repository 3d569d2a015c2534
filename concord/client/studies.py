"""Rating studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from concord.client.documents import (
    Agreement,
    CandidateImport,
    Freezing,
    JudgmentSet,
    Rating,
    Stage,
    Study,
    Upload,
    Worker,
)
from concord.client.errors import ProblemError
from concord.client.retrying import Asking, FilePath, part, without_none
from concord.client.study_figures import Cost, Ledger, Plan

AnyStudy = Study | str
Protocol = Mapping[str, Any]


class Studies(Asking):
    """A study is given as its document, or by its slug."""

    def studies(self) -> Iterator[Study]:
        """The studies you have a role on, latest first."""
        return self._every(Study, "/studies")

    def study(self, which: AnyStudy) -> Study:
        return self._one(Study, study_path(which))

    def begin_study(
        self,
        slug: str,
        title: str,
        *,
        preset: str | None = None,
        protocol: Protocol | None = None,
        seed: int | None = None,
    ) -> Study:
        """Begin a study by a preset, or by a protocol of your own. It is private, and yours."""
        told = {"preset": preset, "protocol": protocol, "seed": seed}
        body = {"slug": slug, "title": title, **without_none(told)}
        return Study.of(self._transport.send("POST", "/studies", body, creates=True).json())

    def protocol(self, which: AnyStudy) -> dict[str, Any]:
        """The current protocol, as `change_protocol` takes it."""
        told = self._transport.get(f"{study_path(which)}/protocol").json()
        found: dict[str, Any] = told["protocol"]
        return found

    def change_protocol(self, which: AnyStudy, protocol: Protocol) -> int:
        """Put a protocol in the current one's place, or after it once somebody works by that; its
        version."""
        answer = self._transport.send("PUT", f"{study_path(which)}/protocol", dict(protocol))
        return int(answer.json()["version"])

    def upload_candidates(
        self,
        which: AnyStudy,
        file: FilePath,
        *,
        use: str = "rated",
        columns: Sequence[str] | None = None,
        span_based: Sequence[str] = (),
        draw_questions: int | Literal["protocol", "all"] = "protocol",
    ) -> CandidateImport:
        """Upload candidates and have a worker add them, all or none. What became of them is
        `client.wait(client.upload_candidates(study, file)).counts`.

        `columns` says what each column of a CSV holds. `use`: rated, qualification, gold or pairs.
        `draw_questions`: how many questions the study rates, drawn at random from those uploaded;
        by default as its protocol says.
        """
        path = f"{study_path(which)}/uploads"
        answer = self._transport.upload(path, {"use": use}, [("file", Path(file))])
        kept = Upload.of(answer.json())
        if columns is not None:
            body = {"meanings": list(columns)}
            self._transport.send("PUT", f"{path}/{kept.id}", body)
        asked: dict[str, object] = {"span_based": list(span_based)}
        if draw_questions != "protocol":
            asked["draw_questions"] = None if draw_questions == "all" else draw_questions
        taken = self._transport.send("POST", f"{path}/{kept.id}/take-in", asked, creates=True)
        return CandidateImport.of(taken.json())

    def stop_candidate_import(self, which: CandidateImport) -> CandidateImport:
        """Stop it; no candidate is added."""
        path = f"{study_path(which.study)}/candidate-imports/{which.id}/stop"
        return CandidateImport.of(self._transport.send("POST", path).json())

    def cost(self, which: AnyStudy) -> Cost:
        """HITs, assignments, ratings and pay in cents, in all and by stage."""
        found: Cost = self._transport.get(f"{study_path(which)}/cost").json()
        return found

    def plan(self, which: AnyStudy, **wanted: Any) -> Plan:
        """What reaches a width of alpha's interval: raters, items, cents. `wanted`: width, fee,
        level, source, ability, noise, spam."""
        found: Plan = self._transport.get(f"{study_path(which)}/planner", wanted).json()
        return found

    def stages(self, which: AnyStudy) -> list[Stage]:
        """Its stages in order, with how far each has got."""
        return list(self._every(Stage, f"{study_path(which)}/stages"))

    def open_stage(self, which: AnyStudy, kind: str) -> Stage:
        """Pack its HITs and let raters in."""
        return self._stage(which, kind, "open")

    def close_stage(self, which: AnyStudy, kind: str) -> Stage:
        """Let nobody else in; what raters hold they may still submit."""
        return self._stage(which, kind, "close")

    def ratings(
        self,
        which: AnyStudy,
        *,
        stage: str | None = None,
        worker: str | None = None,
        candidate: str | None = None,
    ) -> Iterator[Rating]:
        """Ratings that count, before the ledger; workers bear the names they have here."""
        asked = {"stage": stage, "worker": worker, "candidate": candidate}
        return self._every(Rating, f"{study_path(which)}/ratings", asked)

    def workers(self, which: AnyStudy) -> Iterator[Worker]:
        """Who has kept ratings, with their figures and signs of work not done."""
        return self._every(Worker, f"{study_path(which)}/workers")

    def exclude_worker(self, which: AnyStudy, worker: str, reason: str) -> None:
        """No more HITs, and their ratings do not count; pay is untouched."""
        path = f"{study_path(which)}/workers/{part(worker)}/exclude"
        self._transport.send("POST", path, {"reason": reason})

    def readmit_worker(self, which: AnyStudy, worker: str) -> None:
        """HITs again, and their ratings count."""
        self._transport.send("POST", f"{study_path(which)}/workers/{part(worker)}/readmit")

    def erase_worker(
        self, which: AnyStudy, worker: str, *, ratings: bool = False, unpaid: bool = False
    ) -> str:
        """Remove who a worker is and what they wrote for good, their ratings only where `ratings`;
        says what was removed. `unpaid`: even if their work is not decided on or paid."""
        path = f"{study_path(which)}/workers/{part(worker)}/erase"
        body = {"confirm": worker, "ratings": ratings, "unpaid": unpaid}
        return str(self._transport.send("POST", path, body).json()["sentence"])

    def keep_ids(self, which: AnyStudy, days: int | None) -> None:
        """For how many days after a worker's last work the study keeps their id; None: for as long
        as the installation does."""
        self._transport.send("PUT", f"{study_path(which)}/retention", {"days": days})

    def agreement(self, which: AnyStudy, *, level: str = "ordinal") -> Agreement:
        """How far raters agree, before the ledger and after it."""
        return self._one(Agreement, f"{study_path(which)}/agreement", {"level": level})

    def ledger(self, which: AnyStudy) -> Ledger:
        """The ledger replayed: its steps, what they keep, and what of the gain is real."""
        found: Ledger = self._transport.get(f"{study_path(which)}/ledger").json()
        return found

    def add_step(self, which: AnyStudy, kind: str, **options: Any) -> int:
        """Add a filter to the ledger, such as `add_step(study, "zscore", threshold=1.0)`; its
        number."""
        body = {"kind": kind, **options}
        answer = self._transport.send("POST", f"{study_path(which)}/ledger", body, creates=True)
        return int(answer.json()["number"])

    def undo_step(self, which: AnyStudy, number: int) -> None:
        """Make a step of the ledger inactive; it stays in the book."""
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
        """Have a worker make the next version of a judgment set from the ratings that the ledger
        keeps, or with `is_preview` only compute what it would hold. The set is
        `client.frozen(client.wait(client.freeze(study)))`."""
        choices = {"aggregation": aggregation, "stages": stages and list(stages), "name": name}
        body = without_none(choices) | {"is_preview": is_preview}
        path = f"{study_path(which)}/freeze"
        return Freezing.of(self._transport.send("POST", path, body, creates=True).json())

    def stop_freezing(self, which: Freezing) -> Freezing:
        """Stop it; no version is made."""
        path = f"{study_path(which.study)}/freezings/{which.id}/stop"
        return Freezing.of(self._transport.send("POST", path).json())

    def frozen(self, which: Freezing) -> JudgmentSet:
        """The set that a freezing made which has ended. Raises ProblemError where it made none."""
        if which.judgment_set is None:
            raise ProblemError(409, "There is no set", which.reason or f"It is {which.status}.")
        return self._one(JudgmentSet, f"/sets/{part(which.judgment_set)}")

    def _stage(self, which: AnyStudy, kind: str, change: str) -> Stage:
        path = f"{study_path(which)}/stages/{part(kind)}/{change}"
        return Stage.of(self._transport.send("POST", path).json())


def study_path(which: AnyStudy) -> str:
    """Where the study is, below /api/v1."""
    return f"/studies/{part(which.slug if isinstance(which, Study) else which)}"
