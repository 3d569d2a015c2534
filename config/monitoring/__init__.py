"""What machines ask of a running site: whether it answers, whether it is ready, its metrics."""
