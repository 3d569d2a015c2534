from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    """Judgment sets, metric runs, statistics, leaderboards."""

    name = "benchmarks"

    def ready(self) -> None:
        from benchmarks.services import announcing, members
        from benchmarks.services.trainings import folder_of
        from scorers.learned.checkpoint import add_finder

        announcing.register()
        members.register()
        add_finder(folder_of)
