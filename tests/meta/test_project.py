"""What is shipped, and what is pinned."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pinned():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.lower().replace("_", "-").split("==") for line in lines if not line.startswith("#"))


def test_wheel_holds_the_package_only(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    tops = {name.split("/")[0] for name in names}
    assert tops == {"flinkpy_dagster", f"flinkpy_dagster-{PROJECT['version']}.dist-info"}
    assert "flinkpy_dagster/cli/main.py" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "License-Expression: Apache-2.0" in metadata


def test_every_requirement_is_pinned():
    extras = PROJECT["optional-dependencies"].values()
    wanted = [*PROJECT["dependencies"], *(requirement for extra in extras for requirement in extra)]
    names = {re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-") for requirement in wanted}
    assert names - set(pinned()) == set()


def test_constraints_name_versions_only():
    assert [version for version in pinned().values() if not re.fullmatch(r"[\w.+!-]+", version)] == []
