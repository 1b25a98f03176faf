"""``JdbcSink`` (``pyflink.datastream.connectors.jdbc``): a statement for every row.

Rows are written in Python by the database's own driver, in one transaction per epoch that also holds the ticket of the
epoch: exactly once, be the statement an insert or an upsert.
"""

from typing import TYPE_CHECKING, Any

from flinkpy_dagster.api.sinks import DataStreamSink
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.graph.transformations import LegacySinkTransformation
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.rich_functions import SinkFunction
from flinkpy_dagster.operators.jdbc import address_of, statement_parts
from flinkpy_dagster.operators.table_writers import DatabaseWriter
from flinkpy_dagster.types import RowTypeInfo, TupleTypeInfo, TypeInformation

if TYPE_CHECKING:
    from flinkpy_dagster.api.data_stream import DataStream


class JdbcConnectionOptions:
    """Where the database is, and who asks."""

    def __init__(
        self, url: str, driver_name: str | None, user_name: str | None, password: str | None
    ) -> None:
        self._url, self._driver_name = url, driver_name
        self._user_name, self._password = user_name, password

    def get_db_url(self) -> str:
        return self._url

    def get_driver_name(self) -> str | None:
        return self._driver_name

    def get_user_name(self) -> str | None:
        return self._user_name

    def get_password(self) -> str | None:
        return self._password

    class JdbcConnectionOptionsBuilder:
        """Collects the options."""

        def __init__(self) -> None:
            self._url: str | None = None
            self._driver_name: str | None = None
            self._user_name: str | None = None
            self._password: str | None = None

        def with_url(self, url: str) -> "JdbcConnectionOptions.JdbcConnectionOptionsBuilder":
            """``jdbc:postgresql://host:port/database`` or ``jdbc:sqlite:/path``."""
            address_of(url)
            self._url = url
            return self

        def with_driver_name(self, driver_name: str) -> "JdbcConnectionOptions.JdbcConnectionOptionsBuilder":
            """Kept to be asked for: the URL says which of Python's drivers it is."""
            self._driver_name = driver_name
            return self

        def with_user_name(self, user_name: str) -> "JdbcConnectionOptions.JdbcConnectionOptionsBuilder":
            self._user_name = user_name
            return self

        def with_password(self, password: str) -> "JdbcConnectionOptions.JdbcConnectionOptionsBuilder":
            self._password = password
            return self

        def build(self) -> "JdbcConnectionOptions":
            if self._url is None:
                raise InvalidProgram("JdbcConnectionOptions need with_url() before build().")
            return JdbcConnectionOptions(self._url, self._driver_name, self._user_name, self._password)


class JdbcExecutionOptions:
    """How rows are written; ``epochs_table`` holds the tickets of epochs (beyond PyFlink)."""

    def __init__(
        self, batch_interval_ms: int, batch_size: int, max_retries: int, epochs_table: str | None
    ) -> None:
        self._batch_interval_ms, self._batch_size, self._max_retries = (
            batch_interval_ms,
            batch_size,
            max_retries,
        )
        self.epochs_table = epochs_table

    def get_batch_interval_ms(self) -> int:
        return self._batch_interval_ms

    def get_batch_size(self) -> int:
        return self._batch_size

    def get_max_retries(self) -> int:
        return self._max_retries

    @staticmethod
    def defaults() -> "JdbcExecutionOptions":
        return JdbcExecutionOptions.builder().build()

    @staticmethod
    def builder() -> "JdbcExecutionOptions.Builder":
        return JdbcExecutionOptions.Builder()

    class Builder:
        """Collects the options; the defaults are Flink's."""

        def __init__(self) -> None:
            self._size, self._interval_ms, self._retries = 5000, 0, 3
            self._epochs_table: str | None = "flinkpy_epochs"

        def with_batch_size(self, size: int) -> "JdbcExecutionOptions.Builder":
            """Rows sent at once; a transaction may have several batches."""
            if size < 1:
                raise InvalidProgram(f"The batch size of a JdbcSink is at least 1, not {size}.")
            self._size = size
            return self

        def with_batch_interval_ms(self, interval_ms: int) -> "JdbcExecutionOptions.Builder":
            """Kept to be asked for: rows are written when their epoch is certain."""
            self._interval_ms = interval_ms
            return self

        def with_max_retries(self, max_retries: int) -> "JdbcExecutionOptions.Builder":
            """How often a lost connection is tried again."""
            if max_retries < 0:
                raise InvalidProgram(f"max_retries of a JdbcSink is not negative, as {max_retries} is.")
            self._retries = max_retries
            return self

        def with_epochs_table(self, table: str | None) -> "JdbcExecutionOptions.Builder":
            """Where tickets are kept, made if it is not there; None: nowhere, then use upserts (beyond PyFlink)."""
            self._epochs_table = table
            return self

        def build(self) -> "JdbcExecutionOptions":
            return JdbcExecutionOptions(self._interval_ms, self._size, self._retries, self._epochs_table)


class JdbcSink(SinkFunction):
    """Runs a statement for every row; for ``add_sink``."""

    def __init__(self, writer: DatabaseWriter, row_type: RowTypeInfo) -> None:
        self._writer, self._row_type = writer, row_type

    @staticmethod
    def sink(
        sql: str,
        type_info: RowTypeInfo,
        jdbc_connection_options: JdbcConnectionOptions,
        jdbc_execution_options: JdbcExecutionOptions | None = None,
    ) -> "JdbcSink":
        """``sql`` has a question mark for each field of ``type_info``, in order."""
        if not isinstance(type_info, RowTypeInfo):
            raise InvalidProgram(f"A JdbcSink needs a row type, such as Types.ROW([...]), not {type_info!r}.")
        marks, fields = len(statement_parts(sql)) - 1, len(type_info.get_field_types())
        if marks != fields:
            raise InvalidProgram(
                f"The statement of a JdbcSink has {marks} question marks, its type has {fields} fields: {sql}"
            )
        options = jdbc_execution_options or JdbcExecutionOptions.defaults()
        writer = DatabaseWriter(
            url=jdbc_connection_options.get_db_url(),
            user=jdbc_connection_options.get_user_name(),
            password=jdbc_connection_options.get_password(),
            statement=sql,
            batch_size=options.get_batch_size(),
            max_retries=options.get_max_retries(),
            epochs_table=options.epochs_table,
        )
        return JdbcSink(writer, type_info)

    def spec_for(self, value_type: TypeInformation | None) -> specs.TableSink:
        """The payload for a stream of this type. Raises InvalidProgram if it has no rows of as many fields."""
        wanted = len(self._row_type.get_field_types())
        if (
            not isinstance(value_type, RowTypeInfo | TupleTypeInfo)
            or len(value_type.get_field_types()) != wanted
        ):
            raise InvalidProgram(
                f"A JdbcSink of {wanted} fields gets elements of type {value_type}: give the operator before it an "
                "output_type of rows, Types.ROW([...])."
            )
        return specs.TableSink(write=self._writer, row_type=self._row_type)


def function_sink(stream: "DataStream", sink_func: Any) -> DataStreamSink:
    """The sink of ``add_sink()``. Raises UnsupportedFeature for anything but a JdbcSink."""
    if not isinstance(sink_func, JdbcSink):
        raise UnsupportedFeature(
            f"DataStream.add_sink of {type(sink_func).__name__}",
            "use JdbcSink, or sink_to() with a FileSink, KafkaSink, ParquetSink or TableSink.",
        )
    recording, source = stream._recording, stream._transformation
    return DataStreamSink(
        recording,
        LegacySinkTransformation(
            id=recording.ids.next(),
            name="Unnamed",
            output_type=source.output_type,
            parallelism=recording.parallelism,
            inputs=[source],
            operators=(sink_func.spec_for(source.output_type),),
        ),
    )
