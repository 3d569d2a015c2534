"""The time at which a stage was paused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_signed_links_only")]

    operations = [
        migrations.AddField("stage", "paused_at", models.DateTimeField(null=True)),
    ]
