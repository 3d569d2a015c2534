"""Versions of judges that were made of disagreements on the train part."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0010_juries")]
    operations = [
        migrations.AddField("modeljudge", "aligned", models.BooleanField(default=False)),
    ]
