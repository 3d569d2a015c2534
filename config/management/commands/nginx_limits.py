"""`nginx_limits`: print the limits of request bodies for nginx."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.upload_limits import TABLE
from config.web.nginx import body_limits


class Command(BaseCommand):
    help = "Print nginx's limits of request bodies, the content of deploy/nginx/upload_limits.conf."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(body_limits(TABLE), ending="")
