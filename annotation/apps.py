from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Rating studies: protocols, HITs, assignments, ratings, quality control."""

    name = "annotation"

    def ready(self) -> None:
        from annotation.studies.services import announcing, members

        announcing.register()
        members.register()
