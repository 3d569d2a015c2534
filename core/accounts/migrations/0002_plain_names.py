from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_accounts")]

    operations = [
        migrations.RenameField("invitation", "standing", "site_role"),
        migrations.RenameField("apitoken", "shown", "prefix"),
    ]
