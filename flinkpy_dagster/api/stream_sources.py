"""Sources that may never end: sockets and generators (beyond PyFlink)."""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.api.sources import Source
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.stream_sources import GeneratedNumbers, SocketText
from flinkpy_dagster.types import TypeInformation, Types


class SocketTextSource(Source):
    """Texts between delimiters, as a server sends them (Flink's ``SocketTextStreamFunction``)."""

    is_bounded = False

    def __init__(self, hostname: str, port: int, delimiter: str = "\n", max_retries: int = 0) -> None:
        if not 0 < port < 65536:
            raise InvalidProgram(f"The port of a socket is a number from 1 to 65535, not {port}.")
        if not delimiter:
            raise InvalidProgram("The delimiter of a socket source must not be empty.")
        self._spec = SocketText(host=hostname, port=port, delimiter=delimiter, max_retries=max_retries)

    def payload(self, type_info: TypeInformation | None) -> object:
        return self._spec

    def produced_type(self) -> TypeInformation:
        return Types.STRING()


class DataGeneratorSource(Source):
    """What ``generator_function`` makes of the numbers from 0 on (Flink's ``DataGeneratorSource``, Java only).

    ``count`` of them, None: no end. ``records_per_second`` None: as fast as the job takes them.
    """

    def __init__(
        self,
        generator_function: Callable[[int], Any],
        type_info: TypeInformation,
        count: int | None = None,
        records_per_second: float | None = None,
    ) -> None:
        if count is not None and count < 0:
            raise InvalidProgram(f"The count of a DataGeneratorSource must not be negative, not {count}.")
        if records_per_second is not None and records_per_second <= 0:
            raise InvalidProgram(
                f"A DataGeneratorSource makes more than {records_per_second} records a second."
            )
        self._function, self._type_info = generator_function, type_info
        self._count, self._per_second = count, records_per_second
        self.is_bounded = count is not None and records_per_second is None

    def payload(self, type_info: TypeInformation | None) -> object:
        if self.is_bounded and self._count:
            return specs.NumberSequence(start=0, end=self._count - 1)
        return GeneratedNumbers(count=self._count, per_second=self._per_second)

    def payloads(self, type_info: TypeInformation | None) -> tuple[object, ...]:
        return (self.payload(type_info), specs.Map(function=self._function, display_name="Generator"))

    def produced_type(self) -> TypeInformation:
        return self._type_info
