"""Is a checkpoint whole? Reading ``_metadata`` and the checksums of all files it refers to."""

import zlib

from flinkpy_dagster.errors import CorruptState
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.metadata import EpochMetadata, decoded

METADATA = "_metadata"


def read_metadata(files: Files, path: str) -> EpochMetadata:
    """The metadata in a folder (absolute); raises CorruptState."""
    try:
        return decoded(files.read(joined(path, METADATA)))
    except OSError as error:
        raise CorruptState(path, f"its {METADATA} cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptState(path, f"its {METADATA} makes no sense: {error}") from error


def verify(files: Files, folder: str, metadata: EpochMetadata, path: str) -> None:
    """Reads every file of an epoch once; raises CorruptState for the first that is not what was written.

    ``folder`` is what the files' paths are relative to, ``path`` names the checkpoint in the error.
    """
    for file in {file.path: file for file in metadata.files()}.values():
        try:
            data = files.view(joined(folder, file.path))  # not all of it in memory at once
        except OSError as error:
            raise CorruptState(path, f"its file '{file.path}' cannot be read ({error})") from error
        if len(data) != file.bytes or zlib.crc32(data) != file.checksum:
            raise CorruptState(path, f"its file '{file.path}' is not what was written: its checksum is wrong")
