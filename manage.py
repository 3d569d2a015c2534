#!/usr/bin/env python
"""Concord's commands. Those that use a server start the embedded ones or join them."""

import os
import sys

SERVERLESS = {
    "check",
    "collectstatic",
    "help",
    "nginx_limits",
    "settings_reference",
    "startapp",
    "version",
    "--help",
}


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        import django
        from django.conf import settings
        from django.core.management import execute_from_command_line
    except ImportError as error:
        print(f"{error}: run `make setup`, then .venv/bin/python manage.py ...", file=sys.stderr)
        return 1
    from config import embedded
    from core.audit.actors import Actor, acting_as
    from core.processes import permanent_imports

    asks_for_help = {"-h", "--help"} & set(sys.argv)
    needs_servers = len(sys.argv) > 1 and sys.argv[1] not in SERVERLESS and not asks_for_help
    if settings.EMBEDDED and needs_servers:
        try:
            embedded.ensure(settings.EMBEDDED_PATHS)
        except embedded.EmbeddedError as error:
            print(error, file=sys.stderr)
            return 1
    try:
        with acting_as(Actor.command(" ".join(sys.argv[1:2]))):
            with permanent_imports():
                django.setup()
            execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        return 130
    finally:
        embedded.leave(settings.EMBEDDED_PATHS)
    return 0


if __name__ == "__main__":
    from concord.pipes import run_to_pipe

    sys.exit(run_to_pipe(main))
