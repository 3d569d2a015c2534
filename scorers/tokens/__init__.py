"""Tokenisers: from a raw text to the string whose words a metric counts."""
