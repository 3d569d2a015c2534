from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Bucket",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("arrival", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunSQL(
            "ALTER TABLE security_bucket SET UNLOGGED", "ALTER TABLE security_bucket SET LOGGED"
        ),
    ]
