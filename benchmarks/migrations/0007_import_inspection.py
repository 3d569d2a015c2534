"""What was understood of a file, before it is imported."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0006_words_and_both_bad")]
    operations = [
        migrations.AddField("setimport", "inspection", models.JSONField(null=True)),
    ]
