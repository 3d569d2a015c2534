from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("annotation", "0009_lasting_codes")]

    operations = [migrations.DeleteModel(name="SecondLookCandidate")]
