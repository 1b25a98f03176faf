"""What the handlers share: the instance, the settings, and the logs of jobs as far as they have been read."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from flinkpy_dagster.errors import JobNotFound
from flinkpy_dagster.gateway.rest.failures import job_not_found
from flinkpy_dagster.gateway.settings import GatewaySettings
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.orchestration.dispatcher.details import JobDetails, job_details
from flinkpy_dagster.orchestration.dispatcher.job_log import JobLog, Kept, kept, kept_before
from flinkpy_dagster.orchestration.dispatcher.jobs import JobOverview, find_job, list_jobs, runs_of_job
from flinkpy_dagster.runtime.checkpoint_statistics import merged

_LOGS_HELD = 1000
_OPERATIONS_HELD = 1000


class Gateway:
    """Thread-safe."""

    def __init__(self, instance: Any, settings: GatewaySettings):
        self.instance, self.settings = instance, settings
        self.operations = Operations()
        self.uploads = threading.Lock()
        self.started_ms = now_ms()
        self._logs: OrderedDict[str, _HeldLog] = OrderedDict()
        self._lock = threading.Lock()

    def jobs(self) -> list[JobOverview]:
        """All of the instance, the newest first."""
        return list_jobs(self.instance)

    def overview(self, job_id: str) -> JobOverview:
        """Raises RestError 404."""
        try:
            return find_job(self.instance, job_id)
        except JobNotFound:
            raise job_not_found(job_id) from None

    def details(self, job_id: str) -> JobDetails:
        """Raises RestError 404."""
        return self.details_of(self.overview(job_id))

    def details_of(self, overview: JobOverview) -> JobDetails:
        """Reads what the log has not been read for; nothing at all once the job has ended."""
        with self._lock:
            held = self._logs.setdefault(overview.run_id, _HeldLog(JobLog(overview.run_id)))
            self._logs.move_to_end(overview.run_id)
            while len(self._logs) > _LOGS_HELD:
                self._logs.popitem(last=False)
        return held.details(self.instance, overview)


class _HeldLog:
    """One run's log, and what became of it when it was last looked at."""

    def __init__(self, log: JobLog):
        self._log = log
        self._lock = threading.Lock()
        self._known: tuple[JobOverview, Kept, JobDetails] | None = None
        self._before: list[Mapping[str, Any]] | None = None  # checkpoints of runs of this job that have ended

    def details(self, instance: Any, overview: JobOverview) -> JobDetails:
        with self._lock:
            known = self._known
            if known is not None and known[0] == overview and overview.is_terminal:
                return known[2]
            is_new = self._log.read(instance)
            numbers = kept(instance, overview.run_id)
            if known is not None and not is_new and known[:2] == (overview, numbers):
                return known[2]
            if self._before is None:
                runs = runs_of_job(instance, overview.job_id)
                self._before = kept_before(instance, [record.dagster_run.run_id for record in runs[1:]])
            whole = replace(numbers, checkpoints=merged([numbers.checkpoints, *self._before]))
            details = job_details(overview, self._log.told, whole)
            self._known = overview, numbers, details
            return details


class Operations:
    """What takes its time and is asked for by a trigger id: of Flink's ``CompletedOperationCache``, the newest ones."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="operation")
        self._futures: OrderedDict[tuple[str, str], Future[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, kind: str, work: Callable[[], Any], trigger_id: str | None = None) -> str:
        """Runs ``work`` in a thread; the id. One that is known already is not started again."""
        trigger_id = trigger_id or random_id()
        with self._lock:
            if (kind, trigger_id) not in self._futures:
                self._futures[kind, trigger_id] = self._threads.submit(work)
            while len(self._futures) > _OPERATIONS_HELD:
                self._futures.popitem(last=False)
        return trigger_id

    def find(self, kind: str, trigger_id: str) -> "Future[Any] | None":
        """None: there is none, or it was long ago."""
        with self._lock:
            return self._futures.get((kind, trigger_id))


def now_ms() -> int:
    return time.time_ns() // 1_000_000
