"""For how long ids are kept, and to which version of the consent text a worker agreed."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def tell_the_version(apps: Any, schema_editor: Any) -> None:
    """The version that was current when they agreed."""
    ProtocolVersion = apps.get_model("annotation", "ProtocolVersion")
    Participation = apps.get_model("annotation", "Participation")
    rows = Participation.objects.filter(consented_at__isnull=False).order_by("pk")
    for one in rows.iterator(chunk_size=1000):
        versions = ProtocolVersion.objects.filter(study=one.study_id).order_by("version")
        shown = versions.filter(created_at__lte=one.consented_at).last() or versions.first()
        Participation.objects.filter(pk=one.pk).update(consented_to=shown)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_sealed_identities")]
    operations = [
        migrations.AddField(
            "study",
            "identity_days",
            models.PositiveSmallIntegerField(
                blank=True,
                help_text="For how long after their last work workers' ids are kept.",
                null=True,
            ),
        ),
        migrations.AddField(
            "participation",
            "consented_to",
            models.ForeignKey(
                help_text="The protocol whose consent text they agreed to.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="consents",
                to="annotation.protocolversion",
            ),
        ),
        # A foreign key that is checked at the end would keep the table from being changed later.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RunPython(tell_the_version, migrations.RunPython.noop),
    ]
