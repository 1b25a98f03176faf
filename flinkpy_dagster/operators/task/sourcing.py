"""Sources whose elements the task makes itself, in batches."""

from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.specs import CollectionSource, NumberSequence
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.codec import codec_of


def batches_of(
    spec: Any, value_type: TypeInformation | None, batch_size: int, subtask_index: int, parallelism: int
) -> Iterator[Batch]:
    """The elements of one subtask of a source; raises UnsupportedFeature for sources that only Spark reads."""
    if isinstance(spec, CollectionSource):
        return collection_batches(spec, value_type, batch_size, subtask_index)
    if isinstance(spec, NumberSequence):
        return sequence_batches(spec, batch_size, subtask_index, parallelism)
    raise UnsupportedFeature(f"a source of type {type(spec).__name__} inside a task")


def collection_batches(
    spec: CollectionSource, value_type: TypeInformation | None, batch_size: int, subtask_index: int
) -> Iterator[Batch]:
    """All elements in the first subtask, copied: user code may change what it gets."""
    values = spec.values if subtask_index == 0 else ()
    codec = codec_of(value_type)
    for start in range(0, len(values), batch_size):
        yield Batch(codec.copies(list(values[start : start + batch_size])))


def sequence_batches(
    spec: NumberSequence, batch_size: int, subtask_index: int, parallelism: int
) -> Iterator[Batch]:
    """One contiguous part of the numbers per subtask."""
    count = max(spec.end - spec.start + 1, 0)
    first = spec.start + count * subtask_index // parallelism
    end = spec.start + count * (subtask_index + 1) // parallelism
    for start in range(first, end, batch_size):
        yield Batch(list(range(start, min(start + batch_size, end))))
