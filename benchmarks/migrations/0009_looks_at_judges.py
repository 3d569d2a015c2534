"""Judges asked again about the same candidates, on a schedule."""

import django.db.models.deletion
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0008_hidden_faults")]
    operations = [
        migrations.CreateModel(
            name="DriftSchedule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "judge",
                    models.ForeignKey(
                        "benchmarks.modeljudge",
                        django.db.models.deletion.CASCADE,
                        related_name="schedules",
                    ),
                ),
                (
                    "every",
                    models.CharField(choices=[("day", "Day"), ("week", "Week")], max_length=4),
                ),
                ("n_looks", models.PositiveSmallIntegerField()),
                ("positions", ArrayField(models.PositiveIntegerField())),
                ("sealed_key", models.TextField(blank=True)),
                ("max_tokens", models.PositiveBigIntegerField()),
                ("max_cost", models.FloatField(null=True)),
                ("look_prompt", models.PositiveBigIntegerField(default=0)),
                ("look_completion", models.PositiveBigIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("next_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("reason", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["judge"],
                        condition=models.Q(ended_at=None),
                        name="one_active_schedule_of_a_judge",
                    )
                ],
            },
        ),
        migrations.AddField(
            "modeljudge",
            "schedule",
            models.ForeignKey(
                "benchmarks.driftschedule",
                django.db.models.deletion.CASCADE,
                editable=False,
                null=True,
                related_name="looks",
            ),
        ),
        migrations.AddField("modeljudge", "drift", models.JSONField(null=True)),
    ]
