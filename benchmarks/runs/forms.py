"""The form that starts metric runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from django import forms
from django.http import QueryDict

import scorers
from benchmarks.runs.inputs import NewRuns
from benchmarks.runs.services.requested_metrics import parse_requested_metrics
from concord.sentences import to_sentence
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from scorers import Metric


class StartRunsForm(DataclassForm[NewRuns]):
    """Metrics to run: selected in a list, and typed in with options."""

    chosen = ("metrics",)
    optional = ("metrics",)
    help_texts = {"metrics": ""}

    more = forms.CharField(required=False)

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        self.set_choices("metrics", [(name, name) for name in scorers.names()])

    def families(self) -> Iterator[tuple[str, list[tuple[Metric, bool]]]]:
        """The registered metrics by family, each with whether it is selected."""
        selected = set(self.data.getlist("metrics")) if isinstance(self.data, QueryDict) else set()
        families: dict[str, list[tuple[Metric, bool]]] = {}
        for name in scorers.names():
            metric = scorers.parse_metrics(name)[0]
            families.setdefault(metric.family, []).append((metric, name in selected))
        yield from families.items()

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if self.errors:
            return values
        names = [*values["metrics"], *([values["more"]] if values["more"].strip() else [])]
        if not names:
            raise forms.ValidationError("Choose at least one metric.")
        try:
            values["parsed"] = parse_requested_metrics(",".join(names), values["multi_ref"])
        except (scorers.MetricError, scorers.ModelError) as error:
            self.add_error("more", to_sentence(error))
        return values
