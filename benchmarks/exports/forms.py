"""The form by which unjudged answers are labelled."""

from __future__ import annotations

from django import forms


class LabelsForm(forms.Form):
    """By which run of AVA a set's unjudged answers are labelled, and from which probability on an
    answer is correct; empty is the latest run and its checkpoint's threshold."""

    metric = forms.CharField(required=False, max_length=200)
    threshold = forms.FloatField(required=False, min_value=0, max_value=1)
