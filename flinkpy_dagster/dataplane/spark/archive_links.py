"""Archives with symbolic links (``zip -y``, a venv's ``bin/python``): Flink unpacks them.

Hadoop, which Spark uses, makes files of the links in a zip. It refuses a tar with a link that leads out of it, and
leaves out the permissions in a tar. A SparkContext that was given a tar it refuses is lost: whatever its executors
run, they try to unpack it before.
Source: Flink's ``CompressionUtils``, Hadoop's ``FileUtil``.
"""

import os
import stat
import tarfile
import zipfile
from pathlib import Path

from flinkpy_dagster.errors import InvalidProgram

ZIPS = (".zip", ".jar", ".whl", ".egg")
TARS = (".tar", ".tar.gz", ".tgz")


def check_links(path: str) -> None:
    """Raises InvalidProgram for a tar with a link that would lead elsewhere."""
    if not path.endswith(TARS):
        return
    with tarfile.open(path) as archive:
        for entry in archive:
            if entry.issym() and _is_broken(entry):
                raise InvalidProgram(
                    f"Python archive '{path}' has a link '{entry.name}' to '{entry.linkname}', which Hadoop does not "
                    "unpack from a tar: make a zip of the folder (zip -r), which has the file itself."
                )


def _is_broken(entry: tarfile.TarInfo) -> bool:
    """Hadoop takes links from the root of the archive, whatever folder they are in."""
    is_at_the_root = os.path.dirname(os.path.normpath(entry.name)) == ""
    return not is_at_the_root or os.path.isabs(entry.linkname) or entry.linkname.startswith("..")


def check_runs(path: str, executable: str) -> None:
    """Raises InvalidProgram if nothing that is unpacked from the archive may be executed."""
    if path.endswith(TARS):
        raise InvalidProgram(
            f"The Python '{executable}' is in '{path}', and Hadoop unpacks no permission to run from a tar: make a "
            "zip of the folder (zip -r)."
        )


def has_links(path: str) -> bool:
    """Is it a zip, and is one of its entries a symbolic link?"""
    if not path.endswith(ZIPS) or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(map(_is_link, archive.infolist()))


def write_without_links(path: str, target: str) -> None:
    """The zip as ``zip -r`` would have made it: what a link names is there itself. Raises InvalidProgram."""
    with (
        zipfile.ZipFile(path) as archive,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as whole,
    ):
        for entry in archive.infolist():
            for name, mode, content in _resolved(path, archive, entry):
                about = zipfile.ZipInfo(name)
                about.create_system, about.external_attr = 3, mode << 16  # 3: of Unix
                about.compress_type = zipfile.ZIP_DEFLATED
                whole.writestr(about, content)


def _resolved(path: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> list[tuple[str, int, bytes]]:
    """Names, modes and contents of what is to be in the place of an entry."""
    name, found, link = entry.filename, entry, ""
    for _ in range(len(archive.filelist)):  # a link may name another one
        if not _is_link(found):
            return [(name, found.external_attr >> 16, archive.read(found))]
        link = archive.read(found).decode()
        if os.path.isabs(link) and os.path.isfile(link):
            return [(name, os.stat(link).st_mode, Path(link).read_bytes())]
        place = os.path.normpath(os.path.join(os.path.dirname(found.filename), link))
        below = [each for each in archive.infolist() if each.filename.startswith(f"{place}/")]
        if below and not any(map(_is_link, below)):
            return [
                (name + each.filename[len(place) :], each.external_attr >> 16, archive.read(each))
                for each in below
            ]
        if place not in archive.NameToInfo:
            break
        found = archive.NameToInfo[place]
    raise InvalidProgram(
        f"Python archive '{path}' has a link '{name}' to '{link}', which is not there: leave it out, or "
        "pack what it names."
    )


def _is_link(entry: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)
