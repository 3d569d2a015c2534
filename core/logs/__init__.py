"""Logging: the formats of lines, the request or job of each line, and redaction of secrets."""
