"""Members of studies, and studies that are published. Whoever made a study owns it."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def makers_own_their_studies(apps: Any, schema_editor: Any) -> None:
    Study = apps.get_model("annotation", "Study")
    StudyMember = apps.get_model("annotation", "StudyMember")
    StudyMember.objects.bulk_create(
        StudyMember(study_id=pk, user_id=owner, role="owner", since=created_at)
        for pk, owner, created_at in Study.objects.values_list("pk", "owner_id", "created_at")
    )


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_crowds"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="published_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="StudyMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "Viewer"), ("editor", "Editor"), ("owner", "Owner")],
                        max_length=10,
                    ),
                ),
                ("since", models.DateTimeField()),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="annotation.study",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="study_memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["since", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("study", "user"), name="one_role_each_on_a_study"
                    )
                ],
            },
        ),
        migrations.RunPython(makers_own_their_studies, migrations.RunPython.noop),
    ]
