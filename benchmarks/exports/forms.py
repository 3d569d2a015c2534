"""Forms of downloads: labels for unjudged answers, and the licence of a dataset folder."""

from __future__ import annotations

from django import forms

from benchmarks.exports.services.dataset_card import LICENSES
from benchmarks.exports.services.preferences import SOURCES


class LabelsForm(forms.Form):
    """The run of AVA that labels unjudged answers, and the minimum probability of a correct answer.

    If empty, the latest run and the threshold of its checkpoint.
    """

    metric = forms.CharField(required=False, max_length=200)
    threshold = forms.FloatField(required=False, min_value=0, max_value=1)


class DatasetForm(forms.Form):
    """The licence that the dataset card states."""

    license = forms.ChoiceField(label="Licence", choices=list(LICENSES.items()), required=False)


class PreferencesForm(forms.Form):
    """Where preferences come from; the other fields are for scores."""

    by = forms.ChoiceField(choices=[(name, name) for name in SOURCES], required=False)
    min_gap = forms.FloatField(required=False, min_value=0)
    criterion = forms.CharField(required=False, max_length=500, strip=False)
