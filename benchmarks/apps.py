from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    """Judgment sets, metric runs, statistics, leaderboards."""

    name = "benchmarks"

    def ready(self) -> None:
        from benchmarks.freezing.services import study_deletion
        from benchmarks.sets.services import announcing, members
        from benchmarks.trainings.services import folder_of
        from scorers.learned.checkpoint import add_finder

        announcing.register()
        members.register()
        study_deletion.register()
        add_finder(folder_of)
