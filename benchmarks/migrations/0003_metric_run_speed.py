"""The speed of a metric alone, measured with a run."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0002_job_status_refused")]
    operations = [
        migrations.AddField(
            "metricrun",
            "items_per_second",
            models.FloatField(
                null=True,
                help_text="Speed of the metric alone, without start-up; see scorers.speed.",
            ),
        ),
    ]
