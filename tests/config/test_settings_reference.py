"""docs/reference/settings.md agrees with the code."""

from __future__ import annotations

import re

from django.conf import settings

from config import settings_reference


def test_the_page_is_up_to_date() -> None:
    page = (settings.BASE_DIR / "docs" / "reference" / "settings.md").read_text()
    again = "manage.py settings_reference > docs/reference/settings.md"
    assert page == settings_reference.reference(), again


def test_every_variable_is_described_once() -> None:
    readings = settings_reference.readings()
    described = [one for one in readings if one.help]
    names = [one.name for one in described]
    assert len(names) == len(set(names)) > 50
    assert {one.name for one in readings} == set(names)
    for one in described:
        assert one.section and one.help.endswith("."), one


def test_a_variable_that_is_read_twice_has_one_default() -> None:
    readings = settings_reference.readings()
    for one in readings:
        assert {other.default for other in readings if other.name == one.name} == {one.default}


def test_no_other_file_reads_the_environment_by_environs() -> None:
    readers = {
        str(path.relative_to(settings.BASE_DIR))
        for folder in ("config", "core", "annotation", "benchmarks")
        for path in (settings.BASE_DIR / folder).rglob("*.py")
        if re.search(r"Env\(", path.read_text())
    }
    assert readers == set(settings_reference.FILES)


def test_types_and_defaults_are_those_of_the_settings() -> None:
    settings_by_name = {one.name: (one.kind, one.default) for one in settings_reference.readings()}
    assert settings_by_name["UPLOAD_MAX_BYTES"] == ("whole number", str(512 * 1024 * 1024))
    assert settings_by_name["ALLOWED_HOSTS"] == (
        "texts, comma-separated",
        "127.0.0.1,localhost,[::1]",
    )
    assert settings_by_name["OPEN_SIGN_UP"] == ("true or false", "false")
    assert settings_by_name["RATE_LIMIT_SIGN_IN"] == ("text", "10/15m")
    assert settings_by_name["CONCORD_VAR"] == ("text", "")
    assert settings_by_name["WEB_WORKERS"] == ("whole number", "2")
