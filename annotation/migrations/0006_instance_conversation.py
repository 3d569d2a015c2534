"""Conversations in place of questions and passages."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_open_hits_in_order")]
    operations = [
        migrations.AddField("studyinstance", "conversation", models.JSONField(null=True)),
    ]
