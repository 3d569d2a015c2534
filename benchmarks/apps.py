from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    """Judgment sets, metric runs, statistics, leaderboards."""

    name = "benchmarks"
