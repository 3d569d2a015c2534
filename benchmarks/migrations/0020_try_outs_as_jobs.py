"""Move the try-outs to the table of all jobs."""

from django.db import migrations

# The numbers go on after those of before, so that an old address shows no other try-out.
MOVE = """
SELECT setval(pg_get_serial_sequence('jobs_job', 'id'), greatest(
    nextval(pg_get_serial_sequence('jobs_job', 'id')),
    (SELECT max(id) FROM benchmarks_tryout)));
INSERT INTO jobs_job (kind, by_id, parameters, done, total, result, status, reason, created_at,
        finished_at, attempt, lease_until, tries, sent_at)
    SELECT 'tryout', by_id, jsonb_build_object('texts', texts, 'metrics', metrics),
        jsonb_array_length(scores), jsonb_array_length(metrics),
        jsonb_build_object('scores', scores, 'weights', weights), status, reason, created_at,
        finished_at, attempt, lease_until, tries, sent_at
    FROM benchmarks_tryout ORDER BY id;
"""


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0019_remove_trainings"), ("jobs", "0001_initial")]

    operations = [
        migrations.RunSQL(MOVE),
        migrations.DeleteModel("TryOut"),
        migrations.CreateModel(
            "TryOut",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("jobs.job",),
        ),
    ]
