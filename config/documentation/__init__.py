"""The documentation: Markdown in docs/, rendered when a page is asked for, or into files by
`python -m docs`."""
