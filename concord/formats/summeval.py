"""Reader of SummEval's ratings as its authors published them (Fabbri et al., TACL 2021)."""

from __future__ import annotations

from collections.abc import Sequence

from concord.formats.collector import RecordCollector
from concord.formats.fields import Fields
from concord.formats.files import SourceFile
from concord.formats.instances import differing_fields
from concord.formats.options import ReadOptions
from concord.formats.records import CandidateRecord, InstanceRecord
from concord.formats.thumb import CRITERIA, RATINGS, SCALE, read_criteria

OPTIONS = frozenset({"criterion", "split", "constituent"})
MEANINGS = {"id": "instance", "model_id": "system", "decoded": "candidate"}
MEANINGS |= {"references": "reference", "text": "passage"} | RATINGS


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read one criterion, or all four; the gold score is the mean of the experts' ratings, 1 to 5.

    A line is a summary (`decoded`) by the system `model_id` of the article `id`, with its
    `references`. The passage is the article's `text`, which is in the file only after the authors'
    program has added it. Raters are as in the format thumb. The id is `id/model_id`.
    """
    criteria = options.criteria(CRITERIA)
    collector.report.criterion = options.criterion or ""
    collector.scale = SCALE if options.criterion else None
    for file in files:
        for line, data in file.objects(collector.problems):
            collector.count_row(file.name, line)
            collector.report.see(data, MEANINGS)
            fields = Fields(data, collector.problems, collector.limits, file.name, line)
            article = fields.name("id", required=True)
            system = collector.pool.name(fields.name("model_id", required=True))
            text = fields.text("decoded", required=True)
            record = InstanceRecord(
                article,
                fields.references("references"),
                fields.text("text"),
                split=options.split or "",
                constituent=options.constituent or "",
                named_by_file=True,
            )
            judgments = read_criteria(collector, fields, criteria)
            if fields.faults:
                continue
            instance = collector.pool.share(record)
            if names := differing_fields(instance, record):
                fields.fault("id", f"an earlier line of this article has another {names[0]}")
                continue
            candidate = CandidateRecord(
                f"{article}/{system}", instance, text, system, **options.judgment_fields(judgments)
            )
            collector.add_candidate(candidate, file.name, line, "id", score_in_file=False)
    collector.note("The gold score is the mean of the experts' ratings.")
    collector.note(
        "The file does not name raters: e1 and c1 are the first rating of a summary, not a person."
    )
