"""Policies: whether agreement, judges, metrics and systems reach the bounds that a file states.

A rule holds where the whole 95% interval of its figure is at or above its bound, falls short where
the whole interval is below it, and has not enough evidence otherwise. This module imports nothing,
because pytest imports the plugin in every run.
"""
