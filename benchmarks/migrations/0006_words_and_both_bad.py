"""Scales of words, and choices whose worker said that both answers are bad."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0005_instance_conversation")]
    operations = [
        migrations.AddField("criterion", "words", models.JSONField(null=True)),
        migrations.AddField(
            "judgmentset",
            "words",
            models.JSONField(
                blank=True, help_text="Of ratings in words: their scale.", null=True
            ),
        ),
        migrations.AddField(
            "pairchoice", "is_both_bad", models.BooleanField(default=False)
        ),
        migrations.AddConstraint(
            "pairchoice",
            models.CheckConstraint(
                condition=models.Q(("is_both_bad", False), ("choice", 0), _connector="OR"),
                name="both_bad_is_a_tie",
            ),
        ),
    ]
