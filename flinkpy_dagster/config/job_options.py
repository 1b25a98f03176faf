"""Options of the job, its execution, slots and Python functions.

Source of keys, defaults and meanings: Flink's ``PipelineOptions``, ``ExecutionOptions``, ``CoreOptions``,
``JobManagerOptions`` and PyFlink's ``PythonOptions``.
"""

from datetime import timedelta

from flinkpy_dagster.config.option import HIGHEST_MAX_PARALLELISM, NO_EFFECT, ConfigOption
from flinkpy_dagster.config.values import BOOLEAN, DURATION, LIST, MAP, STRING, choice, integer

JOB_OPTIONS: tuple[ConfigOption, ...] = (
    # The job
    ConfigOption("pipeline.name", STRING, None, "Name of the job when execute() gives none."),
    ConfigOption(
        "pipeline.max-parallelism",
        integer(-1, HIGHEST_MAX_PARALLELISM),
        -1,
        "Number of key groups of operators that set none, the upper bound of later rescaling; -1 derives "
        "it from the parallelism.",
    ),
    ConfigOption(
        "pipeline.auto-watermark-interval",
        DURATION,
        timedelta(milliseconds=200),
        "How often watermark generators emit periodically; 0 switches periodic watermarks off.",
    ),
    ConfigOption(
        "pipeline.operator-chaining.enabled",
        BOOLEAN,
        True,
        "Run operators connected by FORWARD edges of one parallelism as one vertex.",
    ),
    ConfigOption(
        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism",
        BOOLEAN,
        True,
        "Chain operators whose maximum parallelisms differ.",
    ),
    ConfigOption(
        "pipeline.vertex-description-mode",
        choice("TREE", "CASCADING"),
        "TREE",
        "How plans describe a chain of operators: as a tree, or in one line as in the name of its vertex.",
    ),
    ConfigOption(
        "pipeline.vertex-name-include-index-prefix",
        BOOLEAN,
        False,
        "Put a number before the name of each vertex: ``[vertex-0]Source: ...``.",
    ),
    ConfigOption(
        "pipeline.global-job-parameters",
        MAP,
        None,
        "Pairs that user functions read from the runtime context.",
    ),
    ConfigOption(
        "pipeline.object-reuse",
        BOOLEAN,
        False,
        NO_EFFECT + "values of Python functions are never copied between chained operators.",
    ),
    ConfigOption("pipeline.jars", LIST, None, NO_EFFECT + "there is no user code in the JVM."),
    ConfigOption("pipeline.classpaths", LIST, None, NO_EFFECT + "there is no user code in the JVM."),
    ConfigOption(
        "parallelism.default",
        integer(1, HIGHEST_MAX_PARALLELISM),
        None,
        "Parallelism of operators that set none; not set: the processors of this machine.",
    ),
    # Execution
    ConfigOption(
        "execution.runtime-mode",
        choice("STREAMING", "BATCH", "AUTOMATIC"),
        "STREAMING",
        "Incremental results of a stream, one result per bounded input, or BATCH exactly when all "
        "sources are bounded.",
    ),
    ConfigOption(
        "execution.batch-shuffle-mode",
        choice("ALL_EXCHANGES_BLOCKING", "ALL_EXCHANGES_PIPELINED"),
        "ALL_EXCHANGES_BLOCKING",
        "Whether shuffles of BATCH jobs are stored completely before they are read.",
    ),
    ConfigOption(
        "execution.target",
        STRING,
        "local",
        "Where the job runs: local, local[N], remote, spark://HOST:PORT, yarn-per-job, yarn-application, "
        "kubernetes-application, k8s://URL, sc://HOST:PORT, or the name of an entry point of the group "
        "flinkpy_dagster.executors.",
    ),
    ConfigOption(
        "execution.attached",
        BOOLEAN,
        True,
        NO_EFFECT + "a job ends with the process that started it, so the command line always waits.",
    ),
    ConfigOption(
        "execution.buffer-timeout.interval",
        DURATION,
        timedelta(milliseconds=100),
        NO_EFFECT + "records travel in batches, see python.fn-execution.bundle.size.",
    ),
    ConfigOption(
        "jobmanager.scheduler",
        choice("Default", "Adaptive", "AdaptiveBatch"),
        None,
        "Whether plans of BATCH jobs show parallelism that is not set as undecided; not set: AdaptiveBatch.",
    ),
    ConfigOption(
        "jobmanager.scheduling-mode",
        choice("PIPELINED_REGION", "LAZY_FROM_SOURCES", "EAGER"),
        "PIPELINED_REGION",
        "Start vertices region by region, each when its inputs are there, or all at once.",
    ),
    ConfigOption(
        "jobmanager.execution.failover-strategy",
        choice("region", "full"),
        "region",
        "What a failure restarts: the region that failed, those that read its results and those whose results are "
        "lost, or everything.",
    ),
    # Slots
    ConfigOption(
        "taskmanager.numberOfTaskSlots",
        integer(1),
        None,
        "Task slots of one TaskManager, which is one Spark executor; not set: the processors of this "
        "machine, on a cluster 1.",
    ),
    ConfigOption(
        "slot.request.timeout",
        DURATION,
        timedelta(minutes=5),
        "How long tasks wait for slots that nothing which runs will give back, before the job fails; in a Dagster run "
        "the executor's slot_request_timeout_seconds.",
    ),
    # Python
    ConfigOption(
        "python.fn-execution.bundle.size",
        integer(1),
        1000,
        "Elements that one batch between chained operators holds at most.",
    ),
    ConfigOption(
        "python.fn-execution.bundle.time",
        DURATION,
        timedelta(milliseconds=1000),
        NO_EFFECT + "sources are bounded, and none holds an incomplete batch back.",
    ),
    ConfigOption(
        "python.operator-chaining.enabled",
        BOOLEAN,
        True,
        "Fuse neighbouring Python operators into one, without encoding values in between.",
    ),
    ConfigOption(
        "python.executable",
        STRING,
        None,
        "The interpreter of the workers: a path of theirs, or one in an archive, as in venv.zip/venv/bin/python; "
        "without it that of PYSPARK_PYTHON, or that of the program. -pyexec sets it.",
    ),
    ConfigOption(
        "python.client.executable",
        STRING,
        None,
        NO_EFFECT + "the program runs in the interpreter of the command line.",
    ),
    ConfigOption(
        "python.files",
        LIST,
        None,
        "Files (.py, .zip, .whl, .egg) and folders for the import path of the workers; -pyfs sets it.",
    ),
    ConfigOption(
        "python.archives",
        LIST,
        None,
        "Archives (.zip, .whl, .egg, .jar, .tar, .tar.gz) that are unpacked in the working folder of the workers, each "
        "in a folder of its name or, 'data.zip#prices', of the one after #; -pyarch sets it.",
    ),
    ConfigOption(
        "python.requirements",
        STRING,
        None,
        "A requirements file whose packages the workers shall have, and after a # the folder that the packages are in "
        "if pip is to ask no index; -pyreq sets it.",
    ),
    ConfigOption(
        "python.pythonpath",
        LIST,
        None,
        "Folders of the workers' own machines for their import path.",
    ),
    ConfigOption(
        "python.execution-mode",
        choice("process", "thread"),
        "process",
        NO_EFFECT + "functions run in Spark's Python workers.",
    ),
    ConfigOption(
        "python.fn-execution.arrow.batch.size",
        integer(1),
        10000,
        "Rows that one Arrow batch between Spark and Python holds at most.",
    ),
    ConfigOption("python.metric.enabled", BOOLEAN, True, NO_EFFECT + "metrics cost nothing per element."),
    ConfigOption("python.profile.enabled", BOOLEAN, False, NO_EFFECT + "there is no profiler."),
    # Unbounded jobs (ours)
    ConfigOption(
        "execution.trigger",
        choice("continuous", "available-now"),
        "continuous",
        "Whether an unbounded job runs until it is canceled or stopped, or processes what has come since its last "
        "checkpoint and ends.",
    ),
    ConfigOption(
        "execution.trigger-interval",
        DURATION,
        timedelta(milliseconds=200),
        "Shortest time between the beginnings of two epochs of a continuous job.",
    ),
    ConfigOption(
        "flinkpy.epoch.max-files",
        integer(1),
        1000,
        "Files that one epoch reads at most of each path of a source.",
    ),
    ConfigOption(
        "flinkpy.epoch.max-records",
        integer(1),
        1_000_000,
        "Records that one epoch reads at most of each Kafka source.",
    ),
    # Ours
    ConfigOption(
        "flinkpy.partition.keys",
        LIST,
        None,
        "The partitions that the run is for, which env.get_partition() gives; Dagster sets it for a partitioned "
        "program.",
    ),
    ConfigOption(
        "flinkpy.partition.window",
        LIST,
        None,
        "Beginning and end (exclusive) of the time that these partitions cover, in ISO format.",
    ),
    ConfigOption(
        "flinkpy.assets",
        MAP,
        None,
        "Where assets lie that the program reads with env.from_asset(): 'a/b:PATH', or 'a/b:table:NAME' for a Spark "
        "table; without an entry it is where the newest materialization in the Dagster instance says.",
    ),
    ConfigOption(
        "flinkpy.data-sets.dir",
        STRING,
        ".flinkpy/data_sets",
        "Folder of the blocking data sets and of results that name no place of their own.",
    ),
    ConfigOption(
        "flinkpy.progress.enabled",
        BOOLEAN,
        None,
        "Show records and finished vertices while a job runs; not set: when standard error is a terminal.",
    ),
    ConfigOption("flinkpy.spark-ui.enabled", BOOLEAN, False, "Start Spark's own web UI."),
)
