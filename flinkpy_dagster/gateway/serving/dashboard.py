"""Flink's own web dashboard, read out of the jar it comes in; nothing of it is copied anywhere."""

import mimetypes
import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath

from flinkpy_dagster.errors import ConfigurationError

_FOLDER = "web/"
_INDEX = "index.html"


class Dashboard:
    """The static files below ``web/`` in Flink's jar, by path."""

    def __init__(self, jar: zipfile.ZipFile):
        self._jar = jar
        self._names = {name for name in jar.namelist() if name.startswith(_FOLDER) and not name.endswith("/")}

    def file(self, path: str) -> tuple[bytes, str] | None:
        """Content and media type; None: there is no such file."""
        name = _FOLDER + (path.strip("/") or _INDEX)
        if name not in self._names:
            return None
        kind, _ = mimetypes.guess_type(PurePosixPath(name).name)
        return self._jar.read(name), kind or "application/octet-stream"


def open_dashboard(where: str) -> Dashboard:
    """``where``: a venv with apache-flink, the wheel of apache-flink(-libraries), or flink-dist's jar.

    Raises ConfigurationError if there is no dashboard.
    """
    for jar in _jars(Path(where).expanduser()):
        try:
            dashboard = Dashboard(zipfile.ZipFile(jar))
        except (zipfile.BadZipFile, OSError):
            continue
        if dashboard.file(_INDEX) is not None:
            return dashboard
    raise ConfigurationError(
        f"There is no web dashboard in '{where}': flinkpy.gateway.dashboard takes a venv with apache-flink, its wheel, "
        "or the jar flink-dist-*.jar."
    )


def _jars(path: Path) -> list[Path | BytesIO]:
    if path.is_dir():
        return [
            *sorted(path.glob("flink-*.jar")),
            *sorted(path.glob("lib/flink-dist-*.jar")),
            *sorted(path.glob("lib/python3*/site-packages/pyflink/lib/flink-dist-*.jar")),
        ]
    if path.suffix == ".whl" and path.is_file():
        with zipfile.ZipFile(path) as wheel:
            return [
                BytesIO(wheel.read(name))
                for name in wheel.namelist()
                if "/flink-dist-" in name and name.endswith(".jar")
            ]
    return [path]
