"""What tests do with topics of a broker: make them, fill them, look what is in them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

_numbers = count()


@dataclass(frozen=True)
class Broker:
    """``servers``: its address; ``spark``: a session that has the connector."""

    servers: str
    spark: SparkSession

    def new_topic(self, partitions: int = 2) -> str:
        """Its name."""
        name = f"topic-{next(_numbers)}"
        self.admin(
            lambda admin, clients: admin.createTopics([clients.admin.NewTopic(name, partitions, 1)]).all()
        )
        return name

    def widen(self, topic: str, partitions: int) -> None:
        """Gives it more partitions."""
        self.admin(
            lambda admin, clients: admin.createPartitions(
                {topic: clients.admin.NewPartitions.increaseTo(partitions)}
            ).all()
        )

    def forget(self, topic: str, partition: int, before: int) -> None:
        """Deletes the records before an offset, as retention does."""
        jvm: Any = self.spark._jvm
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        kind = loader.loadClass("org.apache.kafka.clients.admin.RecordsToDelete")
        # there is a getter of the same name, and py4j takes the first that the JVM happens to list
        named = [each for each in kind.getMethods() if each.getName() == "beforeOffset"]
        make = next(each for each in named if each.getParameterCount() == 1)
        offset = self.spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 1)
        offset[0] = jvm.java.lang.Long(str(before))
        place = self.place(topic, partition)
        self.admin(lambda admin, _: admin.deleteRecords({place: make.invoke(None, offset)}).all())

    def committed(self, group: str) -> dict[tuple[str, int], int]:
        """What the group has committed."""
        found = self.admin(
            lambda admin, _: admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()
        )
        return {(place.topic(), place.partition()): found[place].offset() for place in found}

    def place(self, topic: str, partition: int) -> Any:
        """Kafka's TopicPartition."""
        return self.spark._jvm.org.apache.kafka.common.TopicPartition(topic, partition)

    def admin(self, ask: Any) -> Any:
        """What ``ask(admin, clients)`` promises."""
        jvm: Any = self.spark._jvm
        settings = jvm.java.util.Properties()
        settings.put("bootstrap.servers", self.servers)
        admin = jvm.org.apache.kafka.clients.admin.Admin.create(settings)
        try:
            return ask(admin, jvm.org.apache.kafka.clients).get()
        finally:
            admin.close()

    def put(self, topic: str, values: Iterable[object], partition: int | None = None) -> None:
        """Records without keys, one after the other, of a partition if one is named."""
        rows = [(str(value), topic, partition) for value in values]
        frame = self.spark.createDataFrame(rows, "value string, topic string, partition int").coalesce(1)
        frame.write.format("kafka").option("kafka.bootstrap.servers", self.servers).save()

    def wait_for(self, topic: str, seconds: float) -> bool:
        """Until there is a record; False if none has come."""
        jvm: Any = self.spark._jvm
        settings = jvm.java.util.Properties()
        for key, value in {
            "bootstrap.servers": self.servers,
            "key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
            "value.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
            "auto.offset.reset": "latest",
        }.items():
            settings.put(key, value)
        consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(settings)
        try:
            places = [self.place(topic, each.partition()) for each in consumer.partitionsFor(topic)]
            consumer.assign(places)
            consumer.seekToBeginning(places)
            return not consumer.poll(jvm.java.time.Duration.ofMillis(int(seconds * 1000))).isEmpty()
        finally:
            consumer.close()

    def values(self, topic: str) -> list[str]:
        """Sorted."""
        return sorted(value for _, value in self.records(topic))

    def records(self, topic: str) -> list[tuple[str | None, str]]:
        """Keys and values, in the order of partitions and offsets."""
        reader = self.spark.read.format("kafka").option("kafka.bootstrap.servers", self.servers)
        rows = reader.option("subscribe", topic).load().orderBy("partition", "offset")
        texts = rows.select(F.col("key").cast("string"), F.col("value").cast("string")).collect()
        return [(row[0], row[1]) for row in texts]
