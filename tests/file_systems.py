"""File systems that tests need and no one has."""

from dataclasses import dataclass

from flinkpy_dagster.state.files import LocalFiles


class Away(LocalFiles):
    """An object store that does not answer."""

    is_local = False

    def stage(self, source: str, pending: str, final: str) -> None:
        raise OSError("connection reset")


@dataclass(frozen=True)
class FullFor(LocalFiles):
    """A disk that has no room for files of one name."""

    name: str = ""

    def of(self, path: str) -> LocalFiles:
        return self

    def put(self, path: str, data: bytes) -> None:
        if path.endswith(self.name):
            raise OSError(28, "No space left on device")
        super().put(path, data)
