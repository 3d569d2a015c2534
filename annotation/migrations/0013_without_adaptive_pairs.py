"""Remove adaptive pairs.

Stages that were opened keep the pairs that were chosen. Where none was opened, the pairs of the
first batch are removed: saving the protocol makes the balanced ones.
"""

from django.db import migrations
from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def make_balanced(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    versions = apps.get_model("annotation", "ProtocolVersion")._default_manager
    units = apps.get_model("annotation", "StudyCandidate")._default_manager
    stages = apps.get_model("annotation", "Stage")._default_manager
    opened = stages.exclude(status="planned").values("study")
    for row in versions.filter(content__pairs__has_key="batch").iterator():
        pairs = row.content["pairs"]
        del pairs["batch"]
        if pairs["design"] == "adaptive":
            pairs["design"] = "balanced"
            of_study = units.filter(study=row.study_id, parts__isnull=False, use="rated")
            of_study.exclude(study__in=opened).delete()
        row.save(update_fields=["content"])


class Migration(migrations.Migration):

    dependencies = [("annotation", "0012_without_batch_files")]

    operations = [
        migrations.RunPython(make_balanced, migrations.RunPython.noop),
        migrations.DeleteModel("PairBatch"),
    ]
