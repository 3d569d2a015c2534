"""A checked policy as JUnit XML and as Markdown."""

from __future__ import annotations

from xml.etree import ElementTree

from concord.gate.policy import NotEnough
from concord.gate.result import PolicyResult, RuleResult
from concord.sentences import counted, decimal, interval_text

APPROXIMATION = (
    "Intervals are of 95%. The number of passages that would settle a rule is an approximation: it "
    "takes the figure as the truth, an interval's width as shrinking with the square root of the "
    "number, and a probability of 80% that it is then settled."
)


def junit_xml(check: PolicyResult, not_enough_evidence: NotEnough = "xfail") -> str:
    """A test case for each rule. Without enough evidence it is skipped, or failed for "fail"."""
    suite = ElementTree.Element("testsuite", name=check.policy)
    failed = skipped = 0
    for row in check.rules:
        case = ElementTree.SubElement(suite, "testcase", classname=check.policy, name=row.name)
        if row.verdict == "holds":
            ElementTree.SubElement(case, "system-out").text = row.sentence
            continue
        is_skipped = row.verdict != "falls short" and not_enough_evidence == "xfail"
        skipped, failed = skipped + is_skipped, failed + (not is_skipped)
        ElementTree.SubElement(
            case, "skipped" if is_skipped else "failure", message=row.verdict
        ).text = row.sentence
    counts = {"tests": len(check.rules), "failures": failed, "skipped": skipped, "errors": 0}
    suite.attrib.update({name: str(count) for name, count in counts.items()})
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root, " ")
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def markdown(check: PolicyResult) -> str:
    """A table of the rules, for the summary of a build."""
    lines = [
        f"### {_cell(check.policy)}: {check.verdict}",
        "",
        "| rule | figure | value | 95% interval | at least | verdict | would settle it |",
        "|---|---|--:|--:|--:|---|---|",
    ]
    lines += [f"| {' | '.join(map(_cell, cells(row)))} |" for row in check.rules]
    return "\n".join([*lines, "", APPROXIMATION])


def cells(row: RuleResult) -> list[str]:
    """The cells of a table with a row for each rule."""
    return [
        row.name,
        row.figure,
        "" if row.estimate.value is None else decimal(row.estimate.value),
        interval_text(row.estimate.ci),
        f"{row.at_least:g}",
        row.verdict,
        _settles(row),
    ]


def _settles(row: RuleResult) -> str:
    if row.verdict != "not enough evidence":
        return ""
    if row.needed_passages is None:
        return row.estimate.reason or "unknown: the figure is at the bound"
    text = f"about {counted(row.needed_passages, 'passage')}, now {row.passages:,}"
    if row.needed_ratings is not None:
        text += f" ({counted(row.needed_ratings, 'rating')}, now {row.ratings:,})"
    return text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
