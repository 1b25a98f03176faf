"""``KafkaSink`` (``pyflink.datastream.connectors.kafka``), written by Spark's connector for Kafka.

Records are serialized in the workers. Those of an epoch are handed over once the epoch is certain, and again only if
the process dies while it hands them over: at least once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Union

from flinkpy_dagster.api.modes import DeliveryGuarantee
from flinkpy_dagster.api.serialization import SerializationSchema
from flinkpy_dagster.api.sinks import Sink
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.table_writers import KafkaWriter
from flinkpy_dagster.types import Row, TypeInformation, Types

_BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())
_RECORD = Types.ROW_NAMED(["key", "value", "topic"], [_BYTES, _BYTES, Types.STRING()])


class KafkaTopicSelector(ABC):
    """Chooses the topic of a record."""

    @abstractmethod
    def apply(self, data: Any) -> str:
        """The topic of an element."""


@dataclass(frozen=True)
class _FunctionSelector(KafkaTopicSelector):
    function: Callable[[Any], str]

    def apply(self, data: Any) -> str:
        return self.function(data)


@dataclass(frozen=True)
class _OneTopic(KafkaTopicSelector):
    topic: str

    def apply(self, data: Any) -> str:
        return self.topic


class KafkaRecordSerializationSchema(SerializationSchema):
    """What becomes of an element: the topic, the key and the value of a record."""

    def __init__(
        self,
        topic_selector: KafkaTopicSelector,
        key_schema: SerializationSchema | None,
        value_schema: SerializationSchema,
    ) -> None:
        self._topic_selector, self._key_schema, self._value_schema = topic_selector, key_schema, value_schema

    @staticmethod
    def builder() -> "KafkaRecordSerializationSchemaBuilder":
        return KafkaRecordSerializationSchemaBuilder()

    def record(self, value: Any, value_type: TypeInformation | None) -> Row:
        """Key (None without a schema for it), value and topic."""
        key = None if self._key_schema is None else self._key_schema.serialize(value, value_type)
        return Row(key, self._value_schema.serialize(value, value_type), self._topic_selector.apply(value))


class KafkaRecordSerializationSchemaBuilder:
    """Collects the parts of a KafkaRecordSerializationSchema."""

    def __init__(self) -> None:
        self._topic_selector: KafkaTopicSelector | None = None
        self._key_schema: SerializationSchema | None = None
        self._value_schema: SerializationSchema | None = None

    def build(self) -> KafkaRecordSerializationSchema:
        """Raises InvalidProgram without a topic or a schema of the value."""
        if self._topic_selector is None or self._value_schema is None:
            missing = "set_topic()" if self._topic_selector is None else "set_value_serialization_schema()"
            raise InvalidProgram(f"A KafkaRecordSerializationSchema needs {missing} before build().")
        return KafkaRecordSerializationSchema(self._topic_selector, self._key_schema, self._value_schema)

    def set_topic(self, topic: str) -> "KafkaRecordSerializationSchemaBuilder":
        self._topic_selector = _OneTopic(topic)
        return self

    def set_topic_selector(
        self, topic_selector: Union[Callable[[Any], str], "KafkaTopicSelector"]
    ) -> "KafkaRecordSerializationSchemaBuilder":
        """A function, or an object, that gives the topic of an element."""
        if isinstance(topic_selector, KafkaTopicSelector):
            self._topic_selector = topic_selector
        elif callable(topic_selector):
            self._topic_selector = _FunctionSelector(topic_selector)
        else:
            raise TypeError("topic_selector must be KafkaTopicSelector or a callable")
        return self

    def set_key_serialization_schema(
        self, key_serialization_schema: SerializationSchema
    ) -> "KafkaRecordSerializationSchemaBuilder":
        """The key of a record decides its partition; without one Kafka spreads them."""
        self._key_schema = key_serialization_schema
        return self

    def set_value_serialization_schema(
        self, value_serialization_schema: SerializationSchema
    ) -> "KafkaRecordSerializationSchemaBuilder":
        self._value_schema = value_serialization_schema
        return self


class KafkaSink(Sink):
    """Writes records to topics. Their time is that at which they are written."""

    def __init__(self, writer: KafkaWriter, serializer: KafkaRecordSerializationSchema) -> None:
        self._writer, self._serializer = writer, serializer

    @staticmethod
    def builder() -> "KafkaSinkBuilder":
        return KafkaSinkBuilder()

    def writer(self, value_type: TypeInformation) -> object:
        return specs.TableSink(write=self._writer, row_type=_RECORD)

    def payloads(self, value_type: TypeInformation) -> tuple[object, ...]:
        serialize = _Serializing(self._serializer, value_type)
        return (specs.Map(function=serialize, display_name="Serialize"), self.writer(value_type))

    def committer(self) -> object:
        return specs.CommitFiles()


@dataclass(frozen=True)
class _Serializing:
    serializer: KafkaRecordSerializationSchema
    value_type: TypeInformation

    def __call__(self, value: Any) -> Row:
        return self.serializer.record(value, self.value_type)


class KafkaSinkBuilder:
    """Collects the parts of a KafkaSink."""

    def __init__(self) -> None:
        self._options: dict[str, str] = {}
        self._serializer: KafkaRecordSerializationSchema | None = None

    def build(self) -> KafkaSink:
        """Raises InvalidProgram without servers or a serializer."""
        if "kafka.bootstrap.servers" not in self._options or self._serializer is None:
            missing = "set_bootstrap_servers()" if self._serializer else "set_record_serializer()"
            raise InvalidProgram(f"A KafkaSink needs {missing} before build().")
        return KafkaSink(KafkaWriter(options=dict(self._options)), self._serializer)

    def set_bootstrap_servers(self, bootstrap_servers: str) -> "KafkaSinkBuilder":
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> "KafkaSinkBuilder":
        """NONE is done as AT_LEAST_ONCE. Raises UnsupportedFeature for EXACTLY_ONCE."""
        if delivery_guarantee is DeliveryGuarantee.EXACTLY_ONCE:
            raise UnsupportedFeature(
                "KafkaSink with DeliveryGuarantee.EXACTLY_ONCE",
                "Spark's connector has no transactions; use AT_LEAST_ONCE, which repeats records only if the process "
                "dies while it hands over an epoch, with a key that tells readers what they have had, or JdbcSink or "
                "FileSink, which are exactly once.",
            )
        return self

    def set_transactional_id_prefix(self, transactional_id_prefix: str) -> "KafkaSinkBuilder":
        """Transactions are for EXACTLY_ONCE only, which there is not."""
        return self

    def set_record_serializer(self, record_serializer: KafkaRecordSerializationSchema) -> "KafkaSinkBuilder":
        self._serializer = record_serializer
        return self

    def set_property(self, key: str, value: str) -> "KafkaSinkBuilder":
        """A property of Kafka's producer. Like Flink's sink it overrides the serializers."""
        if key not in ("key.serializer", "value.serializer", "transactional.id", "transaction.timeout.ms"):
            self._options[f"kafka.{key}"] = str(value)
        return self
