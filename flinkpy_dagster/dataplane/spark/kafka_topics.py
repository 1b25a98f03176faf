"""What a cluster of Kafka says of topics, asked with Kafka's own client in the JVM: it comes with Spark's connector."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import JavaPackage
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from flinkpy_dagster.errors import UnreadableSource, one_line
from flinkpy_dagster.operators.stream_sources import KafkaOffsets, KafkaRecords

Partition = tuple[str, int]
_WAIT_MS = "15000"


@dataclass(frozen=True)
class KafkaTopics:
    """The topics that a source reads. ``name`` is that of the source; raises UnreadableSource where it is at fault."""

    name: str
    spec: KafkaRecords
    jvm: Any
    admin: Any

    @staticmethod
    @contextmanager
    def of(spark: SparkSession, name: str, spec: KafkaRecords) -> Iterator["KafkaTopics"]:
        """Open inside of the block."""
        jvm: Any = spark._jvm
        make = jvm.org.apache.kafka.clients.admin.Admin
        if isinstance(make, JavaPackage):
            raise UnreadableSource(name, without_connector(spark.version))
        settings = jvm.java.util.Properties()
        waiting = {"default.api.timeout.ms": _WAIT_MS, "request.timeout.ms": _WAIT_MS}
        for key, value in (waiting | consumer_properties(spec.options)).items():
            settings.put(key, value)
        with _said(name, spec):
            admin = make.create(settings)
        try:
            yield KafkaTopics(name, spec, jvm, admin)
        finally:
            admin.close()

    def partitions(self) -> list[Partition]:
        """Of all topics that are subscribed to; a topic that must be there and is not is named."""
        options = self.spec.options
        with _said(self.name, self.spec):
            if "assign" in options:
                assigned = json.loads(options["assign"])
                return [(topic, number) for topic, numbers in assigned.items() for number in numbers]
            if "subscribePattern" in options:
                pattern = self.jvm.java.util.regex.Pattern.compile(options["subscribePattern"])
                names = [
                    name for name in self.admin.listTopics().names().get() if pattern.matcher(name).matches()
                ]
            else:
                names = options["subscribe"].split(",")
            described = self.admin.describeTopics(names).allTopicNames().get()
            found = [(name, each.partition()) for name in names for each in described[name].partitions()]
        return sorted(found)

    def offsets(self, where: KafkaOffsets, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """The place in each of the partitions, as it is now."""
        wanted = list(partitions)
        known: dict[Partition, int] = {}
        if where.kind == "offsets":
            known = {each: where.by_partition[each] for each in wanted if each in where.by_partition}
        elif where.kind == "committed":
            known = self._committed(wanted)
        else:
            return self._looked_up(where, wanted)
        rest = [each for each in wanted if each not in known]
        if rest and not where.otherwise:
            raise UnreadableSource(
                self.name,
                f"there is no {where.kind.rstrip('s')} offset of partition {rest[0][1]} of topic '{rest[0][0]}'; "
                "give the KafkaOffsetsInitializer a KafkaOffsetResetStrategy, EARLIEST or LATEST.",
            )
        return known | self._looked_up(KafkaOffsets(kind=where.otherwise), rest)

    def commit(self, offsets: Mapping[Partition, int]) -> None:
        """Tells the consumer group."""
        make = self._clients().consumer.OffsetAndMetadata
        where = {self._partition(each): make(offset) for each, offset in offsets.items()}
        self.admin.alterConsumerGroupOffsets(self.spec.group_id, where).all().get()

    def _committed(self, wanted: list[Partition]) -> dict[Partition, int]:
        with _said(self.name, self.spec):
            group = self.spec.options["kafka.group.id"]
            found = self.admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
        known = {(each.topic(), each.partition()): found[each] for each in found}
        return {each: known[each].offset() for each in wanted if known.get(each) is not None}

    def _looked_up(self, where: KafkaOffsets, wanted: list[Partition]) -> dict[Partition, int]:
        if not wanted:
            return {}
        spec = self._clients().admin.OffsetSpec
        kinds = {
            "earliest": spec.earliest,
            "latest": spec.latest,
            "timestamp": lambda: spec.forTimestamp(where.timestamp_ms),
        }
        asked = {self._partition(each): kinds[where.kind]() for each in wanted}
        with _said(self.name, self.spec):
            found = self.admin.listOffsets(asked).all().get()
        offsets = {(each.topic(), each.partition()): int(found[each].offset()) for each in found}
        after_all = [each for each, offset in offsets.items() if offset < 0]  # no record is that young
        return offsets | self._looked_up(KafkaOffsets(kind="latest"), after_all)

    def _partition(self, partition: Partition) -> Any:
        return self.jvm.org.apache.kafka.common.TopicPartition(*partition)

    def _clients(self) -> Any:
        return self.jvm.org.apache.kafka.clients


def offsets_json(offsets: Mapping[Partition, int]) -> str:
    """As Spark's options want them."""
    by_topic: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(offsets.items()):
        by_topic.setdefault(topic, {})[str(number)] = offset
    return json.dumps(by_topic)


def offsets_of_json(text: str) -> dict[Partition, int]:
    """The other way."""
    return {
        (topic, int(number)): offset
        for topic, numbers in json.loads(text).items()
        for number, offset in numbers.items()
    }


def consumer_properties(options: Mapping[str, str]) -> dict[str, str]:
    """Kafka's own properties among the options of Spark's connector."""
    return {key.removeprefix("kafka."): value for key, value in options.items() if key.startswith("kafka.")}


def without_connector(version: str) -> str:
    """What to do where the connector is missing; ``version`` is Spark's."""
    return (
        "Spark's connector for Kafka is not there; add -D spark.jars.packages="
        f"org.apache.spark:spark-sql-kafka-0-10_2.13:{version}, or name its jars with -D spark.jars=."
    )


@contextmanager
def _said(name: str, spec: KafkaRecords) -> Iterator[None]:
    """What the client raises, as one of our errors."""
    try:
        yield
    except Py4JJavaError as error:
        servers = spec.options["kafka.bootstrap.servers"]
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        kind, text = cause.getClass().getSimpleName(), one_line(str(cause.getMessage()))
        if kind == "UnknownTopicOrPartitionException":
            reason = (
                f"Kafka at '{servers}' has no such topic ({_topics(spec)}): create it, or use set_topic_pattern() for "
                "topics that come later."
            )
        elif kind in ("TimeoutException", "DisconnectException"):
            reason = f"no broker of Kafka answers at '{servers}' ({text})."
        else:
            reason = f"Kafka at '{servers}' says {kind}: {text}"
        raise UnreadableSource(name, reason) from error


def _topics(spec: KafkaRecords) -> str:
    return next(
        spec.options[key] for key in ("subscribe", "assign", "subscribePattern") if key in spec.options
    )
