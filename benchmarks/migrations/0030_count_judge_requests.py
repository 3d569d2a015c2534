from typing import Any

from django.db import migrations
from django.db.models import F, OuterRef, Subquery


def count_requests(apps: Any, schema_editor: Any) -> None:
    """Count what the judges of before ask: each repeat is about every candidate.

    The tokens of their prompts are counted when a quote is first read (`drafts.quote`).
    """
    JudgmentSet = apps.get_model("benchmarks", "JudgmentSet")
    candidates = JudgmentSet.objects.filter(pk=OuterRef("judgment_set")).values("n_candidates")
    apps.get_model("benchmarks", "ModelJudge").objects.filter(n_requests=0).update(
        n_requests=F("repeats") * Subquery(candidates[:1])
    )


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0029_judge_questions")]

    operations = [migrations.RunPython(count_requests, migrations.RunPython.noop)]
