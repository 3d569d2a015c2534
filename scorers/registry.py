"""Registry of metrics, by name.

To add a metric to this package, write its module with a tuple `REGISTRATIONS` and add the module to
`_MODULES`. Another package adds metrics by an entry point; see `concord.metrics`.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from concord.metrics.discovery import load_external_metrics
from concord.metrics.metric import Metric, MetricSpec, MultiRef
from concord.metrics.names import split_names
from concord.metrics.registration import Option, Registration
from scorers import (
    bleu,
    cider,
    google_rouge,
    meteor,
    rouge_l,
    sacrebleu_metrics,
    sentence_similarity,
    squad,
)
from scorers.aev import metric as aev
from scorers.ava import metrics as ava
from scorers.bertscore import metric as bertscore
from scorers.errors import CheckpointError, MetricError, ModelError
from scorers.kpqa import metrics as kpqa
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder
from scorers.lerc import metrics as lerc

_MODULES = (
    squad,
    bleu,
    rouge_l,
    meteor,
    cider,
    google_rouge,
    sacrebleu_metrics,
    bertscore,
    sentence_similarity,
    kpqa,
    lerc,
    ava,
    aev,
)
#: The metrics of this package, which its entry point in the group `concord.metrics` names.
REGISTRATIONS: tuple[Registration, ...] = tuple(
    entry for module in _MODULES for entry in module.REGISTRATIONS
)
_FOREIGN = load_external_metrics({entry.name for entry in REGISTRATIONS})
_REGISTRATIONS: Mapping[str, Registration] = MappingProxyType(
    {entry.name: entry for entry in REGISTRATIONS} | dict(_FOREIGN.registrations)
)
# Metrics for which the name of a checkpoint may stand.
_LEARNED = frozenset(entry.name for module in (lerc, ava) for entry in module.REGISTRATIONS)
_CALL = re.compile(r"(?P<base>[^()=]+)(?:\((?P<options>[^()]*)\))?")


def names() -> list[str]:
    """The base names of all metrics, in their listing order."""
    return list(_REGISTRATIONS)


def import_errors() -> dict[str, str]:
    """Errors of importing the metrics of other packages, by the name of the entry point."""
    return dict(_FOREIGN.errors)


def ready_names() -> list[str]:
    """The base names of the metrics that can be computed with their default options.

    Metrics whose model is missing are left out.
    """
    return [name for name in names() if _is_ready(name)]


def _is_ready(name: str) -> bool:
    try:
        parse_metrics(name)[0].settings()
    except ModelError:
        return False
    return True


def options(base: str) -> dict[str, str]:
    """A metric's options and their defaults, as text."""
    return {name: opt.write(opt.default) for name, opt in _REGISTRATIONS[base].options.items()}


def option_help(base: str) -> dict[str, str]:
    """The help of each of a metric's options, one line each."""
    return {name: option.help for name, option in _REGISTRATIONS[base].options.items()}


def parse_metrics(text: str, multi_ref: str = "max") -> list[Metric]:
    """Parse a comma-separated list of metrics such as `bleu-1,bleu-4(tokens=mocha)`.

    The name of a checkpoint of a learned metric stands for the metric with that checkpoint:
    `my-lerc` for `lerc(checkpoint=my-lerc)`. Commas inside parentheses do not split. Raises
    MetricError for an unknown name or option, an invalid value, a duplicate or an empty list; the
    message names the valid ones.
    """
    if multi_ref not in get_args(MultiRef):
        raise MetricError(f"multi_ref must be max or joint, not {multi_ref!r}")
    handling: MultiRef = "max" if multi_ref == "max" else "joint"
    metrics: list[Metric] = []
    seen: set[str] = set()
    try:
        parts = list(split_names(text))
    except ValueError as error:
        raise MetricError(str(error)) from error
    for part in parts:
        metric = _parse_metric(part, handling)
        if metric.name in seen:
            raise MetricError(f"{metric.name} is named twice")
        seen.add(metric.name)
        metrics.append(metric)
    return metrics


def _parse_metric(text: str, multi_ref: MultiRef) -> Metric:
    if not text:
        raise MetricError("the list of metrics is empty, or has an empty name between two commas")
    match = _CALL.fullmatch(text)
    if match is None:
        raise MetricError(f"{text!r} must have the form name or name(option=value,...)")
    base, option_text = match["base"].strip(), match["options"] or ""
    if base not in _REGISTRATIONS:
        kind = _kind_of_checkpoint(base)
        if kind is None:
            raise MetricError(f"there is no metric {base!r}{_suggestion(base, names())}")
        option_text = ",".join(filter(None, (f"checkpoint={base}", option_text.strip())))
        base = kind
    entry = _REGISTRATIONS[base]
    given = _parse_options(entry, option_text)
    defaults = _defaults(entry, given)
    values = {**defaults, **given}
    changed = [
        f"{name}={option.write(values[name])}"
        for name, option in sorted(entry.options.items())
        if values[name] != defaults[name]
    ]
    name = f"{base}({','.join(changed)})" if changed else base
    return entry.build(MetricSpec(base, name, MappingProxyType(values), multi_ref))


def _kind_of_checkpoint(name: str) -> str | None:
    """The learned metric of which this is a checkpoint; None if it is no such checkpoint."""
    if os.sep in name or not name.strip("."):
        return None
    try:
        kind = CheckpointCard.read(checkpoint_folder(name)).kind
    except CheckpointError:
        return None
    return kind if kind in _LEARNED else None


def _parse_options(entry: Registration, text: str) -> dict[str, Any]:
    """The values of the options that are given."""
    values: dict[str, Any] = {}
    for part in text.split(",") if text.strip() else ():
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in entry.options:
            names = ", ".join(sorted(entry.options)) or "none"
            raise MetricError(f"{entry.name} has no option {name!r}; its options: {names}")
        if not equals:
            raise MetricError(f"{entry.name}: option {name} has no value: write {name}=VALUE")
        if name in values:
            raise MetricError(f"{entry.name}: option {name} occurs twice")
        values[name] = _parse_value(entry, name, entry.options[name], value)
    return values


def _defaults(entry: Registration, given: Mapping[str, Any]) -> dict[str, Any]:
    """The default of each option; some depend on the values that are given."""
    defaults = {name: option.default for name, option in entry.options.items()}
    known = {**defaults, **given}
    return defaults | {
        name: option.default_of(known)
        for name, option in entry.options.items()
        if option.default_of is not None
    }


def _parse_value(entry: Registration, name: str, option: Option, text: str) -> Any:
    try:
        return option.parse(text)
    except ValueError as error:
        raise MetricError(f"{entry.name}: option {name} {error}") from error


def _suggestion(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, n=3)
    return (
        f"; did you mean {' or '.join(close)}?"
        if close
        else f"; the metrics are {', '.join(names)}"
    )
