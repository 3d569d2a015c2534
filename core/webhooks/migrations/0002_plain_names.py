from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_webhooks")]

    operations = [
        migrations.RenameField("webhook", "given_up", "consecutive_failures"),
        migrations.AlterField(
            "webhook",
            "consecutive_failures",
            models.PositiveSmallIntegerField(
                default=0,
                help_text="Messages in a row that could not be delivered, since the last success.",
            ),
        ),
    ]
