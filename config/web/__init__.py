"""The web server: gunicorn's settings, its access log, and which addresses it may listen on."""
