"""Spark for a job: a session that starts while other things happen, and the runner of regions on it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.orchestration.job.job_run import Runner
from flinkpy_dagster.orchestration.job.resuming import Records
from flinkpy_dagster.orchestration.job.session_limits import check_session_job
from flinkpy_dagster.orchestration.streaming.stream_run import epoch_runner
from flinkpy_dagster.runtime.job_tasks import tasks_by_region, tasks_of
from flinkpy_dagster.runtime.scheduling import slots_for_job
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.state.storage.schemes import is_remote, state_folder

_LEAST_SLOTS = "slotmanager.number-of-slots.min"


class SessionStart:
    """A SparkSession that starts in a thread of its own; ``session()`` waits for it and raises what went wrong.

    When it did not start, or its driver has ended since then, whoever asks next gets another one.
    """

    def __init__(self, configuration: Configuration):
        self._configuration = configuration
        self._lock = threading.Lock()
        self._future: Future[Any] | None = self._start()

    def session(self) -> Any:
        with self._lock:
            if self._future is None:
                self._future = self._start()
            try:
                spark = self._future.result()
                from flinkpy_dagster.dataplane.spark.driver_loss import is_lost

                if is_lost(spark):
                    self._future = self._start()
                return self._future.result()
            except BaseException:
                self._future = None
                raise

    def _start(self) -> "Future[Any]":
        future: Future[Any] = Future()
        threading.Thread(target=self._make, args=(future,), name="spark-start", daemon=True).start()
        return future

    def _make(self, future: "Future[Any]") -> None:
        try:
            from flinkpy_dagster.dataplane.regions.regions import RegionRunner  # noqa: F401  imported beside the JVM's start
            from flinkpy_dagster.dataplane.spark.session import spark_session

            future.set_result(spark_session(self._configuration))
        except BaseException as error:
            future.set_exception(error)


def with_held_slots(configuration: Configuration, job_graph: JobGraph) -> Configuration:
    """For the session of a job. An unbounded one, and any under EAGER, holds its slots also while it does nothing in
    them, as in Flink: their TaskManagers are not idle, and the next epoch must not wait for them.
    """
    is_eager = SchedulingMode(configuration.get("jobmanager.scheduling-mode")) is SchedulingMode.EAGER
    if configuration.contains_key(_LEAST_SLOTS) or not (is_eager or is_unbounded(job_graph)):
        return configuration
    tasks = tasks_of(job_graph)
    groups = [tasks] if is_eager else tasks_by_region(tasks).values()
    needed = max(map(slots_for_job, groups))
    most = configuration.get("slotmanager.number-of-slots.max")
    return Configuration(configuration).set(_LEAST_SLOTS, needed if most is None else min(needed, most))


def data_folder(configuration: Configuration, job_name: str, job_id: str) -> str:
    """Where the stored data sets of one job lie: an absolute path, or a URI of any file system that Hadoop knows."""
    root = configuration.get("flinkpy.data-sets.dir")
    folder = root if is_remote(root) else state_folder(root)
    return f"{folder.rstrip('/')}/{job_name}/{job_id}"


def region_runner(
    session: Callable[[], Any],
    job_graph: JobGraph,
    configuration: Configuration,
    folder: str,
    listener: Any,
    job_id: str,
    inspector: Any = None,
    mode: SchedulingMode | None = None,
) -> Runner:
    """The RegionRunner of a job, or its EpochRunner if it is unbounded; waits for the session and a slot.

    ``inspector`` (``dataplane.checked_frames.Inspector``) looks at results before they become visible. ``mode``: that
    of the run; None, the option's.
    """
    check_session_job(job_graph, configuration)
    session = _with_slots(session, job_graph, configuration, mode)
    if is_unbounded(job_graph):
        return epoch_runner(session, job_graph, configuration, listener, job_id, folder, inspector)
    spark = session()
    from flinkpy_dagster.dataplane.data_sets import DataSetStore
    from flinkpy_dagster.dataplane.regions.regions import RegionRunner

    return RegionRunner(
        spark=spark,
        job_graph=job_graph,
        configuration=configuration,
        store=DataSetStore(folder),
        listener=listener,
        job_id=job_id,
        renew=session,
        inspector=inspector,
    )


def _with_slots(
    session: Callable[[], Any],
    job_graph: JobGraph,
    configuration: Configuration,
    mode: SchedulingMode | None,
) -> Callable[[], Any]:
    """Raises SlotsUnavailable when the cluster has none in time. EAGER asks for those of the whole job at once."""
    mode = mode or SchedulingMode(configuration.get("jobmanager.scheduling-mode"))
    tasks = tasks_of(job_graph)
    groups = [tasks] if mode is SchedulingMode.EAGER else list(tasks_by_region(tasks).values())

    def with_slots() -> Any:
        spark = session()
        from flinkpy_dagster.dataplane.spark.cluster_slots import await_slots

        await_slots(
            spark,
            max(map(slots_for_job, groups)),
            configuration.get("slot.request.timeout").total_seconds(),
            f"job '{job_graph.name}'",
            at_once=mode is SchedulingMode.EAGER,
            spare=configuration.get("slotmanager.redundant-taskmanager-num"),
        )
        return spark

    return with_slots


def records_of(run_id: str) -> Callable[[Any], Records]:
    """The records that a run with this id writes, given its RegionRunner."""

    def made(runner: Any) -> Records:
        from flinkpy_dagster.dataplane.regions.result_records import ResultRecords

        return ResultRecords(runner.spark, runner.store, run_id)

    return made
