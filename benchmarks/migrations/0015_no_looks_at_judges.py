from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_looks(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    judges: Any = apps.get_model("benchmarks", "ModelJudge")
    judges.objects.exclude(schedule=None).delete()
    # A table with pending checks of foreign keys cannot be altered.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0014_judges_by_servers_only")]

    operations = [
        migrations.RunPython(delete_looks, migrations.RunPython.noop),
        migrations.RemoveField(model_name="modeljudge", name="schedule"),
        migrations.RemoveField(model_name="modeljudge", name="drift"),
        migrations.DeleteModel(name="DriftSchedule"),
    ]
