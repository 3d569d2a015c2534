"""Store the keys of pseudonyms, which were derived from SECRET_KEY and changed with it."""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import migrations, models
from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def derived_key(name: str, key: str) -> str:
    """The key of release 0.2.0 of the set of this name."""
    info = f"concord pseudonyms of {name}".encode()
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(key.encode()).hex()


def store_keys(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    sets = apps.get_model("benchmarks", "JudgmentSet")._default_manager
    for name in set(sets.values_list("name", flat=True)):
        sets.filter(name=name).update(pseudonym_key=derived_key(name, settings.SECRET_KEY))


TEXT = "Key of the raters' pseudonyms, the same in all versions."


class Migration(migrations.Migration):

    dependencies = [("benchmarks", "0011_aligned_judges")]

    operations = [
        migrations.AddField(
            "judgmentset",
            "pseudonym_key",
            models.CharField(default="", help_text=TEXT, max_length=64),
        ),
        migrations.RunPython(store_keys, migrations.RunPython.noop),
        migrations.AlterField(
            "judgmentset", "pseudonym_key", models.CharField(help_text=TEXT, max_length=64)
        ),
    ]
