"""Move the freezings to the table of all jobs."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# The numbers go on after those of before, so that an old address shows no other freezing.
START = """
SELECT setval(pg_get_serial_sequence('jobs_job', 'id'), greatest(
    nextval(pg_get_serial_sequence('jobs_job', 'id')),
    (SELECT max(id) FROM benchmarks_freezing)));
"""
MOVE = """
INSERT INTO jobs_job (kind, by_id, target_type_id, target_id, parameters, done, total, result,
        status, reason, created_at, finished_at, attempt, lease_until, tries, sent_at)
    SELECT 'freezing', by_id, %s, study_id,
        jsonb_build_object('actor', actor, 'aggregation', aggregation, 'stages', stages,
            'name', name, 'is_preview', is_preview),
        steps, 2, jsonb_build_object('preview', preview, 'judgment_set', judgment_set_id),
        status, reason, created_at, finished_at, attempt, lease_until, tries, sent_at
    FROM benchmarks_freezing ORDER BY id
"""


def move(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    kinds = apps.get_model("contenttypes", "ContentType").objects
    study, _ = kinds.get_or_create(app_label="annotation", model="study")
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(START)
        cursor.execute(MOVE, [study.pk])


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0013_without_adaptive_pairs"),
        ("benchmarks", "0020_try_outs_as_jobs"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(move),
        migrations.DeleteModel("Freezing"),
        migrations.CreateModel(
            "Freezing",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("jobs.job",),
        ),
    ]
