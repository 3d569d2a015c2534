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


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [
        migrations.AlterField(
            "candidateimport",
            "status",
            models.CharField(choices=STATUSES, default="queued", max_length=10),
        ),
    ]
