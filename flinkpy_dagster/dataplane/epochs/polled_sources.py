"""Sources that the driver reads itself: how far they have got is in our metadata, not in a log of Spark's.

Each epoch asks them for what is new. Their rows are a DataFrame like those of any other source.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from flinkpy_dagster.errors import UnreadableSource
from flinkpy_dagster.operators.stream_sources import GeneratedNumbers, SocketText
from flinkpy_dagster.types import TypeInformation, Types

POLLED = (GeneratedNumbers, SocketText)
"""The payloads that are read here."""


class PolledSource(Protocol):
    """Read by one thread. ``position`` is JSON: what has been taken, for the metadata of the epoch."""

    row_type: TypeInformation
    position: Any

    def has_more(self) -> bool:
        """Is anything there to take?"""

    def take(self, spark: SparkSession) -> DataFrame:
        """What is there; moves ``position``."""

    @property
    def has_ended(self) -> bool:
        """Will there never be anything again?"""

    @property
    def is_endless(self) -> bool:
        """Is there no way to take all of it?"""

    def close(self) -> None:
        """Lets go of what it holds."""


def polled_source(name: str, spec: Any, position: Any) -> PolledSource:
    """The source of a payload, from a position on (None: from the beginning)."""
    if isinstance(spec, GeneratedNumbers):
        return NumberRows(spec, position)
    return SocketLines(name, spec)


class NumberRows:
    """Numbers as they fall due. The clock that paces them begins anew with the process."""

    row_type: TypeInformation = Types.LONG()

    def __init__(
        self, spec: GeneratedNumbers, position: Any = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._spec = spec
        self._clock = clock
        self.position: int = position or 0
        self._begun_at, self._begun = clock(), self.position

    def has_more(self) -> bool:
        return self._due() > self.position

    def take(self, spark: SparkSession) -> DataFrame:
        start, self.position = self.position, min(self._due(), self.position + self._spec.per_epoch)
        return spark.range(start, self.position, 1).toDF("number")

    @property
    def has_ended(self) -> bool:
        return self._spec.count is not None and self.position >= self._spec.count

    @property
    def is_endless(self) -> bool:
        return self._spec.count is None

    def close(self) -> None:
        """Nothing is held."""

    def _due(self) -> int:
        """The end of what there is by now."""
        spec = self._spec
        if spec.per_second is None:
            due = self.position + spec.per_epoch
        else:
            due = self._begun + int((self._clock() - self._begun_at) * spec.per_second)
        return due if spec.count is None else min(due, spec.count)


_RETRY_SECONDS = 0.5  # as Flink's CONNECTION_RETRY_SLEEP
_JOIN_SECONDS = 5.0


class SocketLines:
    """Texts that a thread receives. ``position`` counts those taken since the connection was made."""

    row_type: TypeInformation = Types.STRING()

    def __init__(self, name: str, spec: SocketText) -> None:
        self._name, self._spec = name, spec
        self.position = 0
        self._texts: list[str] = []
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._is_over = False
        self._connection = self._connect()
        self._thread = threading.Thread(target=self._receive, name=f"socket {name}", daemon=True)
        self._thread.start()

    def has_more(self) -> bool:
        return bool(self._texts)

    def take(self, spark: SparkSession) -> DataFrame:
        """What has come since the last time."""
        with self._lock:
            texts, self._texts = self._texts, []
        self.position += len(texts)
        return spark.createDataFrame(pa.table({"value": pa.array(texts, pa.string())}))

    @property
    def has_ended(self) -> bool:
        return self._is_over and not self._texts

    @property
    def is_endless(self) -> bool:
        return True

    def close(self) -> None:
        """Hangs up. A connection that is only closed goes on as long as a thread waits for what it brings."""
        self._closed.set()
        _hang_up(self._connection)
        self._thread.join(_JOIN_SECONDS)  # it may be about to connect again, and closes that itself

    def _connect(self) -> socket.socket:
        try:
            return socket.create_connection((self._spec.host, self._spec.port))
        except OSError as problem:
            raise UnreadableSource(
                self._name, f"nothing listens at {self._spec.host}:{self._spec.port} ({problem})."
            ) from problem

    def _receive(self) -> None:
        retries = 0
        while not self._closed.is_set():
            self._read_to_the_end()
            while not self._closed.wait(_RETRY_SECONDS if retries else 0):
                if 0 <= self._spec.max_retries <= retries:
                    self._is_over = True
                    return
                retries += 1
                with suppress(UnreadableSource):
                    self._connection = self._connect()
                    break
        _hang_up(self._connection)

    def _read_to_the_end(self) -> None:
        delimiter = self._spec.delimiter.encode()
        rest = b""
        try:
            while received := self._connection.recv(65536):
                *texts, rest = (rest + received).split(delimiter)
                self._add(texts)
        except OSError:  # gone, or closed here
            pass
        if rest:
            self._add([rest])

    def _add(self, texts: list[bytes]) -> None:
        decoded = [text.decode("utf-8", "replace") for text in texts]
        if self._spec.delimiter == "\n":
            decoded = [text.removesuffix("\r") for text in decoded]
        with self._lock:
            self._texts += decoded


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # the other side has
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
