from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    """Judgment sets, metric runs, statistics, leaderboards."""

    name = "benchmarks"

    def ready(self) -> None:
        from benchmarks.analyses import kinds
        from benchmarks.analyses.registry import register
        from benchmarks.checkpoints.services import folder_of
        from benchmarks.freezing.services import study_deletion
        from benchmarks.sets.services import announcing, importing, members
        from benchmarks.submissions.services.carrying import carry_submissions
        from scorers.learned.checkpoint import add_finder

        announcing.register()
        register(*kinds.ALL)
        members.register()
        study_deletion.register()
        importing.on_next_version(carry_submissions)
        add_finder(folder_of)
