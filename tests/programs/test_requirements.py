"""Requirements become a folder that workers import from: by pip, once for each content."""

import zipfile

import pytest

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.programs import requirements
from flinkpy_dagster.programs.python_code import PythonRequirements
from flinkpy_dagster.programs.requirements import content_hash, installed


@pytest.fixture
def given(tmp_path):
    """A requirements file, and a folder with its package, which no index is to be asked for."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "r.txt").write_text("tariff==2.0\n")
    with zipfile.ZipFile(tmp_path / "packages" / "tariff-2.0-py3-none-any.whl", "w") as wheel:
        about = "tariff-2.0.dist-info"
        wheel.writestr("tariff.py", "RATE = 2\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tariff\nVersion: 2.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return PythonRequirements(str(tmp_path / "r.txt"), str(tmp_path / "packages"))


def test_requirements_when_installed_then_the_folder_has_them_and_pip_is_not_asked_again(
    given, tmp_path, monkeypatch
):
    folder = installed(given, tmp_path / "cache")
    assert (folder / "tariff.py").read_text() == "RATE = 2\n"
    monkeypatch.setattr(requirements, "_install", None)
    assert installed(given, tmp_path / "cache") == folder


def test_requirements_when_pip_fails_then_its_reason_is_told_and_nothing_is_left(given, tmp_path):
    (tmp_path / "r.txt").write_text("nosuch==1\n")
    with pytest.raises(
        InvalidProgram, match=r"The packages of '.*r.txt' cannot be installed with .*nosuch==1"
    ):
        installed(given, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_content_when_an_included_file_or_a_package_has_changed_then_it_is_another(given, tmp_path):
    hashes = {content_hash(given), content_hash(PythonRequirements(given.file))}
    (tmp_path / "r.txt").write_text("-r more.txt\n")
    hashes.add(content_hash(given))
    for text in ("a", "b"):
        (tmp_path / "more.txt").write_text(text)
        hashes.add(content_hash(given))
    (tmp_path / "packages" / "other.whl").write_text("")
    hashes.add(content_hash(given))
    assert len(hashes) == 6
