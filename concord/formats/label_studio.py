"""Files for Label Studio: tasks with annotations, and the labelling configuration of a project.

The recipe `label-studio` reads the tasks again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from xml.etree import ElementTree

from concord.formats.records import CandidateRecord

Line = dict[str, object]
# The control of a set's score, which has no name.
SCORE = "score"
# The fields of a task that raters read, and their headings.
TEXTS = {"passage": "Passage", "question": "Question", "candidate": "Answer"}
# The names of the objects that show the texts. Objects and controls may not share a name.
TEXT_NAMES = {name: f"{name}-text" for name in TEXTS}
RESERVED_NAMES = frozenset({SCORE, *TEXT_NAMES.values()})
# Ends the control's name of a criterion whose own name is reserved.
ESCAPE = "-criterion"


def task_rows(
    candidates: Iterable[CandidateRecord], worker_names: Callable[[str], str]
) -> Iterator[Line]:
    """Tasks that Label Studio imports, with the ratings as annotations of Number controls.

    A control has the name of its criterion, "score" for the set's score (`_control_name`); `meta`
    names the criterion where it has another. Raters are named in the `meta` of results, not in
    `completed_by`: Label Studio refuses accounts that it does not have, and assigns annotations
    without one to whoever imports them. Groups of raters and scales have no place in a task. Every
    task has all TEXTS, because Label Studio refuses a task without a field that the configuration
    shows.
    """
    for candidate in candidates:
        instance = candidate.instance
        texts: Line = {
            "passage": instance.passage,
            "question": instance.question_text,
            "candidate": candidate.text,
        }
        others: Line = {
            "id": candidate.key,
            "instance": instance.key,
            "references": list(instance.references),
            "system": candidate.system,
        }
        by_rater: dict[str, list[Line]] = {}
        for criterion, ratings in candidate.ratings_by_criterion:
            for rating in ratings:
                rater, control = worker_names(rating.worker), _control_name(criterion)
                result: Line = {
                    "from_name": control,
                    "to_name": TEXT_NAMES["candidate"],
                    "type": "number",
                    "value": {"number": rating.value},
                    "meta": {"rater": rater}
                    | ({"criterion": criterion} if criterion and control != criterion else {}),
                }
                by_rater.setdefault(rater, []).append(result)
        yield {
            "data": texts | {name: value for name, value in others.items() if value},
            "annotations": [{"result": result} for result in by_rater.values()],
        }


def labelling_configuration(
    criteria: Mapping[str, tuple[float, float] | None], texts: Sequence[str]
) -> str:
    """The labelling configuration (XML) of a project for the tasks of `task_rows`.

    criteria: the scale of each, None where it is unknown; "" is the set's score. texts: which of
    TEXTS raters see. Each criterion is a Number control.
    """
    view = ElementTree.Element("View")
    for name, heading in TEXTS.items():
        if name in texts:
            ElementTree.SubElement(view, "Header", value=heading)
            ElementTree.SubElement(view, "Text", name=TEXT_NAMES[name], value=f"${name}")
    for criterion, scale in criteria.items():
        attributes = {"name": _control_name(criterion), "toName": TEXT_NAMES["candidate"]}
        if scale is not None:
            attributes |= {"min": f"{scale[0]:g}", "max": f"{scale[1]:g}"}
        ElementTree.SubElement(view, "Header", value=criterion or SCORE)
        ElementTree.SubElement(view, "Number", attributes)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _control_name(criterion: str) -> str:
    """The name of a criterion's control: its own, SCORE for the set's score.

    A reserved name, with or without ESCAPE after it, is followed by ESCAPE, so that no two criteria
    have one control, and no control has the name of a text.
    """
    if criterion == "":
        return SCORE
    return criterion + ESCAPE if _base_name(criterion) in RESERVED_NAMES else criterion


def _base_name(name: str) -> str:
    """The name without ESCAPE at its end, however often."""
    while name.endswith(ESCAPE):
        name = name.removesuffix(ESCAPE)
    return name
