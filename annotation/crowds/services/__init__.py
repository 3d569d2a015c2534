"""A study's crowd: publish, admit workers, reconcile, review and compare payments."""
