"""Members of judgment sets, and sets that are published.

Every set that was there could be seen by everybody and stays public. Those that were frozen from a
study get the study's maker as their owner; of the others administrators say who owns them.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F


def what_was_public_stays_public(apps: Any, schema_editor: Any) -> None:
    apps.get_model("benchmarks", "JudgmentSet").objects.update(published_at=F("created_at"))


def makers_of_studies_own_their_sets(apps: Any, schema_editor: Any) -> None:
    JudgmentSet = apps.get_model("benchmarks", "JudgmentSet")
    SetMember = apps.get_model("benchmarks", "SetMember")
    owners = dict(apps.get_model("annotation", "Study").objects.values_list("slug", "owner_id"))
    frozen = JudgmentSet.objects.filter(source_format="study").order_by("name", "version")
    seen = set()
    rows = frozen.values_list("name", "report__study__slug", "created_at")
    for name, slug, created_at in rows.iterator():
        if name not in seen and slug in owners:
            SetMember.objects.create(
                set_name=name, user_id=owners[slug], role="owner", since=created_at
            )
            seen.add(name)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_members"),
        ("benchmarks", "0005_disagreement_tags"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="judgmentset",
            name="published_at",
            field=models.DateTimeField(
                blank=True,
                help_text="Since when anybody may see it; None: members of its name alone.",
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="SetMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("set_name", models.CharField(max_length=80)),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("editor", "Editor"), ("owner", "Owner")],
                        max_length=10,
                    ),
                ),
                ("since", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="set_memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["since", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("set_name", "user"), name="one_role_each_on_a_set"
                    )
                ],
            },
        ),
        migrations.RunPython(what_was_public_stays_public, migrations.RunPython.noop),
        migrations.RunPython(makers_of_studies_own_their_sets, migrations.RunPython.noop),
    ]
