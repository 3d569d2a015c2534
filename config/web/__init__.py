"""The web server: gunicorn, with workers that are patient only where it costs nothing."""
