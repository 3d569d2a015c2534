"""Judgment files as training and evaluation data: people's scores of candidate answers."""

from scorers.judgments.reading import FORMATS, read_judgments
from scorers.judgments.records import Judgment
from scorers.judgments.splitting import split_judgments

__all__ = ["FORMATS", "Judgment", "read_judgments", "split_judgments"]
