"""The form of a page and the body of the API accept the same values, field by field."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from rest_framework import serializers

from annotation.crowds import forms as crowd_forms
from annotation.crowds.api import crowds, review
from annotation.privacy import api as privacy_api
from annotation.privacy import forms as privacy_forms
from annotation.quality import forms as quality_forms
from annotation.quality.api import checks, quality
from annotation.setup.api.studies import NewStudy
from annotation.setup.forms import NewStudyForm
from annotation.stages.api.planner import PlannerQuery
from annotation.stages.api.sampling import SetSampling
from annotation.stages.forms import SamplingForm
from annotation.stages.views.planner import PlanForm
from annotation.studies import forms as study_forms
from annotation.studies.api import candidates
from benchmarks.correctness import api as correctness_api
from benchmarks.correctness import forms as correctness_forms
from benchmarks.exports.api import LabelsQuery
from benchmarks.exports.forms import LabelsForm
from benchmarks.freezing.api import Freeze
from benchmarks.freezing.views import FreezeForm
from benchmarks.imports.api.sets import ImportSet
from benchmarks.imports.forms import SetImportForm
from benchmarks.submissions.api import Submit
from benchmarks.submissions.forms import SubmissionForm
from benchmarks.trainings.api.bodies import StartTraining
from benchmarks.trainings.api.trainings import NewCheckpoint
from benchmarks.trainings.forms import ImportForm, TrainingForm
from benchmarks.tryouts.api import StartTryOut
from benchmarks.tryouts.forms import TryOutForm

BOUNDS = ("max_length", "min_length", "min_value", "max_value")
SAME: list[tuple[type[forms.BaseForm], type[serializers.Serializer[Any]]]] = [
    (quality_forms.StepForm, quality.NewStep),
    (quality_forms.ReasonForm, quality.Reason),
    (quality_forms.AdjudicationForm, checks.AdjudicatedValue),
    (quality_forms.AnswerForm, checks.Answer),
    (study_forms.ImportForm, candidates.ImportOptions),
    (study_forms.PairForm, candidates.NewPair),
    (NewStudyForm, NewStudy),
    (PlanForm, PlannerQuery),
    (SamplingForm, SetSampling),
    (privacy_forms.RetentionForm, privacy_api.RetentionPeriod),
    (crowd_forms.RuleForm, review.ApprovalRule),
    (crowd_forms.ApprovalForm, review.Approval),
    (crowd_forms.RejectionForm, review.Rejection),
    (crowd_forms.BonusForm, review.Bonus),
    (crowd_forms.OfferForm, crowds.NewDraft),
    (correctness_forms.CorrectnessQuery, correctness_api.CorrectnessQuery),
    (LabelsForm, LabelsQuery),
    (FreezeForm, Freeze),
    (SetImportForm, ImportSet),
    (SubmissionForm, Submit),
    (TrainingForm, StartTraining),
    (ImportForm, NewCheckpoint),
    (TryOutForm, StartTryOut),
]


@pytest.mark.parametrize(("form", "body"), SAME, ids=[body.__name__ for _, body in SAME])
def test_a_form_and_a_body_bound_their_fields_alike(
    form: type[forms.BaseForm], body: type[serializers.Serializer[Any]]
) -> None:
    shown, sent = form.base_fields, body().fields
    both = [name for name in shown if name in sent]
    assert both
    for name in both:
        # On a page, a list is a line of names apart by commas, or boxes to tick; a choice is
        # bounded by its names.
        if isinstance(sent[name], serializers.ListField) or isinstance(
            shown[name], forms.ChoiceField
        ):
            continue
        for bound in BOUNDS:
            assert getattr(shown[name], bound, None) == getattr(sent[name], bound, None), (
                f"{name}: {bound}"
            )
