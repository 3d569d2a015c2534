"""Call an import's parameters by that name."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0015_open_chunks_of_a_run")]

    operations = [
        migrations.RenameField(model_name="setimport", old_name="given", new_name="parameters"),
    ]
