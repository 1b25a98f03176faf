"""The SparkSession everything runs on."""

import os
import site
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.slots import slots_of_this_machine
from flinkpy_dagster.config.storage import spark_storage_settings
from flinkpy_dagster.config.targets import TargetKind, spark_settings, target_of
from flinkpy_dagster.dataplane.spark import worker_daemon
from flinkpy_dagster.dataplane.spark.class_archive import java_of_spark, use_options
from flinkpy_dagster.dataplane.spark.cluster_limits import check_before_start
from flinkpy_dagster.dataplane.spark.connect import SessionAddress, connected_session
from flinkpy_dagster.dataplane.spark.driver_loss import is_lost, lost_driver
from flinkpy_dagster.dataplane.spark.driver_noise import without_noise_of_loss
from flinkpy_dagster.dataplane.spark.pod_templates import pod_template_settings
from flinkpy_dagster.dataplane.spark.session_registry import token_of
from flinkpy_dagster.dataplane.spark.shipping import package_folder
from flinkpy_dagster.dataplane.spark.worker_code import provide_package
from flinkpy_dagster.errors import NonRetryable, TargetUnavailable
from flinkpy_dagster.programs.python_code import PythonCode

_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_CHATTER = (
    "WARNING: Using incubator modules",
    "Setting Spark log level",
    "Setting default log level to",
    "To adjust logging level use",
    "Current mem limits:",  # of Python workers, as they set spark.executor.pyspark.memory
    "Setting mem limits to",
)
_TARGETS = ("spark.master", "spark.remote")
_starting = threading.Lock()
_LAST_WORDS_S = 1.0


def spark_session(configuration: Configuration | None = None) -> SparkSession:
    """The active session of this process, or a new one made for ``configuration``.

    Keys of the configuration that begin with ``spark.`` are Spark's and win. Raises TargetUnavailable if there is no
    Java.
    """
    with _starting:
        target = target_of(configuration or Configuration())
        if target.kind is TargetKind.CONNECT:
            address = SessionAddress.of(target.master)
            return connected_session(target.master, _own_settings(configuration), token_of(address.url))
        lost_driver()
        session = SparkSession.getActiveSession()
        if session is not None:
            return session
        settings = session_settings(configuration or Configuration())
        settings |= pod_template_settings(configuration or Configuration())
        if SparkContext._active_spark_context is None:
            _start(settings)
        return SparkSession.builder.getOrCreate()


def _own_settings(configuration: Configuration | None) -> dict[str, str]:
    """Spark's settings of a session on a server that others share: what the user says, and what Spark SQL needs."""
    pairs = (configuration or Configuration()).to_dict()
    own = {key: value for key, value in pairs.items() if key.startswith("spark.") and key not in _TARGETS}
    return {
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(
            (configuration or Configuration()).get("python.fn-execution.arrow.batch.size")
        ),
    } | own


def living_session(spark: SparkSession, renew: Callable[[], SparkSession]) -> SparkSession:
    """``spark``, or what ``renew`` gives if its driver has ended. Raises TargetUnavailable if that is the same one."""
    if not is_lost(spark):
        return spark
    renewed = renew()
    if is_lost(renewed):
        raise TargetUnavailable(
            "Spark's driver has ended, and its session is not this job's to start again (it is that of a resource, "
            "or of the program): start another run, it goes on from what is stored."
        ) from NonRetryable()
    return renewed


def session_settings(configuration: Configuration) -> dict[str, str]:
    """Spark's settings of a new session."""
    settings = dict(_DEFAULTS)
    settings["spark.app.name"] = configuration.get_string("pipeline.name", None) or "flinkpy"
    settings["spark.ui.enabled"] = str(configuration.get("flinkpy.spark-ui.enabled")).lower()
    if not configuration.get("flinkpy.spark-ui.enabled"):
        settings |= _NO_HISTORY
    settings["spark.sql.execution.arrow.maxRecordsPerBatch"] = str(
        configuration.get("python.fn-execution.arrow.batch.size")
    )
    if (python := configuration.get("python.executable")) is not None and not _is_in_archive(configuration):
        settings["spark.pyspark.python"] = python
    of_target = spark_settings(configuration)
    settings |= of_target | spark_storage_settings(configuration)
    pairs = configuration.to_dict()
    settings |= {key: value for key, value in pairs.items() if key.startswith("spark.")}
    settings["spark.master"] = of_target.get(
        "spark.master", ""
    )  # the user's, unless execution.target is another
    settings.setdefault("spark.python.daemon.module", worker_daemon.__name__)
    if settings["spark.master"].startswith("local"):
        share = worker_memory_mib(slots_of_this_machine(configuration))
        settings.setdefault("spark.executor.pyspark.memory", f"{share}m")
        settings.setdefault("spark.driver.host", "127.0.0.1")
        settings.setdefault("spark.driver.bindAddress", "127.0.0.1")
    return settings


def _is_in_archive(configuration: Configuration) -> bool:
    """Is the interpreter one that the job brings? Then it is no other job's."""
    return PythonCode.of(configuration).executable_place() is not None


_DEFAULTS = {
    "spark.driver.maxResultSize": "0",  # results are handed on partition by partition, never all held
    "spark.driver.memory": "2g",
    "spark.python.worker.reuse": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "false",
    "spark.log.level": "ERROR",
    # a subtask that waits three seconds for the executor with its rows keeps all that read it waiting
    "spark.locality.wait": "0s",
    # call sites of Column and DataFrame methods, for Spark's own messages: a third of all calls of the JVM
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.python.task.killTimeout": "100ms",  # after that a canceled worker gets its warning, see early_ends
    "spark.scheduler.mode": "FAIR",  # one pool per slot sharing group: a heavy op must not starve the others
    "spark.task.maxFailures": "1",  # restarting is the business of the restart strategy
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.warehouse.dir": ".flinkpy/warehouse",
}


_NO_HISTORY = {
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.ui.retainedExecutions": "10",
}
"""What Spark keeps in the JVM of jobs that have ended, for a UI that is off: some 50 MB, after a thousand epochs."""


def worker_memory_mib(workers: int) -> int:
    """What one Python worker of this machine may use: three quarters of the memory, shared by all that run at once.

    Never less than 3 GiB: address space is what is counted, and a worker takes one GiB of it before it does anything.
    """
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")  # of a container
    if limit.exists() and (text := limit.read_text().strip()).isdigit():
        total = min(total, int(text))
    return max(3 * 1024, total * 3 // 4 // workers // 2**20)


def _start(settings: dict[str, str]) -> None:
    """Starts the JVM and the SparkContext."""
    settings = prepared(settings)
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    said: list[str] = []
    reading, writing = os.pipe()
    listener = threading.Thread(target=_pass_on, args=(os.fdopen(reading, "rb"), said), daemon=True)
    listener.start()
    try:
        try:
            gateway = launch_gateway(conf, {"stderr": writing})
        finally:
            os.close(writing)
        provide_package(without_noise_of_loss(SparkContext(conf=conf, gateway=gateway)))
    except PySparkException as error:
        listener.join(_LAST_WORDS_S)  # which it has said before it ended
        raise TargetUnavailable(f"Spark's JVM did not start: {' '.join(said) or error}") from error
    except Exception as error:  # Py4JJavaError of the SparkContext: no such master, a bad setting
        raise TargetUnavailable(
            f"Spark did not start on '{settings['spark.master']}': {_cause(error)}"
        ) from error


def prepared(settings: dict[str, str]) -> dict[str, str]:
    """Settings to start a JVM with from this process, whose environment is set for it. Raises TargetUnavailable."""
    java = java_of_spark()
    _check_master(settings["spark.master"])
    check_before_start(settings)
    _set_environment(settings)
    logging = f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}"
    return {"spark.driver.defaultJavaOptions": " ".join([logging, *use_options(java)])} | settings


def _set_environment(settings: dict[str, str]) -> None:
    """Variables Spark's JVM and the Python workers of this machine inherit."""
    os.environ.setdefault("PYSPARK_PYTHON", settings.get("spark.pyspark.python") or sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    if not settings["spark.master"].startswith("local"):
        return
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # spares Spark the look-up of the host's name
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if str(package_folder().parent) not in (*paths, *site.getsitepackages()):
        os.environ["PYTHONPATH"] = os.pathsep.join([str(package_folder().parent), *filter(None, paths)])


def _check_master(master: str) -> None:
    """Raises TargetUnavailable at once for a standalone cluster that Spark would look for for a minute."""
    if not master.startswith("spark://"):
        return
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
            return
        except (OSError, ValueError):
            continue
    raise TargetUnavailable(
        f"There is no Spark master at '{master}': start one, or set spark.master to another."
    )


def _pass_on(lines: IO[bytes], said: list[str]) -> None:
    """The JVM's error output (which is that of the Python workers too) without what Java and they always say."""
    is_chatter = False
    with lines:
        for line in lines:
            text = line.decode("utf-8", "replace")
            is_chatter = text.startswith(_CHATTER) or (is_chatter and not text.strip())
            if is_chatter:
                continue
            said[:] = [*said[-4:], *filter(None, [text.strip()])]
            sys.stderr.write(text)
            sys.stderr.flush()


def _cause(error: Any) -> str:
    java = getattr(error, "java_exception", None)
    return str(java.getMessage()) if java is not None else str(error)
