from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Rating studies: protocols, HITs, assignments, ratings, quality control."""

    name = "annotation"

    def ready(self) -> None:
        from annotation.crowds.services import sessions
        from annotation.rating.services import session_ends
        from annotation.studies.services import announcing, members

        announcing.register()
        members.register()
        session_ends.register(sessions.enrol, sessions.tasks_of, sessions.end)
