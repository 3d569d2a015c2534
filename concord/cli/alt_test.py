"""`concord alt-test HUMAN JUDGES`, or `FILE --judge NAME`: may a judge stand in for a rater?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from concord.arguments import share
from concord.cli.arguments import draws_option, seed_option
from concord.cli.command import CommandResult, argument, command, option
from concord.cli.judged_labels import JudgedLabelOptions, LabelInputReader, LabelInputs
from concord.formats.labels import AnnotatorLabels
from concord.judges import AltTestOptions, JudgeReports, judge_report
from concord.judges.item_ids import CRITERION, item_parts, shared_prefixes
from concord.sentences import counted, decimal


@dataclass(frozen=True, kw_only=True)
class AltTestInputs:
    """The labels of people and of judges, and the test's options."""

    files: Sequence[Path] = argument(
        "FILE",
        "HUMAN JUDGES, people's file and a judge's, or one FILE with --judge: labels "
        "{rater: {item: label}}, judgments in any format of --from, or, for judges, the output of "
        "concord judge",
    )
    labels: JudgedLabelOptions
    epsilon: float = option(
        "0.2 against experts, 0.15 skilled, 0.1 crowd (default: 0.2)", 0.2, share
    )
    q: float = option("false discovery rate over raters", 0.05, share)
    seed: int = seed_option()
    draws: int = draws_option()


@command("the alternative annotator test: may a judge stand in for a rater?", plot=True)
def alt_test(inputs: AltTestInputs) -> CommandResult:
    """The test of each judge, with all criteria pooled, and for each criterion apart."""
    reader, given = LabelInputReader(inputs.labels), inputs.labels
    labels = reader.read(inputs.files)
    people, judges, items = labels.people, labels.judges, labels.items
    documents = labels.documents_by(given.item_id)
    criteria = item_parts(given.item_id, items, CRITERION)
    options = AltTestOptions(
        epsilon=inputs.epsilon, q=inputs.q, draws=inputs.draws, seed=inputs.seed
    )

    def report(people: AnnotatorLabels, judges: AnnotatorLabels) -> JudgeReports:
        return judge_report(
            people,
            judges,
            graded=given.graded,
            clusters=documents,
            options=options,
            scale=labels.scale,
        )

    pooled = report(people, judges)
    if documents is None:
        pooled.warnings.extend(_warning_of_prefixes(labels, pooled, options, graded=given.graded))
    by_criterion = {
        name: report(_of_criterion(people, criteria, name), _of_criterion(judges, criteria, name))
        for name in dict.fromkeys((criteria or {}).values())
    }
    document = {
        **pooled.to_json(),
        "graded": given.graded,
        "epsilon": inputs.epsilon,
        "q": inputs.q,
        "seed": inputs.seed,
        "draws": inputs.draws,
        "items": len(items),
        "answers": {"people": reader.of_people.total, "judges": reader.of_judges.counts},
        "both_bad": given.both_bad,
    }
    if labels.join is not None:
        document["join"] = labels.join
    if by_criterion:
        document["criteria"] = by_criterion
    file = inputs.files[0].name
    name = f"{file}, {counted(len(people), 'rater')}, {counted(len(items), 'item')}"
    counts = {"People": reader.of_people.total} | reader.of_judges.counts
    return CommandResult(
        results={f"{name}, all criteria pooled" if by_criterion else name: pooled}
        | {f"{file}, {criterion}": each for criterion, each in by_criterion.items()},
        document=document,
        closing=[
            " ".join(f"{name}: {count}." for name, count in counts.items()),
            given.how_counted,
        ],
        file=file,
    )


def _warning_of_prefixes(
    inputs: LabelInputs, reports: JudgeReports, options: AltTestOptions, *, graded: bool
) -> list[str]:
    """What --item-id would change, where ids share prefixes that may name documents; else none."""
    shared = shared_prefixes(inputs.items)
    if shared is None:
        return []
    pattern, prefixes = shared
    by_prefix = judge_report(
        inputs.people,
        inputs.judges,
        graded=graded,
        clusters=prefixes,
        options=replace(options, draws=1),
        scale=inputs.scale,
    )
    changed = [
        f"{name} {'passes' if test.passed else 'does not pass'} then (omega "
        f"{decimal(test.winning_rate, 2)})"
        for name, one in by_prefix.judges.items()
        if (test := one.by_cluster) is not None and test.passed != reports.judges[name].test.passed
    ]
    return [
        f"the ids of {counted(len(prefixes), 'item')} have "
        f"{counted(len(set(prefixes.values())), 'prefix', 'prefixes')}, such as "
        f"'{next(iter(prefixes.values()))}': if these are documents, items of one are dependent, "
        f"and the test needs --item-id '{pattern}'; "
        + (", ".join(changed) or "the verdicts stay the same then")
    ]


def _of_criterion(
    labels: AnnotatorLabels, criteria: Mapping[str, str] | None, name: str
) -> AnnotatorLabels:
    of_item = criteria or {}
    return {
        annotator: {item: label for item, label in of.items() if of_item.get(item) == name}
        for annotator, of in labels.items()
    }
