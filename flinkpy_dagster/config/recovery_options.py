"""Options of restarts, checkpoints and state.

Source of keys, defaults and meanings: Flink's ``RestartStrategyOptions``, ``CheckpointingOptions``,
``StateRecoveryOptions`` and ``StateBackendOptions``.
"""

from datetime import timedelta

from flinkpy_dagster.config.option import NO_EFFECT, ConfigOption
from flinkpy_dagster.config.values import BOOLEAN, DURATION, FLOAT, MEMORY, STRING, choice, integer

LATEST, NONE = "latest", "none"  # of execution.state-recovery.path: no paths

RECOVERY_OPTIONS: tuple[ConfigOption, ...] = (
    # Failures
    ConfigOption(
        "restart-strategy.type",
        choice(
            "none",
            "off",
            "disable",
            "fixed-delay",
            "fixeddelay",
            "failure-rate",
            "failurerate",
            "exponential-delay",
            "exponentialdelay",
        ),
        None,
        "How a failed job is restarted; not set: not at all without checkpoints, else exponential-delay.",
    ),
    ConfigOption("restart-strategy.fixed-delay.attempts", integer(0), 1, "Restarts before the job fails."),
    ConfigOption(
        "restart-strategy.fixed-delay.delay",
        DURATION,
        timedelta(seconds=1),
        "Pause before a restart.",
    ),
    ConfigOption(
        "restart-strategy.failure-rate.max-failures-per-interval",
        integer(1),
        1,
        "Restarts in one interval before the job fails.",
    ),
    ConfigOption(
        "restart-strategy.failure-rate.failure-rate-interval",
        DURATION,
        timedelta(minutes=1),
        "The interval in which failures are counted.",
    ),
    ConfigOption(
        "restart-strategy.failure-rate.delay",
        DURATION,
        timedelta(seconds=1),
        "Pause before a restart.",
    ),
    ConfigOption(
        "restart-strategy.exponential-delay.initial-backoff",
        DURATION,
        timedelta(seconds=1),
        "First pause before a restart.",
    ),
    ConfigOption(
        "restart-strategy.exponential-delay.max-backoff",
        DURATION,
        timedelta(minutes=1),
        "Longest pause before a restart.",
    ),
    ConfigOption(
        "restart-strategy.exponential-delay.backoff-multiplier",
        FLOAT,
        1.5,
        "Factor by which the pause grows with every failure.",
    ),
    ConfigOption(
        "restart-strategy.exponential-delay.reset-backoff-threshold",
        DURATION,
        timedelta(hours=1),
        "Time without failure after which the pause is short again.",
    ),
    ConfigOption(
        "restart-strategy.exponential-delay.jitter-factor",
        FLOAT,
        0.1,
        "Random share added to or taken from the pause.",
    ),
    ConfigOption(
        "restart-strategy.exponential-delay.attempts-before-reset-backoff",
        integer(1),
        None,
        "Restarts before the job fails; not set: no bound.",
    ),
    # Checkpoints
    ConfigOption(
        "execution.checkpointing.interval",
        DURATION,
        None,
        "Time between checkpoints of an unbounded job; not set: every epoch can be recovered from, but none is named, "
        "kept and reported.",
    ),
    ConfigOption(
        "execution.checkpointing.mode",
        choice("EXACTLY_ONCE", "AT_LEAST_ONCE"),
        "EXACTLY_ONCE",
        NO_EFFECT + "every job is restored exactly once, which is at least once, too.",
    ),
    ConfigOption(
        "execution.checkpointing.timeout",
        DURATION,
        timedelta(minutes=10),
        "Longest time a checkpoint may take.",
    ),
    ConfigOption(
        "execution.checkpointing.min-pause",
        DURATION,
        timedelta(milliseconds=0),
        "Shortest time between the end of a checkpoint and the next one.",
    ),
    ConfigOption(
        "execution.checkpointing.max-concurrent-checkpoints",
        integer(1),
        1,
        NO_EFFECT + "an epoch ends before the next one begins, so there is one at a time.",
    ),
    ConfigOption(
        "execution.checkpointing.tolerable-failed-checkpoints",
        integer(0),
        0,
        "Checkpoints that may fail in a row before the job does.",
    ),
    ConfigOption(
        "execution.checkpointing.externalized-checkpoint-retention",
        choice("DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"),
        "NO_EXTERNALIZED_CHECKPOINTS",
        "Whether checkpoints outlive the job.",
    ),
    ConfigOption(
        "execution.checkpointing.num-retained",
        integer(1),
        1,
        "Completed checkpoints that are kept.",
    ),
    ConfigOption(
        "execution.checkpointing.dir",
        STRING,
        None,
        "Folder of the epochs and checkpoints of unbounded jobs: a path that driver and workers share, or hdfs://..., "
        "s3://... or s3a://...; not set: .flinkpy/checkpoints.",
    ),
    ConfigOption(
        "execution.checkpointing.savepoint-dir",
        STRING,
        None,
        "Folder of savepoints when a request names none; as for execution.checkpointing.dir.",
    ),
    ConfigOption(
        "execution.checkpointing.incremental",
        BOOLEAN,
        False,
        NO_EFFECT + "only what changed since the epoch before is ever stored.",
    ),
    ConfigOption(
        "execution.checkpointing.unaligned.enabled",
        BOOLEAN,
        False,
        NO_EFFECT + "no records are under way between epochs.",
    ),
    ConfigOption(
        "execution.state-recovery.path",
        STRING,
        None,
        "The savepoint or checkpoint an unbounded job starts from, latest for the newest of the job of that name, none "
        "for a fresh start; not set: latest if the run is available-now, or if the one before was killed or failed.",
    ),
    ConfigOption(
        "execution.state-recovery.ignore-unclaimed-state",
        BOOLEAN,
        False,
        "Start although the savepoint holds state of operators that the program no longer has.",
    ),
    ConfigOption(
        "execution.state-recovery.claim-mode",
        choice("NO_CLAIM", "CLAIM"),
        "NO_CLAIM",
        "Whose the savepoint or checkpoint is that an unbounded job starts from: with CLAIM the job's, which deletes "
        "it when its own checkpoints have taken its place. Its files are copied in either mode.",
    ),
    ConfigOption(
        "state.backend.type",
        choice("hashmap"),
        "hashmap",
        "Where keyed state lives while a task runs; there is no other place.",
    ),
    ConfigOption(
        "flinkpy.state-cache.dir",
        STRING,
        None,
        "Where each machine keeps copies of state files that are on HDFS or in an object store; not set: its folder "
        "for temporary files.",
    ),
    ConfigOption(
        "flinkpy.state-cache.size",
        MEMORY,
        10 * 2**30,
        "How large these copies of one machine may be; what was not used for longest goes first.",
    ),
)
