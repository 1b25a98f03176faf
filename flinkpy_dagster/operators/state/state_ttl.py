"""How long state lives (``pyflink.datastream.state.StateTtlConfig``)."""

from abc import ABC
from enum import Enum
from typing import Any


class UpdateType(Enum):
    """What starts the time to live anew."""

    Disabled = 0
    OnCreateAndWrite = 1
    OnReadAndWrite = 2


class StateVisibility(Enum):
    """May a value that has expired, but has not been removed yet, be seen?"""

    ReturnExpiredIfNotCleanedUp = 0
    NeverReturnExpired = 1


class TtlTimeCharacteristic(Enum):
    """The clock of the time to live."""

    ProcessingTime = 0


class CleanupStrategies:
    """When expired state is removed: when it is met, and a few entries at a time (``ttl_cleanup``)."""

    class Strategies(Enum):
        """The ways Flink knows."""

        FULL_STATE_SCAN_SNAPSHOT = 0
        INCREMENTAL_CLEANUP = 1
        ROCKSDB_COMPACTION_FILTER = 2

    class CleanupStrategy(ABC):
        """Base of the ways."""

    class EmptyCleanupStrategy(CleanupStrategy):
        """A way without settings."""

    class IncrementalCleanupStrategy(CleanupStrategy):
        """A few entries at a time."""

        def __init__(self, cleanup_size: int, run_cleanup_for_every_record: bool):
            self._cleanup_size = cleanup_size
            self._run_cleanup_for_every_record = run_cleanup_for_every_record

        def get_cleanup_size(self) -> int:
            """Entries looked at each time."""
            return self._cleanup_size

        def run_cleanup_for_every_record(self) -> bool:
            """Also without access to the state?"""
            return self._run_cleanup_for_every_record

    class RocksdbCompactFilterCleanupStrategy(CleanupStrategy):
        """When RocksDB compacts its files."""

        def __init__(self, query_time_after_num_entries: int, periodic_compaction_time: Any = None):
            self._query_time_after_num_entries = query_time_after_num_entries
            self._periodic_compaction_time = periodic_compaction_time

        def get_query_time_after_num_entries(self) -> int:
            """Entries between two looks at the clock."""
            return self._query_time_after_num_entries

        def get_periodic_compaction_time(self) -> Any:
            """Time between compactions as given; None is Flink's 30 days."""
            return self._periodic_compaction_time

    EMPTY_STRATEGY = EmptyCleanupStrategy()

    def __init__(self, strategies: dict, is_cleanup_in_background: bool):
        self._strategies = strategies
        self._is_cleanup_in_background = is_cleanup_in_background

    def is_cleanup_in_background(self) -> bool:
        """Does the backend also use its own default way?"""
        return self._is_cleanup_in_background

    def in_full_snapshot(self) -> bool:
        """Are snapshots free of expired entries?"""
        return self.Strategies.FULL_STATE_SCAN_SNAPSHOT in self._strategies

    def get_incremental_cleanup_strategy(self) -> Any:
        """The declared way, else the default, else None."""
        default = self.IncrementalCleanupStrategy(5, False) if self._is_cleanup_in_background else None
        return self._strategies.get(self.Strategies.INCREMENTAL_CLEANUP, default)

    def get_rocksdb_compact_filter_cleanup_strategy(self) -> Any:
        """The declared way, else the default, else None."""
        default = self.RocksdbCompactFilterCleanupStrategy(1000) if self._is_cleanup_in_background else None
        return self._strategies.get(self.Strategies.ROCKSDB_COMPACTION_FILTER, default)


# the class below has members of the same names
_UpdateType = UpdateType
_StateVisibility = StateVisibility
_TtlTimeCharacteristic = TtlTimeCharacteristic
_CleanupStrategies = CleanupStrategies


class StateTtlConfig:
    """Time to live of state, with what renews it and what may be seen. Made by ``new_builder``."""

    UpdateType = UpdateType
    StateVisibility = StateVisibility
    TtlTimeCharacteristic = TtlTimeCharacteristic
    CleanupStrategies = CleanupStrategies

    def __init__(
        self,
        update_type: _UpdateType,
        state_visibility: _StateVisibility,
        ttl_time_characteristic: _TtlTimeCharacteristic,
        ttl: Any,
        cleanup_strategies: _CleanupStrategies,
    ):
        self._update_type = update_type
        self._state_visibility = state_visibility
        self._ttl_time_characteristic = ttl_time_characteristic
        self._ttl = ttl
        self._cleanup_strategies = cleanup_strategies

    @staticmethod
    def new_builder(ttl: Any) -> "StateTtlConfig.Builder":
        """Starts a configuration with a time to live (``Time``)."""
        return StateTtlConfig.Builder(ttl)

    def get_update_type(self) -> _UpdateType:
        """What renews the time to live."""
        return self._update_type

    def get_state_visibility(self) -> _StateVisibility:
        """What may be seen."""
        return self._state_visibility

    def get_ttl(self) -> Any:
        """The time to live (``Time``)."""
        return self._ttl

    def get_ttl_time_characteristic(self) -> _TtlTimeCharacteristic:
        """The clock."""
        return self._ttl_time_characteristic

    def is_enabled(self) -> bool:
        """Does state expire at all?"""
        return self._update_type is not UpdateType.Disabled

    def get_cleanup_strategies(self) -> _CleanupStrategies:
        """When expired state is removed."""
        return self._cleanup_strategies

    def __repr__(self) -> str:
        return (
            f"StateTtlConfig<update_type={self._update_type}, state_visibility={self._state_visibility},"
            f"ttl_time_characteristic ={self._ttl_time_characteristic},ttl={self._ttl}>"
        )

    class Builder:
        """Collects the settings; defaults as in Flink: renewed by writes, expired values never seen."""

        def __init__(self, ttl: Any):
            self._ttl = ttl
            self._update_type = UpdateType.OnCreateAndWrite
            self._state_visibility = StateVisibility.NeverReturnExpired
            self._ttl_time_characteristic = TtlTimeCharacteristic.ProcessingTime
            self._is_cleanup_in_background = True
            self._strategies: dict = {}

        def set_update_type(self, update_type: _UpdateType) -> "StateTtlConfig.Builder":
            """Sets what renews the time to live."""
            self._update_type = update_type
            return self

        def update_ttl_on_create_and_write(self) -> "StateTtlConfig.Builder":
            """Only writes renew."""
            return self.set_update_type(UpdateType.OnCreateAndWrite)

        def update_ttl_on_read_and_write(self) -> "StateTtlConfig.Builder":
            """Reads renew too."""
            return self.set_update_type(UpdateType.OnReadAndWrite)

        def set_state_visibility(self, state_visibility: _StateVisibility) -> "StateTtlConfig.Builder":
            """Sets what may be seen."""
            self._state_visibility = state_visibility
            return self

        def return_expired_if_not_cleaned_up(self) -> "StateTtlConfig.Builder":
            """Expired values may be seen until they are removed."""
            return self.set_state_visibility(StateVisibility.ReturnExpiredIfNotCleanedUp)

        def never_return_expired(self) -> "StateTtlConfig.Builder":
            """Expired values are never seen."""
            return self.set_state_visibility(StateVisibility.NeverReturnExpired)

        def set_ttl_time_characteristic(
            self, characteristic: _TtlTimeCharacteristic
        ) -> "StateTtlConfig.Builder":
            """Sets the clock."""
            self._ttl_time_characteristic = characteristic
            return self

        def use_processing_time(self) -> "StateTtlConfig.Builder":
            """Uses the clock of the task."""
            return self.set_ttl_time_characteristic(TtlTimeCharacteristic.ProcessingTime)

        def cleanup_full_snapshot(self) -> "StateTtlConfig.Builder":
            """Leaves expired entries out of snapshots."""
            return self._with(
                CleanupStrategies.Strategies.FULL_STATE_SCAN_SNAPSHOT, CleanupStrategies.EMPTY_STRATEGY
            )

        def cleanup_incrementally(
            self, cleanup_size: int, run_cleanup_for_every_record: bool
        ) -> "StateTtlConfig.Builder":
            """Removes a few entries at a time."""
            way = CleanupStrategies.IncrementalCleanupStrategy(cleanup_size, run_cleanup_for_every_record)
            return self._with(CleanupStrategies.Strategies.INCREMENTAL_CLEANUP, way)

        def cleanup_in_rocksdb_compact_filter(
            self, query_time_after_num_entries: int, periodic_compaction_time: Any = None
        ) -> "StateTtlConfig.Builder":
            """Accepted for programs written for RocksDB; there is none here."""
            way = CleanupStrategies.RocksdbCompactFilterCleanupStrategy(
                query_time_after_num_entries, periodic_compaction_time
            )
            return self._with(CleanupStrategies.Strategies.ROCKSDB_COMPACTION_FILTER, way)

        def disable_cleanup_in_background(self) -> "StateTtlConfig.Builder":
            """Removes expired entries in the declared ways only."""
            self._is_cleanup_in_background = False
            return self

        def set_ttl(self, ttl: Any) -> "StateTtlConfig.Builder":
            """Sets the time to live (``Time``)."""
            self._ttl = ttl
            return self

        def build(self) -> "StateTtlConfig":
            """The configuration."""
            return StateTtlConfig(
                self._update_type,
                self._state_visibility,
                self._ttl_time_characteristic,
                self._ttl,
                CleanupStrategies(self._strategies, self._is_cleanup_in_background),
            )

        def _with(self, strategy: _CleanupStrategies.Strategies, way: Any) -> "StateTtlConfig.Builder":
            self._strategies[strategy] = way
            return self
