from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def delete_planned(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete second looks, and their stages that were never opened: these have no ratings."""
    for app, model, chosen in (
        ("benchmarks", "SecondLook", {}),
        ("annotation", "Stage", {"kind": "second-look", "status": "planned"}),
    ):
        apps.get_model(app, model)._default_manager.filter(**chosen).delete()
    # A table with pending checks of foreign keys cannot be altered.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0009_lasting_codes"),
        ("benchmarks", "0015_no_looks_at_judges"),
    ]

    operations = [
        migrations.RunPython(delete_planned, migrations.RunPython.noop),
        migrations.DeleteModel(name="SecondLookItem"),
        migrations.DeleteModel(name="SecondLook"),
    ]
