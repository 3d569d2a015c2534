"""An agreement analysis as a file: complete as JSON, or a row for each metric as CSV or LaTeX."""

from __future__ import annotations

from typing import cast

from benchmarks.analyses.models import Analysis
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.comparison import AgreementAnalysis, AgreementRow, ComparisonDocument
from concord.meta.comparing import interval_method, separating_test
from concord.tables.cells import Cell, csv_text, escape_latex, latex_table

COLUMNS = (
    "judgment_set",
    "version",
    "part",
    "coefficient",
    "average",
    "rank",
    "group",
    "metric",
    "multi_ref",
    "n",
    "value",
    "low",
    "high",
    "p",
    "relative_to_people",
    "corrected_for_attenuation",
    "reason",
    "seed",
    "draws",
    "date",
    "signature",
)
NAMES = {
    "pearson": "Pearson's $r$",
    "spearman": r"Spearman's $\rho$",
    "kendall_b": r"Kendall's $\tau_b$",
    "kendall_c": r"Kendall's $\tau_c$",
}


def document(judgment_set: JudgmentSet, analysis: Analysis) -> ComparisonDocument:
    """The result with its parameters and the set's content hash."""
    return {
        "judgment_set": judgment_set.name,
        "version": judgment_set.version,
        "content_hash": hidden.content_hash(judgment_set),
        "illustrative": judgment_set.illustrative,
        "kind": analysis.kind,
        "parameters": analysis.parameters,
        "date": _date(analysis),
        "result": _result(analysis),
    }


def to_csv(judgment_set: JudgmentSet, analysis: Analysis) -> str:
    """A CSV table with COLUMNS, best metric first."""
    rows = (_cells(judgment_set, analysis, row) for row in _best_first(analysis))
    return csv_text(COLUMNS, rows)


def to_latex(judgment_set: JudgmentSet, analysis: Analysis) -> str:
    """A booktabs table of rank, metric, figure and interval."""
    parameters, result = analysis.parameters, _result(analysis)
    header = ("Rank", "Metric", NAMES[parameters["coefficient"]], r"95\% interval")
    rows = (
        (
            str(row["rank"]),
            escape_latex(row["metric"]),
            f"{row['value']:.3f}",
            f"[{row['ci'][0]:.3f}, {row['ci'][1]:.3f}]" if row["ci"] else "--",
        )
        for row in _best_first(analysis)
        if row["value"] is not None
    )
    return (
        f"% {judgment_set}, content {hidden.content_hash(judgment_set)[:16]}, "
        f"seed {parameters['seed']}, {_date(analysis)}\n{latex_table('rlrr', header, rows)}"
        f"% n = {result['n']}; rank: 1 + the number of significantly better metrics "
        f"({separating_test(result)}, {result['adjusted_by']}, alpha {result['alpha']}); "
        f"intervals: {interval_method(result)}.\n"
    )


def _best_first(analysis: Analysis) -> list[AgreementRow]:
    rows = _result(analysis)["metrics"]
    return sorted(rows, key=lambda row: (row["value"] is None, -(row["value"] or 0.0)))


def _cells(judgment_set: JudgmentSet, analysis: Analysis, row: AgreementRow) -> list[Cell]:
    parameters, result = analysis.parameters, _result(analysis)
    part = f"{parameters['by']}:{parameters['group']}" if parameters["by"] else ""
    low, high = row["ci"] or (None, None)
    return [
        judgment_set.name,
        judgment_set.version,
        part,
        parameters["coefficient"],
        parameters["average"],
        row["rank"],
        row["group"],
        row["metric"],
        row["multi_ref"],
        row["n"],
        row["value"],
        low,
        high,
        row["p"],
        row["relative"]["value"] if "relative" in row else None,
        row["corrected"]["value"] if "corrected" in row else None,
        row["reason"],
        parameters["seed"],
        result["draws"]["perm-both"],
        _date(analysis),
        row["signature"],
    ]


def _result(analysis: Analysis) -> AgreementAnalysis:
    return cast(AgreementAnalysis, analysis.result)


def _date(analysis: Analysis) -> str:
    return analysis.finished_at.isoformat(timespec="seconds") if analysis.finished_at else ""
