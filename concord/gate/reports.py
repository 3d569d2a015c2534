"""A checked policy as JUnit XML and as Markdown."""

from __future__ import annotations

from xml.etree import ElementTree

from concord.gate.policy import NotEnough
from concord.gate.result import PolicyResult


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
    (table,) = check.tables()
    columns = table.shown()
    head = [one.heading for one in columns], ["---" if one.is_text else "--:" for one in columns]
    rows = zip(*(map(_cell, one.texts) for one in columns), strict=True)
    lines = [f"| {' | '.join(cells)} |" for cells in (*head, *rows)]
    return "\n".join([f"### {_cell(table.title)}", "", *lines, "", *check.sentences()])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
