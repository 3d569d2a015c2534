"""Remove the reasons for disagreements, and the word importance of single candidates."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0016_no_second_looks")]

    operations = [
        migrations.DeleteModel("DisagreementTag"),
        migrations.DeleteModel("WordWeights"),
    ]
