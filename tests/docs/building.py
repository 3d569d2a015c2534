"""The built documentation, for tests."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.documentation import BUILT


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder of the built documentation; builds what changed."""
    command = [sys.executable, "-m", "docs"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return BUILT
