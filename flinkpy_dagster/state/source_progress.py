"""How far the sources of an epoch have been read, for people to look at."""

import json
from typing import Any

from flinkpy_dagster.state.metadata import EpochMetadata


def source_progress(metadata: EpochMetadata) -> dict[str, Any]:
    """Per source (its label, or its operator id): offsets by topic and partition, entries of a file log, a position.

    A source of several paths has a list of them. What Spark writes as JSON is JSON here.
    """
    shown: dict[str, Any] = {}
    for operator_id, known in metadata.offsets.items():
        operator = metadata.operators.get(operator_id)
        parts = [_decoded(entry[0]) for entry in known.get("streams", ())] or [known.get("position")]
        shown[operator.label if operator is not None else operator_id] = (
            parts[0] if len(parts) == 1 else parts
        )
    return shown


def _decoded(offset: str) -> Any:
    try:
        return json.loads(offset)
    except ValueError:  # "-": not begun
        return None
