"""Tokenisers: functions from a raw text to a string of words separated by spaces."""
