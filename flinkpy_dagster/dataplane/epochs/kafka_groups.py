"""Consumer groups of Kafka are told how far a job has come, at every checkpoint (``commit.offsets.on.checkpoint``).

For monitoring, and for ``KafkaOffsetsInitializer.committed_offsets``: where the job itself goes on is in its metadata.
"""

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.epochs.query_folder import NO_OFFSET
from flinkpy_dagster.dataplane.epochs.streams import spark_side_nodes
from flinkpy_dagster.dataplane.regions.exchanges import source_name
from flinkpy_dagster.dataplane.spark.kafka_topics import KafkaTopics, offsets_of_json
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.operators.stream_sources import KafkaRecords

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KafkaGroups:
    """``topics`` by operator id of the sources that have a group."""

    topics: Mapping[str, KafkaTopics]

    @staticmethod
    def of(spark: SparkSession, job_graph: JobGraph, stack: ExitStack) -> "KafkaGroups":
        """Open until ``stack`` is closed. Raises UnreadableSource."""
        return KafkaGroups(
            {
                node.operator_id: stack.enter_context(KafkaTopics.of(spark, source_name(node), spec))
                for node, spec in spark_side_nodes(job_graph)
                if isinstance(spec, KafkaRecords) and spec.group_id is not None
            }
        )

    def tell(self, offsets: Mapping[str, Any]) -> None:
        """``offsets`` are those of a checkpoint. That a group could not be told is only logged, as by Flink."""
        for operator_id, topics in self.topics.items():
            for offset, _, _ in offsets.get(operator_id, {}).get("streams", ()):
                if offset == NO_OFFSET:
                    continue
                try:
                    topics.commit(offsets_of_json(offset))
                except Py4JError as error:
                    _log.warning(
                        "Source '%s' could not tell its group '%s' the offsets of a checkpoint: %s",
                        topics.name, topics.spec.group_id, error,
                    )  # fmt: skip
