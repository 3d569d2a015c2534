"""A metric run has the columns of a job, with its choices and texts."""

from django.db import migrations, models

STATUSES = [
    ("queued", "Queued"),
    ("running", "Running"),
    ("complete", "Complete"),
    ("failed", "Failed"),
    ("refused", "not enough data"),
    ("cancelled", "Cancelled"),
]


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0003_metric_run_speed")]
    operations = [
        migrations.AlterField(
            "metricrun",
            "status",
            models.CharField(choices=STATUSES, default="queued", max_length=10),
        ),
        migrations.AlterField(
            "metricrun",
            "reason",
            models.TextField(blank=True, help_text="Why it failed, for people."),
        ),
    ]
