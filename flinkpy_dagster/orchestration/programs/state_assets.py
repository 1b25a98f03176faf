"""The state of each stateful operator as an asset, ``<job>/state/<uid>``: where it is, how large, how to open it."""

import shlex
import time
from collections.abc import Callable, Iterator

from dagster import AssetKey, AssetMaterialization, MetadataValue

from flinkpy_dagster.orchestration.naming import legal_name
from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata

EVERY_SECONDS = 3600.0
"""An event takes some 8 kB, and there is one for each operator."""


class StateReports:
    """Tells of the first checkpoint of a run, then once an hour, of savepoints, and of the last one.

    ``checkpoints``: key of the asset of the job's checkpoints. ``clock`` gives seconds.
    """

    def __init__(self, checkpoints: AssetKey, clock: Callable[[], float] = time.monotonic) -> None:
        self._prefix = [*checkpoints.path[:-1], "state"]
        self._clock = clock
        self._next_at = clock()

    def events(
        self, metadata: EpochMetadata, path: str, *, is_wanted: bool = False
    ) -> Iterator[AssetMaterialization]:
        """One for each operator with keyed state, if it is time, or ``is_wanted``."""
        if not is_wanted and self._clock() < self._next_at:
            return
        self._next_at = self._clock() + EVERY_SECONDS
        for operator in metadata.operators.values():
            if operator.entries or operator.state_types:
                yield self._told(metadata, operator, path)

    def _told(self, metadata: EpochMetadata, operator: OperatorMetadata, path: str) -> AssetMaterialization:
        about = {
            "keys": operator.entries,
            "bytes": operator.bytes,
            "checkpoint_id": metadata.checkpoint_id or 0,
            "parallelism": operator.parallelism,
            "path": MetadataValue.path(path),
            "states": MetadataValue.json(operator.state_types),
            "open": f"flinkpy state {shlex.quote(path)} --uid {shlex.quote(operator.uid or operator.operator_id)}",
        }
        return AssetMaterialization(
            AssetKey([*self._prefix, legal_name(operator.label)]),
            description=f"Keyed state of '{operator.label}'",
            metadata=about,
        )
