from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_unfinished(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Judges by models on the site's own machines cannot go on; complete ones keep their scores."""
    judges = apps.get_model("benchmarks", "ModelJudge")._default_manager
    judges.filter(endpoint="").exclude(status="complete").delete()
    # A table with pending checks of foreign keys cannot be altered.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0013_reports_without_texts")]

    operations = [
        migrations.RunPython(delete_unfinished, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="modelanswer", name="model_answers_by_content"),
        migrations.RemoveField(model_name="modelanswer", name="content"),
    ]
