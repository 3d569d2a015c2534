"""Conversations in place of questions and passages."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0004_metric_run_is_a_job")]
    operations = [
        migrations.AddField("instance", "conversation", models.JSONField(null=True)),
    ]
