"""Health checks and Prometheus metrics of a running site."""
