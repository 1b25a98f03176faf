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
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.stream_sources import EARLIEST, KafkaOffsets, KafkaRecords
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


_OTHERWISE = {
    KafkaOffsetResetStrategy.LATEST: "latest",
    KafkaOffsetResetStrategy.EARLIEST: "earliest",
    KafkaOffsetResetStrategy.NONE: "",
}


class KafkaOffsetsInitializer:
    """Where a job begins that has no checkpoint, or where a source ends."""

    def __init__(self, offsets: KafkaOffsets) -> None:
        self.where = offsets

    @staticmethod
    def earliest() -> "KafkaOffsetsInitializer":
        return KafkaOffsetsInitializer(EARLIEST)

    @staticmethod
    def latest() -> "KafkaOffsetsInitializer":
        """The end of every partition when the job starts."""
        return KafkaOffsetsInitializer(KafkaOffsets(kind="latest"))

    @staticmethod
    def timestamp(timestamp: int) -> "KafkaOffsetsInitializer":
        """The first record at or after this time, ms; the end of a partition that has none."""
        return KafkaOffsetsInitializer(KafkaOffsets(kind="timestamp", timestamp_ms=timestamp))

    @staticmethod
    def offsets(
        offsets: Mapping[KafkaTopicPartition, int],
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.EARLIEST,
    ) -> "KafkaOffsetsInitializer":
        """An offset per partition; the strategy is for partitions that have none here."""
        by_partition = {(each._topic, each._partition): offset for each, offset in offsets.items()}
        otherwise = _OTHERWISE[offset_reset_strategy]
        return KafkaOffsetsInitializer(
            KafkaOffsets(kind="offsets", by_partition=by_partition, otherwise=otherwise)
        )

    @staticmethod
    def committed_offsets(
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.NONE,
    ) -> "KafkaOffsetsInitializer":
        """What the consumer group has committed; the strategy is for partitions where it has not."""
        otherwise = _OTHERWISE[offset_reset_strategy]
        return KafkaOffsetsInitializer(KafkaOffsets(kind="committed", otherwise=otherwise))


class KafkaSource(Source):
    """Reads topics of Kafka; the timestamps of the elements are those of the records."""

    is_bounded = False

    def __init__(self, records: KafkaRecords, deserializer: DeserializationSchema) -> None:
        self._records, self._deserializer = records, deserializer
        self.is_bounded = records.is_bounded

    @staticmethod
    def builder() -> "KafkaSourceBuilder":
        return KafkaSourceBuilder()

    def payload(self, type_info: TypeInformation | None) -> object:
        return self._records

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
        self._options: dict[str, str] = {}
        self._starting, self._stopping = EARLIEST, None  # type: KafkaOffsets, KafkaOffsets | None
        self._group_id: str | None = None
        self._commits_offsets = True
        self._deserializer: DeserializationSchema | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> "KafkaSourceBuilder":
        return self._set("kafka.bootstrap.servers", bootstrap_servers)

    def set_group_id(self, group_id: str) -> "KafkaSourceBuilder":
        """The consumer group that is told the offsets of checkpoints."""
        return self.set_property("group.id", group_id)

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
        self._starting = starting_offsets_initializer.where
        return self

    def set_unbounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> "KafkaSourceBuilder":
        """A source that ends, in a job that is not BATCH: its results are those of ``set_bounded``."""
        return self.set_bounded(stopping_offsets_initializer)

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> "KafkaSourceBuilder":
        """The source ends at these offsets, as they are when the job starts."""
        if stopping_offsets_initializer.where.kind == "earliest":
            raise InvalidProgram("A KafkaSource that stops at the earliest offsets reads nothing.")
        self._stopping = stopping_offsets_initializer.where
        return self

    def set_value_only_deserializer(
        self, deserialization_schema: DeserializationSchema
    ) -> "KafkaSourceBuilder":
        self._deserializer = deserialization_schema
        return self

    def set_client_id_prefix(self, prefix: str) -> "KafkaSourceBuilder":
        return self._set("kafka.client.id", prefix)

    def set_property(self, key: str, value: str) -> "KafkaSourceBuilder":
        """A property of Kafka's consumer, or Spark's ``failOnDataLoss``: "false" goes on where records are gone.

        Like Flink's source it overrides deserializers, ``auto.offset.reset`` and ``enable.auto.commit``. With
        ``commit.offsets.on.checkpoint`` "false" the consumer group is told nothing.
        """
        if key in _OVERRIDDEN:
            return self
        if key in ("failOnDataLoss", "minPartitions"):
            return self._set(key, value)
        if key == "commit.offsets.on.checkpoint":
            self._commits_offsets = str(value).lower() != "false"
            return self
        if key == "group.id":
            self._group_id = value
        return self._set(f"kafka.{key}", value)

    def set_properties(self, props: Mapping[str, str]) -> "KafkaSourceBuilder":
        for key, value in props.items():
            self.set_property(key, value)
        return self

    def build(self) -> KafkaSource:
        """Raises InvalidProgram if servers, topics, deserializer or a group that is needed are missing."""
        asks_group = any(each and each.kind == "committed" for each in (self._starting, self._stopping))
        missing = [
            setter
            for setter, is_set in (
                ("set_bootstrap_servers()", "kafka.bootstrap.servers" in self._options),
                ("set_topics()", any(key in self._options for key in _SUBSCRIPTIONS)),
                ("set_value_only_deserializer()", self._deserializer is not None),
                ("set_group_id(), whose committed offsets are asked for,", self._group_id or not asks_group),
            )
            if not is_set
        ]
        if missing or self._deserializer is None:
            raise InvalidProgram(f"A KafkaSource needs {', '.join(missing)} before build().")
        records = KafkaRecords(
            is_bounded=self._stopping is not None,
            options=dict(self._options),
            starting=self._starting,
            stopping=self._stopping,
            group_id=self._group_id if self._commits_offsets else None,
        )
        return KafkaSource(records, self._deserializer)

    def _subscribe(self, option: str, value: str) -> "KafkaSourceBuilder":
        others = [key for key in _SUBSCRIPTIONS if key in self._options]
        if others:
            raise InvalidProgram("Topics, a topic pattern or partitions of a KafkaSource are set once.")
        return self._set(option, value)

    def _set(self, option: str, value: str) -> "KafkaSourceBuilder":
        self._options[option] = str(value)
        return self


_SUBSCRIPTIONS = ("subscribe", "subscribePattern", "assign")
_OVERRIDDEN = (
    "auto.offset.reset",
    "enable.auto.commit",
    "key.deserializer",
    "partition.discovery.interval.ms",  # every epoch looks for new partitions
    "value.deserializer",
)


class _RecordTime(TimestampAssigner):
    """The timestamp of a record."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value[1])


def _deserialized(deserializer: Any, record: Any) -> Iterator[Any]:
    """None stands for a message that is passed over, as in Flink."""
    if record[0] is None:
        return
    try:
        value = deserializer.deserialize(bytes(record[0]))
    except Exception as problem:
        raise ValueError(
            f"the record at offset {record[4]} of partition {record[3]} of topic '{record[2]}' is not what the "
            f"deserializer reads ({problem}); give it ignore_parse_errors() if it has that, or read ByteArraySchema() "
            "and decode in a map."
        ) from problem
    if value is not None:
        yield value
