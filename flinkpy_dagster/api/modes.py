"""The choices that programs make by name (PyFlink's enums)."""

from enum import Enum


class RuntimeExecutionMode(Enum):
    """Whether results are incremental or final (``pyflink.datastream.execution_mode``)."""

    STREAMING = 0
    BATCH = 1
    AUTOMATIC = 2


class CheckpointingMode(Enum):
    """What a restored job may repeat (``pyflink.datastream.checkpointing_mode``)."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1


class ExternalizedCheckpointRetention(Enum):
    """Whether checkpoints outlive the job (``pyflink.datastream.externalized_checkpoint_retention``)."""

    DELETE_ON_CANCELLATION = 0
    RETAIN_ON_CANCELLATION = 1
    NO_EXTERNALIZED_CHECKPOINTS = 2


class InputDependencyConstraint(Enum):
    """Recorded by old programs only (``pyflink.common.input_dependency_constraint``)."""

    ANY = 0
    ALL = 1


class DeliveryGuarantee(Enum):
    """What a sink may lose or repeat (``pyflink.datastream.connectors.base``)."""

    EXACTLY_ONCE = (0,)
    AT_LEAST_ONCE = (1,)
    NONE = 2
