"""What a study does with a crowd: publish, let workers in, reconcile, review, keep the books."""
