"""Names of the values of parameters on pages."""

from __future__ import annotations

from benchmarks.analyses.page import FormField

COEFFICIENTS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "kendall_b": "Kendall's \N{GREEK SMALL LETTER TAU}b",
    "kendall_c": "Kendall's \N{GREEK SMALL LETTER TAU}c",
}
COEFFICIENT = FormField("coefficient", "Coefficient", COEFFICIENTS.items())
