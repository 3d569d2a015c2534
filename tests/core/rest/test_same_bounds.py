"""Forms of pages and inputs of the API come from the same dataclasses."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from django import forms
from rest_framework import serializers

import annotation
import benchmarks
import core
from core.pages.derived import DataclassForm
from core.rest.derived import DataclassSerializer
from core.rest.serializers import Strict

APPS = (annotation, benchmarks, core)
FILES = (forms.FileField, serializers.FileField)
# Forms and inputs of the API that still declare the same fields, each on its own. Do not add to it.
APART: tuple[str, ...] = (
    "annotation.crowds: ApprovalForm, Approval",
    "annotation.crowds: ApprovalForm, Rejection",
    "annotation.crowds: BonusForm, Bonus",
    "annotation.crowds: BudgetForm, NewDraft",
    "annotation.crowds: OfferForm, NewDraft",
    "annotation.crowds: RejectionForm, Approval",
    "annotation.crowds: RejectionForm, Rejection",
    "annotation.crowds: RuleForm, ApprovalRule",
    "annotation.lifecycle: CopyForm, NewCopy",
    "annotation.lifecycle: DeletionForm, Deletion",
    "annotation.lifecycle: LanguageForm, Language",
    "annotation.setup: NewStudyForm, NewStudy",
    "annotation.stages: InvitationForm, Invited",
    "annotation.stages: MonitorQuery, ListAssignments",
    "annotation.stages: MonitorQuery, ListRatings",
    "annotation.stages: PauseForm, PauseReason",
    "annotation.stages: PlanForm, PlannerQuery",
    "annotation.stages: SamplingForm, SetSampling",
    "annotation.studies: ImportForm, ImportOptions",
    "annotation.studies: ImportForm, ProtocolDocument",
    "annotation.studies: PairForm, NewPair",
    "annotation.studies: UploadForm, ListCandidates",
    "annotation.studies: UploadForm, NewUpload",
    "benchmarks.analyses: ComparisonQuery, StartAnalysis",
    "benchmarks.boards: AcrossQuery, BoardQuery",
    "benchmarks.boards: BoardQuery, BoardQuery",
    "benchmarks.boards: CriteriaQuery, BoardQuery",
    "benchmarks.boards: SpansQuery, SpansQuery",
    "benchmarks.correctness: CorrectnessQuery, CorrectnessQuery",
    "benchmarks.errors: DataQuery, ListCandidates",
    "benchmarks.errors: ErrorsQuery, DisagreementQuery",
    "benchmarks.errors: ErrorsQuery, ListCandidates",
    "benchmarks.errors: ErrorsQuery, ListPairs",
    "benchmarks.errors: ErrorsQuery, NewStudyFromSet",
    "benchmarks.errors: ErrorsQuery, NewTag",
    "benchmarks.errors: LabelsQuery, ListCandidates",
    "benchmarks.errors: PairsQuery, DisagreementQuery",
    "benchmarks.errors: PairsQuery, ListPairs",
    "benchmarks.errors: PairsQuery, NewStudyFromSet",
    "benchmarks.errors: PairsQuery, NewTag",
    "benchmarks.errors: RankPairsQuery, DisagreementQuery",
    "benchmarks.errors: RankPairsQuery, ListPairs",
    "benchmarks.errors: RankPairsQuery, NewStudyFromSet",
    "benchmarks.errors: RankPairsQuery, NewTag",
    "benchmarks.errors: RankPairsQuery, RankPairsQuery",
    "benchmarks.errors: RunQuery, DisagreementQuery",
    "benchmarks.errors: RunQuery, ListCandidates",
    "benchmarks.errors: RunQuery, NewStudyFromSet",
    "benchmarks.exports: DatasetForm, DatasetQuery",
    "benchmarks.exports: LabelsForm, LabelsQuery",
    "benchmarks.exports: PreferencesForm, PreferencesQuery",
    "benchmarks.freezing: FreezeForm, Freeze",
    "benchmarks.freezing: FreezeForm, FreezeQuery",
    "benchmarks.imports: SetImportForm, ImportPairs",
    "benchmarks.imports: SetImportForm, ImportSet",
    "benchmarks.judging: BudgetForm, DraftJudge",
    "benchmarks.judging: BudgetForm, JudgeBudget",
    "benchmarks.judging: ModelJudgeForm, DraftJudge",
    "benchmarks.judging: ModelJudgeForm, JudgeBudget",
    "benchmarks.judging: PreviousQuery, DraftJudge",
    "benchmarks.runs: StartRunsForm, StartRuns",
    "benchmarks.second_looks: SecondLookForm, NewSecondLook",
    "benchmarks.submissions: SubmissionForm, Submit",
    "benchmarks.trainings: ImportForm, NewCheckpoint",
    "benchmarks.trainings: ImportForm, StartTraining",
    "benchmarks.trainings: TrainingForm, NewCheckpoint",
    "benchmarks.trainings: TrainingForm, StartTraining",
    "benchmarks.tryouts: TryOutForm, StartTryOut",
)


def every_subclass(kind: type) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from every_subclass(one)


def feature_of(kind: type) -> str:
    """The app and the feature of a class, such as annotation.quality."""
    return ".".join(kind.__module__.split(".")[:2])


def sources(kind: Any) -> dict[str, Any]:
    """The dataclass that each field of a form or an input comes from, or None; without files."""
    is_form = issubclass(kind, forms.BaseForm)
    fields = kind.base_fields if is_form else kind().fields
    derived = kind.derived_names if issubclass(kind, DataclassForm) else ()
    if issubclass(kind, DataclassSerializer):
        derived = tuple(name for name in fields if name not in kind._declared_fields)
    return {
        name: kind.dataclass if name in derived else None
        for name, field in fields.items()
        if not isinstance(field, FILES)
    }


def pairs() -> list[tuple[Any, Any, list[str]]]:
    """Each form and input of one feature with fields of the same names, and those names."""
    for app in APPS:
        for module in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
            if not {"migrations", "management"} & {*module.name.split(".")}:
                import_module(module.name)
    ours = tuple(f"{app.__name__}." for app in APPS)
    shown = [one for one in every_subclass(forms.BaseForm) if one.__module__.startswith(ours)]
    sent = [one for one in every_subclass(Strict) if hasattr(one(), "fields")]
    return [
        (form, body, names)
        for form in {*shown}
        for body in {*sent}
        if feature_of(form) == feature_of(body)
        if (names := sorted(sources(form).keys() & sources(body).keys()))
    ]


def written_apart() -> set[str]:
    return {
        f"{feature_of(form)}: {form.__name__}, {body.__name__}"
        for form, body, names in pairs()
        if any(None in (sources(form)[name], sources(body)[name]) for name in names)
    }


def test_no_more_forms_and_bodies_are_written_apart() -> None:
    assert written_apart() == set(APART)
