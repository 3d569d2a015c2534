"""The form that labels unjudged answers."""

from __future__ import annotations

from django import forms


class LabelsForm(forms.Form):
    """The run of AVA that labels unjudged answers, and the minimum probability of a correct answer.

    If empty, the latest run and the threshold of its checkpoint.
    """

    metric = forms.CharField(required=False, max_length=200)
    threshold = forms.FloatField(required=False, min_value=0, max_value=1)
