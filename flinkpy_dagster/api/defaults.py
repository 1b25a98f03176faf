"""What environments start with before the program says anything: the command line's ``-D`` and ``-p``."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from flinkpy_dagster.config import Configuration

_defaults: ContextVar[Configuration | None] = ContextVar("flinkpy_environment_defaults", default=None)


@contextmanager
def environments_start_with(configuration: Configuration) -> Iterator[None]:
    """Environments made inside of the block start with these options too; inner blocks win."""
    token = _defaults.set(starting_configuration().add_all(configuration))
    try:
        yield
    finally:
        _defaults.reset(token)


def starting_configuration() -> Configuration:
    """A copy of what an environment made now starts with."""
    return Configuration(_defaults.get())
