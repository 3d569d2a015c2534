"""The web server: settings of gunicorn, its log, and the addresses on which it may listen."""
