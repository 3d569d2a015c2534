"""The description of the page of an analysis; `benchmarks.analyses.views.pages` shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from benchmarks.analyses import samples
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.queries import AnalysisQuery
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from core.pages.queries import FormValues
from core.refusals import RefusedError

R_contra = TypeVar("R_contra", contravariant=True)
# The context of a template: its values depend on the page.
Context = dict[str, Any]
# (value, label) of each choice, or (value, label, title of its group).
Choices = Iterable[tuple[str, str] | tuple[str, str, str]]


@dataclass
class Opened:
    """A page while it is requested.

    query: the query parameters, or the fields of a form that starts the analysis; `complete` may
    change them. run: the metric run in the address, with its progress; None without one.
    """

    request: HttpRequest
    judgment_set: JudgmentSet
    query: FormValues
    run: MetricRun | None = None

    @cached_property
    def runs(self) -> list[MetricRun]:
        """The complete runs of the board."""
        return complete_board_runs(self.judgment_set)

    @cached_property
    def groups(self) -> list[str]:
        """The groups of raters."""
        return samples.rater_groups(self.judgment_set)


@dataclass(frozen=True)
class FormField:
    """A select of the page's form, or an input where `choices` is None.

    choices: or what makes them when the page is opened; a select without choices is not shown.
    placeholder: the hint of an empty input.
    """

    name: str
    label: str
    choices: Choices | Callable[[Opened], Choices] | None = None
    placeholder: str | Callable[[Opened], str] = ""


COEFFICIENTS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "kendall_b": "Kendall's \N{GREEK SMALL LETTER TAU}b",
    "kendall_c": "Kendall's \N{GREEK SMALL LETTER TAU}c",
}
COEFFICIENT = FormField("coefficient", "Coefficient", COEFFICIENTS.items())


@dataclass(frozen=True)
class PageTab:
    """The tab of a page in the tabs of a set, before the tab `before` of its group, else last."""

    group: str
    title: str
    before: str = ""


def no_context(opened: Opened, *_: object) -> Context:
    """Nothing besides the result."""
    return {}


@dataclass(frozen=True, kw_only=True)
class AnalysisPage(Generic[R_contra]):
    """The page of a kind of analysis.

    The page NAME lies at PATH under the address of its set and shows the template
    `benchmarks/analyses/<name>.html`, or without one `result.html`; a form posts to the page
    `compute-NAME`, at PATH and `compute`, to start or stop the analysis. path: "NAME/" by default.
    part_of: the name of the page on which the analysis is shown, where it has none of its own.
    section_of: the page that shows it in a section; its own address redirects there, and serves the
    polled element.

    form: the fields of its form. query: of its query parameters; by default the parameters of the
    analysis. complete: checks the query beyond that, and replaces values that depend on the set;
    raises RefusedError. beside: the template's context besides the analysis; "refused" in it
    says why there is no analysis, "is_shown" is False where even that is not shown, and
    "also_active" is True where the page waits for another analysis, too. arrange: its context for a
    complete result. starts: whether a short analysis is started by those who open the page.
    is_usual: False for options of which there are so many that opening the page does not start
    them. file: a file of the result, by its name without extension, its extension and the context,
    at FILE_PATH under PATH.
    """

    name: str
    tab: PageTab | None = None
    in_tab: str = ""
    path: str = ""
    compute_path: str = "compute"
    part_of: str = ""
    section_of: str = ""
    form: tuple[FormField, ...] = ()
    query: type[AnalysisQuery] | None = None
    complete: Callable[[Opened], None] = field(default=lambda opened: None)
    beside: Callable[[Opened], Context] = no_context
    arrange: Callable[[Opened, R_contra], Context] = no_context
    starts: bool = True
    is_usual: Callable[[Opened], bool] = field(default=lambda opened: True)
    file_path: str = ""
    file: Callable[[Opened, Context, str, str], HttpResponseBase] | None = None


def check_run(opened: Opened) -> None:
    """Raise RefusedError unless the query's run is 0 or on the board."""
    pk = opened.query["run"]
    if pk and pk not in {run.pk for run in opened.runs}:
        raise RefusedError(f"The board has no complete run {pk}.", "query-invalid")


def check_raters(opened: Opened) -> None:
    """Set the query's raters to the first group where there are none.

    Raises RefusedError for a group that the set does not have.
    """
    groups, raters = opened.groups, opened.query["raters"]
    if raters not in groups:
        if raters:
            raise RefusedError(f"The set has no ratings by “{raters}”.", "query-invalid")
        opened.query["raters"] = groups[0] if groups else ""


def run_choices(opened: Opened) -> Choices:
    """The complete runs, after the best of them."""
    yield "0", "best agreement"
    for run in opened.runs:
        suffix = "" if run.multi_ref == "max" else f" ({run.multi_ref})"
        yield str(run.pk), f"{run.metric}{suffix}"


def rater_choices(opened: Opened) -> Choices:
    """The groups of raters; none where there is only one."""
    if len(opened.groups) > 1:
        yield from ((group, group or "unnamed") for group in opened.groups)
