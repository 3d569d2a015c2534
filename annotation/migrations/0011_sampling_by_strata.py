"""Draw the next waves by strata where they were drawn actively: that rule was removed.

Drawn waves keep their probabilities, and samplings that have ended the name of their rule.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def draw_by_strata(apps: Apps, schema_editor: BaseDatabaseSchemaEditor | None) -> None:
    samplings = apps.get_model("annotation", "StageSampling")._default_manager
    for sampling in samplings.filter(rule__name="active", ended_at=None).iterator():
        sampling.rule["name"] = "stratified"
        sampling.save(update_fields=["rule"])


class Migration(migrations.Migration):

    dependencies = [("annotation", "0010_no_second_looks")]

    operations = [migrations.RunPython(draw_by_strata, migrations.RunPython.noop)]
