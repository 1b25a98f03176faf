"""The sensor for new records, with a real broker and with each client that may be installed."""

import pytest
from dagster import DagsterInstance

from flinkpy_dagster import KafkaOffsets
from flinkpy_dagster.orchestration.sensors import kafka_offsets
from tests.clusters.topics import Broker

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.kafka, pytest.mark.slow]
CLIENTS = {"kafka": kafka_offsets._by_kafka_python, "confluent_kafka": kafka_offsets._by_confluent_kafka}


@pytest.mark.filterwarnings("ignore:.*_text is deprecated:DeprecationWarning")  # kafka-python's own
def test_news_when_records_come_then_told_once_by_either_client(kafka: Broker) -> None:
    topics = kafka.new_topic(2), kafka.new_topic(1)
    trigger = KafkaOffsets(kafka.servers, topics)
    with DagsterInstance.ephemeral() as instance:
        assert trigger.look(instance, None) is None
        kafka.put(topics[0], range(10))
        news = trigger.look(instance, None)
        assert news is not None
        assert news.says == f"10 new records in {topics[0]}, {topics[1]}"
        assert trigger.look(instance, news.cursor) is None
        kafka.put(topics[1], range(5))
        later = trigger.look(instance, news.cursor)
        assert later is not None
        assert later.says == f"5 new records in {topics[0]}, {topics[1]}"
        assert later.key != news.key
    ends = {f"{topics[1]}-0": 5} | {name: end for name, end in later.cursor.items() if topics[0] in name}
    for name, asked in CLIENTS.items():
        pytest.importorskip(name)
        assert asked(trigger) == ends, name
