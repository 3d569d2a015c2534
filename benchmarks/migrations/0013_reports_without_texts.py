"""Remove what was written about raters from the reports of frozen sets: reasons and notes."""

from typing import Any

from django.db import migrations
from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def without_texts(study: dict[str, Any]) -> dict[str, Any]:
    def cleaned(step: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in step.items() if name not in ("reason", "note")}

    steps = [cleaned(row) | {"step": cleaned(row["step"])} for row in study["ledger_steps"]]
    return study | {"ledger": [cleaned(step) for step in study["ledger"]], "ledger_steps": steps}


def remove_texts(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    sets = apps.get_model("benchmarks", "JudgmentSet")._default_manager
    for row in sets.only("report").iterator():
        report = dict(row.report)
        if "study" in report:
            report["study"] = without_texts(report["study"])
        if "pair_studies" in report:
            report["pair_studies"] = {
                slug: pairs | {"study": without_texts(pairs["study"])}
                for slug, pairs in report["pair_studies"].items()
            }
        if report != row.report:
            sets.filter(pk=row.pk).update(report=report)


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0012_pseudonym_keys")]

    operations = [migrations.RunPython(remove_texts, migrations.RunPython.noop)]
