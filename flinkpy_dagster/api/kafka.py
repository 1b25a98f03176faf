"""``KafkaSource`` (``pyflink.datastream.connectors.kafka``), read by Spark's connector for Kafka.

The connector is not part of Spark: name it with ``-D spark.jars.packages=`` and
``org.apache.spark:spark-sql-kafka-0-10_2.13:<version of Spark>``, or give its jars with ``spark.jars``. Nothing is
downloaded unless that is asked for.
"""

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from typing import Any

from flinkpy_dagster.api.serialization import ByteArraySchema, DeserializationSchema, SimpleStringSchema
from flinkpy_dagster.api.sources import Source
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.stream_sources import KafkaRecords
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from flinkpy_dagster.types import TypeInformation, Types


class KafkaTopicPartition:
    """One partition of a topic."""

    def __init__(self, topic: str, partition: int) -> None:
        self._topic, self._partition = topic, partition

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KafkaTopicPartition):
            return False
        return (self._topic, self._partition) == (other._topic, other._partition)

    def __hash__(self) -> int:
        return hash((self._topic, self._partition))


class KafkaOffsetResetStrategy(Enum):
    """Where to begin in a partition that has no committed offset."""

    LATEST, EARLIEST, NONE = 0, 1, 2


class KafkaOffsetsInitializer:
    """Where a job begins that has no checkpoint; ``options`` are Spark's."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options = dict(options)

    @staticmethod
    def earliest() -> "KafkaOffsetsInitializer":
        return KafkaOffsetsInitializer({"startingOffsets": "earliest"})

    @staticmethod
    def latest() -> "KafkaOffsetsInitializer":
        return KafkaOffsetsInitializer({"startingOffsets": "latest"})

    @staticmethod
    def timestamp(timestamp: int) -> "KafkaOffsetsInitializer":
        """From the first record at or after this time, ms."""
        return KafkaOffsetsInitializer({"startingTimestamp": str(timestamp)})

    @staticmethod
    def offsets(
        offsets: Mapping[KafkaTopicPartition, int],
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.EARLIEST,
    ) -> "KafkaOffsetsInitializer":
        """One offset for every partition; so the strategy for others has no effect."""
        by_topic: dict[str, dict[str, int]] = {}
        for partition, offset in offsets.items():
            by_topic.setdefault(partition._topic, {})[str(partition._partition)] = offset
        return KafkaOffsetsInitializer({"startingOffsets": json.dumps(by_topic)})

    @staticmethod
    def committed_offsets(
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.NONE,
    ) -> "KafkaOffsetsInitializer":
        """Refused."""
        raise UnsupportedFeature(
            "KafkaOffsetsInitializer.committed_offsets",
            "offsets are in checkpoints, not in Kafka; use earliest(), latest(), timestamp() or offsets().",
        )


class KafkaSource(Source):
    """Reads topics of Kafka; the timestamps of the elements are those of the records."""

    is_bounded = False

    def __init__(self, options: Mapping[str, str], deserializer: DeserializationSchema) -> None:
        self._options, self._deserializer = dict(options), deserializer

    @staticmethod
    def builder() -> "KafkaSourceBuilder":
        return KafkaSourceBuilder()

    def payload(self, type_info: TypeInformation | None) -> object:
        return KafkaRecords(options=self._options)

    def payloads(self, type_info: TypeInformation | None) -> tuple[object, ...]:
        deserialize = partial(_deserialized, self._deserializer)
        return (
            self.payload(type_info),
            specs.ExtractTimestamps(assigner=_RecordTime()),
            specs.FlatMap(function=deserialize, display_name="Deserialize"),
        )

    def produced_type(self) -> TypeInformation:
        deserializer: Any = self._deserializer
        if isinstance(deserializer, SimpleStringSchema):
            return Types.STRING()
        if isinstance(deserializer, ByteArraySchema):
            return Types.PRIMITIVE_ARRAY(Types.BYTE())
        return getattr(deserializer, "_type_info", None) or Types.PICKLED_BYTE_ARRAY()


class KafkaSourceBuilder:
    """Collects the parts of a KafkaSource."""

    def __init__(self) -> None:
        self._options: dict[str, str] = {"startingOffsets": "earliest"}
        self._deserializer: DeserializationSchema | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> "KafkaSourceBuilder":
        return self._set("kafka.bootstrap.servers", bootstrap_servers)

    def set_group_id(self, group_id: str) -> "KafkaSourceBuilder":
        return self._set("kafka.group.id", group_id)

    def set_topics(self, *topics: str) -> "KafkaSourceBuilder":
        return self._subscribe("subscribe", ",".join(topics))

    def set_topic_pattern(self, topic_pattern: str) -> "KafkaSourceBuilder":
        return self._subscribe("subscribePattern", topic_pattern)

    def set_partitions(self, partitions: set[KafkaTopicPartition]) -> "KafkaSourceBuilder":
        """These partitions only."""
        by_topic: dict[str, list[int]] = {}
        for each in sorted(partitions, key=lambda each: (each._topic, each._partition)):
            by_topic.setdefault(each._topic, []).append(each._partition)
        return self._subscribe("assign", json.dumps(by_topic))

    def set_starting_offsets(
        self, starting_offsets_initializer: KafkaOffsetsInitializer
    ) -> "KafkaSourceBuilder":
        """Where a job begins that has no checkpoint."""
        for key in ("startingOffsets", "startingTimestamp"):
            self._options.pop(key, None)
        self._options |= starting_offsets_initializer.options
        return self

    def set_unbounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> "KafkaSourceBuilder":
        """Refused."""
        raise UnsupportedFeature(
            "KafkaSourceBuilder.set_unbounded", "leave it out: the source is unbounded without it, too."
        )

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> "KafkaSourceBuilder":
        """Refused."""
        raise UnsupportedFeature(
            "KafkaSourceBuilder.set_bounded", "run with -D execution.trigger=available-now instead."
        )

    def set_value_only_deserializer(
        self, deserialization_schema: DeserializationSchema
    ) -> "KafkaSourceBuilder":
        self._deserializer = deserialization_schema
        return self

    def set_client_id_prefix(self, prefix: str) -> "KafkaSourceBuilder":
        return self._set("kafka.client.id", prefix)

    def set_property(self, key: str, value: str) -> "KafkaSourceBuilder":
        """A property of Kafka's consumer."""
        return self._set(f"kafka.{key}", value)

    def set_properties(self, props: Mapping[str, str]) -> "KafkaSourceBuilder":
        for key, value in props.items():
            self.set_property(key, value)
        return self

    def build(self) -> KafkaSource:
        """Raises InvalidProgram if servers, topics or deserializer are missing."""
        missing = [
            setter
            for setter, is_set in (
                ("set_bootstrap_servers()", "kafka.bootstrap.servers" in self._options),
                ("set_topics()", any(key in self._options for key in _SUBSCRIPTIONS)),
                ("set_value_only_deserializer()", self._deserializer is not None),
            )
            if not is_set
        ]
        if missing or self._deserializer is None:
            raise InvalidProgram(f"A KafkaSource needs {', '.join(missing)} before build().")
        return KafkaSource(self._options, self._deserializer)

    def _subscribe(self, option: str, value: str) -> "KafkaSourceBuilder":
        others = [key for key in _SUBSCRIPTIONS if key in self._options]
        if others:
            raise InvalidProgram("Topics, a topic pattern or partitions of a KafkaSource are set once.")
        return self._set(option, value)

    def _set(self, option: str, value: str) -> "KafkaSourceBuilder":
        self._options[option] = str(value)
        return self


_SUBSCRIPTIONS = ("subscribe", "subscribePattern", "assign")


class _RecordTime(TimestampAssigner):
    """The timestamp of a record."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value[1])


def _deserialized(deserializer: Any, record: Any) -> Iterator[Any]:
    """None stands for a message that is passed over, as in Flink."""
    if record[0] is not None:
        value = deserializer.deserialize(bytes(record[0]))
        if value is not None:
            yield value
