"""How many problems of a rejected file are not listed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0007_import_inspection")]
    operations = [
        migrations.AddField("setimport", "hidden_faults", models.PositiveIntegerField(default=0)),
    ]
