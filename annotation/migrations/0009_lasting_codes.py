"""Store completion codes, which were derived from SECRET_KEY and changed with it, and remove the
texts about people from the audit log, which erasing could not remove."""

import base64
import hashlib
import hmac

from django.conf import settings
from django.db import migrations, models
from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import annotation.rating.models.people


def derived_code(label: str, text: str, key: str) -> str:
    """The code of release 0.2.0 of a participation or a publication."""
    digest = hmac.new(f"concord {label} {key}".encode(), text.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode()[:10]


def store_codes(apps: Apps, schema_editor: BaseDatabaseSchemaEditor | None) -> None:
    for model, label, field in (
        ("Participation", "completion code", "pk"),
        ("Publication", "crowd code", "uid"),
    ):
        rows = apps.get_model("annotation", model)._default_manager
        batch = []
        for row in rows.only("pk", field).iterator(2000):
            row.completion_code = derived_code(
                label, str(getattr(row, field)), settings.SECRET_KEY
            )
            batch.append(row)
            if len(batch) == 2000:
                rows.bulk_update(batch, ["completion_code"])
                batch = []
        rows.bulk_update(batch, ["completion_code"])


REMOVE_TEXTS = """
ALTER TABLE audit_auditevent DISABLE TRIGGER rows_stay;
UPDATE audit_auditevent SET after = after - '{reason,feedback,note}'::text[]
    WHERE action IN ('worker.excluded', 'ledger.step added')
    OR action IN ('work.approved', 'work.rejected', 'work.given a bonus');
ALTER TABLE audit_auditevent ENABLE TRIGGER rows_stay;
"""
EMPTY = models.CharField(default="", max_length=10)
NEW = models.CharField(
    default=annotation.rating.models.people.new_completion_code, max_length=10
)
NEW_OF_CROWD = models.CharField(
    default=annotation.rating.models.people.new_completion_code,
    help_text="The code of a platform with one code for all participants.",
    max_length=10,
)


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0008_candidates_of_imports"),
        ("audit", "0001_initial"),
    ]

    operations = [
        migrations.AddField("participation", "completion_code", EMPTY),
        migrations.AddField("publication", "completion_code", EMPTY),
        migrations.RunPython(store_codes, migrations.RunPython.noop),
        migrations.AlterField("participation", "completion_code", NEW),
        migrations.AlterField("publication", "completion_code", NEW_OF_CROWD),
        migrations.RunSQL(REMOVE_TEXTS, migrations.RunSQL.noop),
    ]
