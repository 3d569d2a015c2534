"""The container files and systemd units of deploy/."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.settings_reference import readings
from tests.deploy.proxy import DEPLOY

COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = {name: one for name, one in COMPOSE["services"].items() if one["image"] == "concord"}
UNITS = sorted((DEPLOY / "systemd").glob("concord-*"))
VARIABLES = {one.name for one in readings()}


def test_all_roles_run_one_image_with_few_rights() -> None:
    assert OURS.keys() == {"migrate", "web", "worker-light", "worker-encoder"}
    for service in OURS.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
    text = (DEPLOY / "container" / "Containerfile").read_text()
    assert text.index("\nUSER concord\n") > text.rindex("\nFROM ")


def test_settings_of_containers_and_units_exist() -> None:
    names = {name for one in OURS.values() for name in one["environment"]}
    files = "".join(path.read_text() for path in [DEPLOY / "concord.env", *UNITS])
    names |= set(re.findall(r"^#?([A-Z_]+)=", files, re.MULTILINE))
    assert len(names) > 8
    assert {name.removesuffix("_FILE") for name in names} <= VARIABLES


def test_no_secret_is_written_into_the_files() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service.get("environment", {}).items():
            if "PASS" in name or name.endswith("_URL"):
                assert "${" in value, name
    assert {path["file"] for path in COMPOSE["secrets"].values()} == {
        "./secrets/secret_key",
        "./secrets/identity_keys",
    }


def test_everything_waits_for_the_migrated_database() -> None:
    for name in OURS.keys() - {"migrate"}:
        waits = OURS[name]["depends_on"]
        assert waits == {"migrate": {"condition": "service_completed_successfully"}}
    assert "/readyz" in OURS["web"]["healthcheck"]["test"][-1]
    assert COMPOSE["services"]["proxy"]["network_mode"] == "service:web"


def test_mounted_files_exist() -> None:
    mounts = COMPOSE["services"]["proxy"]["volumes"]
    shipped = [one.split(":")[0] for one in mounts if one.startswith("./")]
    assert len(shipped) == 2
    assert all((DEPLOY / one).is_file() for one in shipped)


@pytest.fixture
def installed_units(tmp_path: Path) -> list[Path]:
    """The units, with this checkout in place of /opt/concord; a template's as instances."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    lines = []
    for unit in UNITS:
        text = unit.read_text().replace("/opt/concord/app", str(settings.BASE_DIR))
        text = text.replace("/opt/concord/venv", str(settings.BASE_DIR / ".venv"))
        path = tmp_path / unit.name.replace("@", "@light")
        path.write_text(text)
        lines.append(path)
    return lines


def test_systemd_understands_the_units(installed_units: list[Path]) -> None:
    names = {path.name for path in installed_units}
    assert {"concord-web.service", "concord-worker@light.service"} <= names
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, installed_units)],
        capture_output=True,
        text=True,
        env=os.environ | {"SYSTEMD_LOG_LEVEL": "warning"},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_units_are_confined(installed_units: list[Path]) -> None:
    for path in installed_units:
        if path.suffix != ".service":
            continue
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(path)],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout.splitlines()[-1]
