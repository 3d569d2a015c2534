"""Forms of downloads: labels for unjudged answers, datasets, preferences."""

from __future__ import annotations

from benchmarks.exports.inputs import DatasetOptions, LabelOptions, PreferenceOptions
from core.pages.derived import DataclassForm


class LabelsForm(DataclassForm[LabelOptions]):
    """The run of AVA that labels unjudged answers."""

    help_texts = {"metric": "", "threshold": ""}


class DatasetForm(DataclassForm[DatasetOptions]):
    """The licence that the dataset card states."""

    optional = ("license",)
    help_texts = {"license": ""}


class PreferencesForm(DataclassForm[PreferenceOptions]):
    """Where preferences come from; the other fields are for scores."""

    optional = ("by",)
    help_texts = {"by": "", "min_gap": "", "criterion": ""}
