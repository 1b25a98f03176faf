"""What jobs have written on another file system, seen from outside."""

import io
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import parquet

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.state.storage.schemes import SchemeFiles, files_of


@dataclass
class Storage:
    """A folder of a file system, and the options that lead there."""

    root: str
    options: dict[str, str]

    @property
    def files(self) -> SchemeFiles:
        return files_of(Configuration.from_dict(self.options))

    def below(self, folder: str) -> list[str]:
        """Paths of all visible files below a folder."""
        found = []
        for name in self.files.names(folder):
            path = f"{folder}/{name}"
            found += [path] if name.startswith("part-") else self.below(path)
        return [path for path in found if ".inprogress" not in path]

    def complete(self, folder: str) -> set[str]:
        """Paths of all epochs, checkpoints and savepoints below a folder that have been committed."""
        names = self.files.names(folder)
        if "_metadata" in names:
            return {folder}
        return {path for name in names if name != "shared" for path in self.complete(f"{folder}/{name}")}

    def lines(self, folder: str) -> list[str]:
        """What a sink of lines has written."""
        texts = [self.files.read(path).decode() for path in self.below(f"{self.root}/{folder}")]
        return sorted(line for text in texts for line in text.splitlines())

    def rows(self, folder: str) -> list[tuple]:
        """What a Parquet sink has written, sorted."""
        return sorted(tuple(row.values()) for row in self.table(folder).to_pylist())

    def table(self, folder: str) -> pa.Table:
        """The same as a table."""
        files = [io.BytesIO(self.files.read(path)) for path in self.below(f"{self.root}/{folder}")]
        return pa.concat_tables(map(parquet.read_table, files))
