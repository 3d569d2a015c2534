"""The operator's own name, logo and accent colour."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from environs import ValidationError

from core.pages.branding import check_logo
from core.pages.contrast import BACKGROUNDS, check_accent, contrast

LIGHT, DARK = "#6b2fa0", "#c9a2f2"


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#777777") == pytest.approx(4.48, abs=0.005)
    assert contrast("#abcdef", "#abcdef") == 1


def test_the_backgrounds_are_those_of_the_style_sheet() -> None:
    css = Path("core/pages/static/concord/concord.css").read_text()
    found = [re.findall(rf"--{name}: light-dark\((.+), (.+)\)", css)[0] for name in
             ("paper", "raised", "tint")]  # fmt: skip
    assert dict(zip(("light", "dark"), zip(*found, strict=True), strict=True)) == BACKGROUNDS


@pytest.mark.parametrize(
    ("colours", "message"),
    [
        (["#6b2fa0"], "two colours"),
        (["purple", "#c9a2f2"], "two colours"),
        (["#c9a2f2", "#c9a2f2"], "cannot be read on light pages.*darker"),
        (["#6b2fa0", "#6b2fa0"], "cannot be read on dark pages.*lighter"),
    ],
)
def test_colours_that_cannot_be_read_are_refused(colours: list[str], message: str) -> None:
    check_accent([])
    check_accent([LIGHT, DARK])
    with pytest.raises(ValidationError, match=message):
        check_accent(colours)


def test_a_site_does_not_start_with_such_a_colour() -> None:
    environment = {**os.environ, "SITE_ACCENT": "#ffff00,#c9a2f2"}
    code = "import config.settings"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode and b"#ffff00 cannot be read on light pages" in done.stderr


def test_a_logo_is_an_image_of_a_bounded_size(tmp_path: Path) -> None:
    check_logo("")
    path = tmp_path / "logo.svg"
    with pytest.raises(ValidationError, match="cannot be read"):
        check_logo(str(path))
    path.write_bytes(b"x" * 200_001)
    with pytest.raises(ValidationError, match="200,001 bytes"):
        check_logo(str(path))
    with pytest.raises(ValidationError, match="is no"):
        check_logo("logo.exe")


@pytest.mark.django_db
def test_pages_have_the_operators_name_logo_and_colours(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    plain = client.get("/").content.decode()
    assert "site/colours.css" not in plain and "<img" not in plain.split("</header>")[0]
    path = tmp_path / "logo.svg"
    path.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    settings.SITE_NAME, settings.SITE_LOGO = "Harbour Lab", str(path)
    settings.SITE_ACCENT = [LIGHT, DARK]
    page = client.get("/").content.decode()
    assert 'alt="Harbour Lab"' in page and "Harbour Lab</title>" in page
    address = re.findall(r'href="(/site/colours\.css\?\w+)"', page)[0]
    assert f"--link: light-dark({LIGHT}, {DARK})" in client.get(address).content.decode()
    response = client.get("/site/logo")
    assert response.content == path.read_bytes()
    assert response["Content-Type"] == "image/svg+xml"
