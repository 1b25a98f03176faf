"""Zips with symbolic links (``zip -y``, a venv's ``bin/python``): Flink unpacks them, Hadoop makes files of the links.

What Spark unpacks must be a tar then. Source: Flink's ``CompressionUtils.extractZipFileWithPermissions``, Hadoop's
``FileUtil.unZip``.
"""

import io
import stat
import tarfile
import zipfile

ENDINGS = (".zip", ".jar", ".whl", ".egg")


def has_links(path: str) -> bool:
    """Is it a zip, and is one of its entries a symbolic link?"""
    if not path.endswith(ENDINGS) or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(map(_is_link, archive.infolist()))


def write_tar(path: str, target: str) -> None:
    """What is in the zip, as a tar: with its links and permissions."""
    with zipfile.ZipFile(path) as archive, tarfile.open(target, "w") as tar:
        for entry in archive.infolist():
            content = archive.read(entry)
            about = tarfile.TarInfo(entry.filename)
            about.mode = stat.S_IMODE(entry.external_attr >> 16) or (0o755 if entry.is_dir() else 0o644)
            if entry.is_dir():
                about.type = tarfile.DIRTYPE
            elif _is_link(entry):
                about.type, about.linkname = tarfile.SYMTYPE, content.decode()
            else:
                about.size = len(content)
            tar.addfile(about, io.BytesIO(content))


def _is_link(entry: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)
