"""Log lines: which request or job each belongs to, their formats, and what they leave out."""
