"""File systems that tests need and no one has."""

from flinkpy_dagster.state.files import LocalFiles


class Away(LocalFiles):
    """An object store that does not answer."""

    is_local = False

    def stage(self, source: str, pending: str, final: str) -> None:
        raise OSError("connection reset")
