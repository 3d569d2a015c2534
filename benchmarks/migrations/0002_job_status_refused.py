"""Jobs may end as refused: their data do not suffice."""

from django.db import migrations, models

STATUSES = [
    ("queued", "Queued"),
    ("running", "Running"),
    ("complete", "Complete"),
    ("failed", "Failed"),
    ("refused", "not enough data"),
    ("cancelled", "Cancelled"),
]
JOBS = ("analysis", "freezing", "modeljudge", "setimport", "training", "tryout", "wordweights")


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0001_initial")]
    operations = [
        migrations.AlterField(
            job,
            "status",
            models.CharField(choices=STATUSES, default="queued", max_length=10),
        )
        for job in JOBS
    ]
