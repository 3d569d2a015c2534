"""The documentation: its pages, what builds them and what draws their pictures."""
