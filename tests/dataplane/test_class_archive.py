"""The archive of Spark's classes: where it is, who uses it, and who may make it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flinkpy_dagster.cli.main import main
from flinkpy_dagster.dataplane.spark.class_archive import class_archive, use_options

SESSION = """
from pathlib import Path
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.session import spark_session
session = spark_session(Configuration.from_dict({"spark.master": "local[1]"}))
maps = Path(f"/proc/{session.sparkContext._gateway.proc.pid}/maps").read_text()
print({line.split()[-1] for line in maps.splitlines() if ".jsa" in line and "flinkpy" in line})
"""


def java_of(folder: Path, release: str) -> str:
    """A Java installation as far as the archive's name goes."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "bin" / "java").touch()
    (folder / "release").write_text(release)
    return str(folder / "bin" / "java")


def test_archive_is_that_of_the_environment_the_java_and_its_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    first = class_archive(java_of(tmp_path / "java", "17.0.1"))
    assert first.parent == tmp_path / "env" / "share" / "flinkpy"
    assert class_archive(java_of(tmp_path / "java", "17.0.1")) == first
    assert class_archive(java_of(tmp_path / "java", "17.0.2")) != first
    assert class_archive(java_of(tmp_path / "other", "17.0.1")) != first


def test_driver_when_there_is_no_archive_then_it_gets_no_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    java = java_of(tmp_path / "java", "17")
    assert use_options(java) == []
    class_archive(java).parent.mkdir(parents=True)
    class_archive(java).touch()
    assert f'-XX:SharedArchiveFile="{class_archive(java)}"' in use_options(java)


def test_archive_when_the_environment_is_not_ours_to_write_then_it_says_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "share").touch()  # for root, too, no folder
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert main(["class-archive"]) == 1
    assert "cannot be written (Not a directory)" in capsys.readouterr().err


@pytest.mark.spark
@pytest.mark.slow
def test_archive_when_made_then_drivers_map_it_and_say_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["class-archive", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert Path(made["path"]).stat().st_size == made["bytes"] > 10**8
    done = subprocess.run([sys.executable, "-c", SESSION], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str({made["path"]}), "")
