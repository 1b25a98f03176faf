"""Is a checkpoint whole? Reading ``_metadata`` and the checksums of all files it refers to."""

import zlib
from collections.abc import Iterable

from flinkpy_dagster.errors import CorruptState
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.metadata import EpochMetadata, decoded
from flinkpy_dagster.state.refs import FileRef

METADATA = "_metadata"


def read_metadata(files: Files, path: str) -> EpochMetadata:
    """The metadata in a folder (absolute); raises CorruptState, and OSError if another machine does not answer."""
    try:
        return decoded(files.read(joined(path, METADATA)))
    except OSError as error:
        if not _is_final(files.of(path), error):
            raise
        raise CorruptState(path, f"its {METADATA} cannot be read ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptState(path, f"its {METADATA} makes no sense: {error}") from error


def verify(files: Files, folder: str, metadata: EpochMetadata, path: str) -> None:
    """Reads every file of an epoch once; raises CorruptState for the first that is not what was written.

    ``folder`` is what the files' paths are relative to, ``path`` names the checkpoint in the error. HDFS and object
    stores check their bytes themselves, and to read all from there would take long: of their files sizes are compared.
    """
    own = {file.path: file for file in metadata.files()}.values()
    if not files.of(folder).is_local:
        check_sizes(files.of(folder), folder, own, path)
        return
    for file in own:
        try:
            data = files.view(joined(folder, file.path))  # not all of it in memory at once
        except OSError as error:
            raise CorruptState(path, f"its file '{file.path}' cannot be read ({error})") from error
        if len(data) != file.bytes or zlib.crc32(data) != file.checksum:
            raise CorruptState(path, f"its file '{file.path}' is not what was written: its checksum is wrong")


def check_sizes(files: Files, folder: str, wanted: Iterable[FileRef], owner: str) -> None:
    """Raises CorruptState if a file is not there or has another size; ``owner``: the checkpoint that needs it.

    OSError if another machine does not answer.
    """
    by_path = {joined(folder, file.path): file for file in wanted}
    for path, size in files.sizes(by_path).items():
        file = by_path[path]
        if isinstance(size, OSError) and not _is_final(files, size):
            raise size
        if isinstance(size, OSError):
            raise CorruptState(owner, f"its file '{file.path}' cannot be read ({size})") from size
        if size != file.bytes:
            raise CorruptState(owner, f"its file '{file.path}' has {size} bytes, {file.bytes} were written")


def _is_final(files: Files, error: OSError) -> bool:
    """Is a file damaged? A disk that cannot read it will not; a network may next time, and nothing must be given up."""
    return files.is_local or isinstance(error, FileNotFoundError)
