"""A process of the site starts without libraries that only some requests and jobs need."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("pandas", "pyarrow", "scipy.stats", "sklearn", "torch", "transformers", "boto3")


def test_the_urls_import_no_heavy_library() -> None:
    code = (
        "import sys, django; django.setup()\n"
        "from django.urls import get_resolver; get_resolver().url_patterns\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
