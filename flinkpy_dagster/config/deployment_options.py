"""Options of the cluster a job runs on: sizes of its processes, how many there are, YARN, Kubernetes.

Source of keys, defaults and meanings: Flink's ``TaskManagerOptions``, ``JobManagerOptions``,
``ResourceManagerOptions``, ``YarnConfigOptions``, ``KubernetesConfigOptions`` and ``CoreOptions``. What Spark makes of
them is ``flinkpy_dagster.config.targets``.
"""

from datetime import timedelta

from flinkpy_dagster.config.option import ConfigOption
from flinkpy_dagster.config.values import BOOLEAN, DURATION, FLOAT, LIST, MAP, MEMORY, STRING, choice, integer

_MIB = 2**20

SIZE_OPTIONS: tuple[ConfigOption, ...] = (
    ConfigOption(
        "jobmanager.memory.process.size", MEMORY, None, "Memory of the driver's process, all of it."
    ),
    ConfigOption(
        "jobmanager.memory.flink.size", MEMORY, None, "The same without metaspace and JVM overhead."
    ),
    ConfigOption("jobmanager.memory.heap.size", MEMORY, None, "Heap of the driver's JVM."),
    ConfigOption(
        "jobmanager.memory.off-heap.size", MEMORY, 128 * _MIB, "Memory of the driver beside its heap."
    ),
    ConfigOption("jobmanager.memory.jvm-metaspace.size", MEMORY, 256 * _MIB, "Metaspace of the driver."),
    ConfigOption("jobmanager.memory.jvm-overhead.min", MEMORY, 192 * _MIB, "Least overhead of its JVM."),
    ConfigOption("jobmanager.memory.jvm-overhead.max", MEMORY, 1024 * _MIB, "Most overhead of its JVM."),
    ConfigOption(
        "jobmanager.memory.jvm-overhead.fraction", FLOAT, 0.1, "Share of the process that is overhead."
    ),
    ConfigOption(
        "taskmanager.memory.process.size",
        MEMORY,
        None,
        "Memory of a TaskManager's container, all of it; not set: 1728m on YARN and Kubernetes, else Spark's default.",
    ),
    ConfigOption(
        "taskmanager.memory.flink.size", MEMORY, None, "The same without metaspace and JVM overhead."
    ),
    ConfigOption("taskmanager.memory.framework.heap.size", MEMORY, 128 * _MIB, "Heap of the framework."),
    ConfigOption(
        "taskmanager.memory.framework.off-heap.size", MEMORY, 128 * _MIB, "Memory of the framework beside it."
    ),
    ConfigOption(
        "taskmanager.memory.task.heap.size", MEMORY, None, "Heap of the tasks; not set: what is left."
    ),
    ConfigOption("taskmanager.memory.task.off-heap.size", MEMORY, 0, "Memory of the tasks beside it."),
    ConfigOption(
        "taskmanager.memory.managed.size",
        MEMORY,
        None,
        "Memory of the Python workers, in which functions and keyed state live; not set: the fraction.",
    ),
    ConfigOption(
        "taskmanager.memory.managed.fraction", FLOAT, 0.4, "Share of Flink memory that Python workers get."
    ),
    ConfigOption("taskmanager.memory.network.min", MEMORY, 64 * _MIB, "Least memory for exchanges."),
    ConfigOption(
        "taskmanager.memory.network.max", MEMORY, None, "Most memory for exchanges; not set: no bound."
    ),
    ConfigOption("taskmanager.memory.network.fraction", FLOAT, 0.1, "Share of Flink memory for exchanges."),
    ConfigOption("taskmanager.memory.jvm-metaspace.size", MEMORY, 256 * _MIB, "Metaspace of a TaskManager."),
    ConfigOption("taskmanager.memory.jvm-overhead.min", MEMORY, 192 * _MIB, "Least overhead of its JVM."),
    ConfigOption("taskmanager.memory.jvm-overhead.max", MEMORY, 1024 * _MIB, "Most overhead of its JVM."),
    ConfigOption(
        "taskmanager.memory.jvm-overhead.fraction", FLOAT, 0.1, "Share of the process that is overhead."
    ),
    ConfigOption(
        "resourcemanager.taskmanager-timeout",
        DURATION,
        timedelta(seconds=30),
        "How long a TaskManager is idle before it is released.",
    ),
    ConfigOption(
        "slotmanager.number-of-slots.max",
        integer(1),
        None,
        "Most slots that the job asks for; not set: no bound.",
    ),
    ConfigOption(
        "slotmanager.number-of-slots.min", integer(0), 0, "Slots that are kept also while nothing runs."
    ),
    ConfigOption(
        "slotmanager.redundant-taskmanager-num",
        integer(0),
        0,
        "TaskManagers that are kept beyond those for number-of-slots.min, so that a lost one is replaced at once.",
    ),
    ConfigOption(
        "jobmanager.rpc.address", STRING, None, "Host of the standalone master, for the target remote."
    ),
    ConfigOption("jobmanager.rpc.port", integer(1, 65535), 7077, "Its port."),
    ConfigOption("env.java.opts.all", STRING, None, "JVM options of driver and TaskManagers."),
    ConfigOption("env.java.opts.jobmanager", STRING, None, "JVM options of the driver."),
    ConfigOption("env.java.opts.taskmanager", STRING, None, "JVM options of the TaskManagers."),
    ConfigOption(
        "security.kerberos.login.principal", STRING, None, "Kerberos principal for YARN, HDFS and Kubernetes."
    ),
    ConfigOption("security.kerberos.login.keytab", STRING, None, "Its keytab."),
)

YARN_OPTIONS: tuple[ConfigOption, ...] = (
    ConfigOption("yarn.application.name", STRING, None, "Name of the YARN application; not set: the job's."),
    ConfigOption("yarn.application.queue", STRING, None, "Queue it is submitted to; not set: default."),
    ConfigOption("yarn.application.type", STRING, None, "Its type; not set: SPARK."),
    ConfigOption(
        "yarn.application.priority", integer(-1), -1, "Its priority, larger is higher; -1: the queue's."
    ),
    ConfigOption(
        "yarn.application.node-label", STRING, None, "Label of the nodes that its containers may run on."
    ),
    ConfigOption("yarn.taskmanager.node-label", STRING, None, "The same for those of TaskManagers only."),
    ConfigOption(
        "yarn.application-attempts", integer(1), None, "How often YARN may start its ApplicationMaster."
    ),
    ConfigOption(
        "yarn.application-attempt-failures-validity-interval",
        integer(-1),
        10_000,
        "Time in ms after which a failed attempt no longer counts; -1: all count.",
    ),
    ConfigOption("yarn.tags", LIST, None, "Tags of the application."),
    ConfigOption("yarn.ship-files", LIST, None, "Files that are put into the folder of every container."),
    ConfigOption("yarn.ship-archives", LIST, None, "Archives that are unpacked there."),
    ConfigOption(
        "yarn.provided.lib.dirs",
        LIST,
        None,
        "Folders with Spark's jars that containers have already, on a file system or as local:/...; not set: uploaded.",
    ),
    ConfigOption(
        "yarn.staging-directory", STRING, None, "Folder for what is shipped; not set: the home folder."
    ),
    ConfigOption(
        "yarn.file-replication", integer(-1), -1, "Copies of what is shipped; -1: the file system's."
    ),
    ConfigOption("yarn.appmaster.vcores", integer(1), 1, "Cores of the ApplicationMaster."),
    ConfigOption(
        "yarn.containers.vcores",
        integer(-1),
        -1,
        "Cores of a TaskManager's container, a multiple of its slots; -1: one per slot.",
    ),
    ConfigOption(
        "yarn.heartbeat.interval", integer(1), 5, "Seconds between heartbeats to the ResourceManager."
    ),
    ConfigOption(
        "yarn.heartbeat.container-request-interval",
        integer(1),
        500,
        "Time in ms between heartbeats while containers are asked for.",
    ),
    ConfigOption("yarn.view.acls", STRING, None, "Users who may look at the application."),
    ConfigOption("yarn.modify.acls", STRING, None, "Users who may kill it."),
    ConfigOption(
        "yarn.rolled-logs.include-pattern", STRING, None, "Log files that YARN collects as they roll."
    ),
    ConfigOption("yarn.rolled-logs.exclude-pattern", STRING, None, "Those of them that it does not."),
)


def _of_both_pods(pod: str, who: str) -> tuple[ConfigOption, ...]:
    prefix = f"kubernetes.{pod}"
    return (
        ConfigOption(f"{prefix}.cpu.amount", FLOAT, None, f"Cores that the pod of {who} requests."),
        ConfigOption(f"{prefix}.cpu.limit-factor", FLOAT, 1.0, "Its limit as a multiple of the request."),
        ConfigOption(f"{prefix}.labels", MAP, None, "Labels of the pod."),
        ConfigOption(f"{prefix}.annotations", MAP, None, "Its annotations."),
        ConfigOption(f"{prefix}.node-selector", MAP, None, "Labels of the nodes that it may run on."),
        ConfigOption(
            f"{prefix}.tolerations",
            STRING,
            None,
            "Taints that it tolerates: key:k,operator:Equal,value:v,effect:NoSchedule;...",
        ),
        ConfigOption(
            f"{prefix}.service-account", STRING, None, "Its service account; not set: the general one."
        ),
    )


KUBERNETES_OPTIONS: tuple[ConfigOption, ...] = (
    ConfigOption(
        "kubernetes.container.image.ref",
        STRING,
        None,
        "Image of the TaskManagers, with Spark, Python and this package in it; it must be given.",
    ),
    ConfigOption(
        "kubernetes.container.image.pull-policy",
        choice("IfNotPresent", "Always", "Never"),
        "IfNotPresent",
        "When the image is pulled.",
    ),
    ConfigOption("kubernetes.container.image.pull-secrets", LIST, None, "Secrets of its registry."),
    ConfigOption("kubernetes.namespace", STRING, "default", "Namespace of the pods."),
    ConfigOption("kubernetes.context", STRING, None, "Context of the kubeconfig; not set: the current one."),
    ConfigOption(
        "kubernetes.cluster-id", STRING, None, "Name of the application and beginning of its pods' names."
    ),
    ConfigOption(
        "kubernetes.service-account", STRING, None, "Service account of the pods; not set: default."
    ),
    *_of_both_pods("jobmanager", "the JobManager"),
    *_of_both_pods("taskmanager", "a TaskManager"),
    ConfigOption(
        "kubernetes.pod-template-file.default",
        STRING,
        None,
        "File with the template of the TaskManagers' pods; the main container in it is called flink-main-container.",
    ),
    ConfigOption(
        "kubernetes.pod-template-file.taskmanager",
        STRING,
        None,
        "That of TaskManagers; not set: the general one.",
    ),
    ConfigOption("kubernetes.secrets", MAP, None, "Secrets that are mounted, each with its folder."),
    ConfigOption(
        "kubernetes.env.secretKeyRef", STRING, None, "Variables from secrets: env:NAME,secret:s,key:k;..."
    ),
    ConfigOption(
        "kubernetes.persistent-volume-claims", MAP, None, "Claims that are mounted, each with its folder."
    ),
    ConfigOption(
        "kubernetes.persistent-volume-claim-read-only",
        BOOLEAN,
        False,
        "Whether they are mounted for reading only.",
    ),
    ConfigOption(
        "kubernetes.hostnetwork.enabled", BOOLEAN, False, "TaskManagers use the network of their node."
    ),
    ConfigOption(
        "kubernetes.hadoop.conf.config-map.name", STRING, None, "ConfigMap with Hadoop's configuration."
    ),
)

DEPLOYMENT_OPTIONS: tuple[ConfigOption, ...] = SIZE_OPTIONS + YARN_OPTIONS + KUBERNETES_OPTIONS
"""All of them."""
