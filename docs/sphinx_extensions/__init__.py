"""Directives and roles that Concord's documentation needs of Sphinx."""
