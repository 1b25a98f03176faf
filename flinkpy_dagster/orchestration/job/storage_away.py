"""Dagster's storage, away for a moment: a job goes on without it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def storage_may_be_away() -> Iterator[None]:
    """What is asked of Dagster's storage in here is asked again later; an error is said on standard error, no more.

    Any error: SQLite's, SQLAlchemy's and those of Dagster's PostgreSQL storage have no base of their own.
    """
    try:
        yield
    except Exception as problem:
        print(f"Dagster's storage cannot be asked: {problem}", file=sys.stderr, flush=True)
