"""The ends of topics, asked for with a client of Kafka's that the user has installed."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from flinkpy_dagster.errors import ConfigurationError

if TYPE_CHECKING:
    from flinkpy_dagster.orchestration.sensors.triggers import KafkaOffsets

_TIMEOUT_SECONDS = 10.0


def end_offsets(trigger: "KafkaOffsets") -> dict[str, int]:
    """The offset after the last record of every partition, as ``topic-partition``. Raises ConfigurationError."""
    if find_spec("kafka") is not None:
        return _by_kafka_python(trigger)
    if find_spec("confluent_kafka") is not None:
        return _by_confluent_kafka(trigger)
    raise ConfigurationError(
        "KafkaOffsets needs a client of Kafka's: install kafka-python or confluent-kafka, or give it offsets=, a "
        "function that returns the end of every partition."
    )


def _by_kafka_python(trigger: "KafkaOffsets") -> dict[str, int]:
    kafka: Any = __import__("kafka")
    servers = trigger.bootstrap_servers.split(",")
    consumer = kafka.KafkaConsumer(bootstrap_servers=servers, **(trigger.options or {}))
    try:
        partitions = [
            kafka.TopicPartition(topic, number)
            for topic in trigger.topics
            for number in sorted(consumer.partitions_for_topic(topic) or ())
        ]
        ends = consumer.end_offsets(partitions)
        return {f"{each.topic}-{each.partition}": end for each, end in ends.items()}
    finally:
        consumer.close()


def _by_confluent_kafka(trigger: "KafkaOffsets") -> dict[str, int]:
    confluent: Any = __import__("confluent_kafka")
    settings = {"bootstrap.servers": trigger.bootstrap_servers, "group.id": "flinkpy-dagster-sensor"}
    consumer = confluent.Consumer(settings | dict(trigger.options or {}))
    try:
        found = {}
        for topic in trigger.topics:
            about = consumer.list_topics(topic, timeout=_TIMEOUT_SECONDS).topics[topic]
            for number in sorted(about.partitions):
                place = confluent.TopicPartition(topic, number)
                _, end = consumer.get_watermark_offsets(place, timeout=_TIMEOUT_SECONDS)
                found[f"{topic}-{number}"] = end
        return found
    finally:
        consumer.close()
