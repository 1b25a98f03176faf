"""One run of the streaming query of an unbounded job. Steps are numbered as in docs/design/epochs.md."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming import StreamingQuery

from flinkpy_dagster.dataplane.checked_frames import CheckFrames
from flinkpy_dagster.dataplane.epochs.commits import EpochSinks, Pending
from flinkpy_dagster.dataplane.epochs.control import SavepointRequest, Trigger
from flinkpy_dagster.dataplane.epochs.declaring import Declarations
from flinkpy_dagster.dataplane.epochs.inspecting import pending_results
from flinkpy_dagster.dataplane.epochs.kafka_groups import KafkaGroups
from flinkpy_dagster.dataplane.epochs.offsets import offsets_for_metadata, offsets_for_query, position_of
from flinkpy_dagster.dataplane.epochs.passes import EpochPasses, EpochReport, whole_job
from flinkpy_dagster.dataplane.epochs.polled_sources import POLLED, PolledSource, polled_source
from flinkpy_dagster.dataplane.epochs.query_folder import COMPACT_INTERVAL, SourceOffset
from flinkpy_dagster.dataplane.epochs.query_logs import QueryLogs
from flinkpy_dagster.dataplane.epochs.streams import QuerySources, named_sources, spark_side_nodes
from flinkpy_dagster.dataplane.regions.exchanges import ENGINE_SETTINGS, source_name, unshared_session
from flinkpy_dagster.dataplane.regions.regions import job_tag
from flinkpy_dagster.dataplane.regions.sources import EpochLimits
from flinkpy_dagster.dataplane.spark.driver_loss import GONE
from flinkpy_dagster.dataplane.spark.failures import spark_errors
from flinkpy_dagster.dataplane.spark.shipping import check_picklable
from flinkpy_dagster.dataplane.stage_plans import StagePlan, plan_region
from flinkpy_dagster.errors import FlinkpyError, IncompatibleState, JobFailed, StateNotStored
from flinkpy_dagster.graph.boundedness import unbounded_sources
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.runtime.checkpoints import JobEnd
from flinkpy_dagster.state.metadata import EpochMetadata

if TYPE_CHECKING:
    from flinkpy_dagster.dataplane.epochs.runner import EpochRunner

STREAM_SETTINGS = ENGINE_SETTINGS | {
    "spark.sql.streaming.fileSource.log.compactInterval": str(COMPACT_INTERVAL),
    "spark.sql.streaming.fileSource.log.cleanupDelay": "1min",
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.stopTimeout": "60s",
}
_WATCH_SECONDS = 0.02


class RunningEpochs:
    """One run of the query. ``stack`` undoes what it has opened."""

    def __init__(self, runner: "EpochRunner", stack: ExitStack, attempt: int) -> None:
        self._runner = runner
        self._attempt = attempt
        self._stack = stack
        self._trigger = Trigger.of(runner.configuration)
        self._epoch_lock = threading.Lock()  # held while an epoch is processed
        self._error: BaseException | None = None
        self._end: JobEnd | None = None
        self._query: StreamingQuery | None = None
        self._has_tick = False
        self._is_closed = False
        self.plans: tuple[StagePlan, ...] = ()

    def run(self) -> JobEnd:
        """Numbered as in docs/design/epochs.md."""
        runner = self._runner
        # 1. lead the job: from here on no other run can commit; where does it go on?
        runner.keeping.check = self._check_going_on
        start = self._lead()
        job_graph = runner.keeping.job_graph
        self.plans = plan_region(job_graph, whole_job(job_graph), in_epochs=True)
        check_picklable(plan.stage for plan in self.plans)
        self._check_declarations()
        # 2. sinks: what the last epoch has pending is committed, what no epoch knows is deleted
        self._sinks = self._open_sinks(is_fresh=start is None)
        # 3. sources, from the offsets in the metadata
        self._engine = unshared_session(runner.spark, STREAM_SETTINGS)
        self._open_sources()
        self._passes = EpochPasses(
            engine=self._engine,
            job_graph=job_graph,
            plans=self.plans,
            configuration=runner.configuration,
            sources=self._sources,
            polled={node: source for node, (_, source) in self._polled.items()},
            staged=self._sinks.staged,
            attempt=self._attempt,
            worker_code=runner.worker_code,
        )
        # 4. epochs
        try:
            self._loop()
        finally:
            self._close()
        if self._error is not None:
            raise self._error
        runner.check_canceled()
        assert self._end is not None
        return self._end

    def stop_query(self) -> None:
        """From any thread. Spark's own errors about being stopped are of no interest."""
        query = self._query
        if query is not None:
            with suppress(PySparkException, *GONE):
                query.stop()

    def interrupt(self) -> None:
        """From any thread: ``run`` raises."""
        self._error = self._error or JobFailed(self._runner.job_graph.name, "it is to begin again.")
        with suppress(*GONE):
            self._runner.spark.sparkContext.cancelJobsWithTag(job_tag(self._runner.job_id))

    # -- opening ------------------------------------------------------------------------------------------

    def _lead(self) -> EpochMetadata | None:
        """The epoch to go on from; what is refused because of it is told before."""
        keeping = self._runner.keeping
        try:
            return keeping.lead()
        except IncompatibleState:
            if keeping.report is not None:
                self._runner.listener.on_restore(keeping.report)
            raise

    def _check_declarations(self) -> None:
        """Tells what becomes of the state. Raises IncompatibleState if the program declares it otherwise."""
        runner, keeping = self._runner, self._runner.keeping
        if keeping.report is None:
            return
        if self._attempt == 0:  # later ones have the same program
            declarations = Declarations(
                job_graph=keeping.job_graph,
                plans=self.plans,
                configuration=runner.configuration,
                epoch=Epoch(number=keeping.epoch + 1, folder=keeping.folder, restored=keeping.refs),
                worker_code=runner.worker_code,
            )
            for each in declarations.misfits(runner.spark):
                keeping.report = keeping.report.with_misfit(each.operator_id, each.reason, each.instead)
        runner.listener.on_restore(keeping.report)
        keeping.report.check()

    def _open_sinks(self, *, is_fresh: bool) -> EpochSinks:
        """Raises StaleLeader if another run leads by now: what is in the folders of the sinks may be that one's."""
        keeping = self._runner.keeping
        if (superseded := keeping.superseded()) is not None:
            raise superseded
        sinks = EpochSinks(
            spark=self._runner.spark,
            plans=self.plans,
            owner=keeping.owner,
            run=str(keeping.token),
            folder=keeping.folder,
            files=keeping.files,
        )
        sinks.prepare(is_fresh=is_fresh)
        if keeping.newest is not None:
            sinks.commit(keeping.newest)
        sinks.discard()
        return sinks

    def _open_sources(self) -> None:
        runner, offsets = self._runner, self._runner.keeping.offsets
        self._polled: dict[int, tuple[str, PolledSource]] = {}
        for node, spec in spark_side_nodes(runner.job_graph):
            if isinstance(spec, POLLED):
                source = polled_source(source_name(node), spec, position_of(offsets, node))
                self._stack.callback(source.close)
                self._polled[node.id] = (node.operator_id, source)
        limits = EpochLimits.of(runner.configuration)
        self._sources = QuerySources.open(self._engine, runner.job_graph, limits)
        self._groups = KafkaGroups.of(self._engine, runner.job_graph, self._stack)
        keeping = runner.keeping
        self._logs = QueryLogs(keeping.folder, keeping.token, keeping.files, self._stack)
        before = keeping.epoch - 1  # Spark counts from 0
        self._logs.begin(before, offsets_for_query(keeping.folder, self._sources, offsets))

    # -- the query ----------------------------------------------------------------------------------------

    def _loop(self) -> None:
        """Starts the query, again and again if it ends although there is more to do, and looks after it."""
        while True:
            if self._wants_tick():  # an available-now run takes what an endless source has at its beginning
                self._tick()
            self._query = self._start()
            while self._query.isActive and self._end is None and self._error is None:
                self._look_after()
            if self._end is not None or self._error is not None or self._runner._canceled.is_set():
                return
            self._query.awaitTermination()  # raises what made it fail
            if not self._wants_tick(of_endless=False):
                self._suspend()
                return

    def _close(self) -> None:
        """An epoch that is under way ends first: the next attempt of this process must find nobody who commits."""
        self.stop_query()
        with self._epoch_lock:
            self._is_closed = True

    def _start(self) -> StreamingQuery:
        writer = self._sources.frame.writeStream.foreachBatch(self._on_batch)
        writer = writer.option("checkpointLocation", self._logs.folder)
        return self._trigger.applied(writer).start()

    def _look_after(self) -> None:
        """Between epochs: timers that are due, sources of the driver, what people ask for."""
        time.sleep(_WATCH_SECONDS)
        if (
            self._runner.requests.is_waiting
            and self._runner.keeping.epoch
            and self._epoch_lock.acquire(blocking=False)
        ):
            try:
                self._serve_requests()
            finally:
                self._epoch_lock.release()
        if not self._trigger.is_available_now and not self._has_tick and self._wants_tick():
            self._tick()

    def _wants_tick(self, *, of_endless: bool = True) -> bool:
        if self._end is not None or self._error is not None:
            return False
        sources = [source for _, source in self._polled.values() if of_endless or not source.is_endless]
        if any(source.has_more() for source in sources):
            return True
        requests = self._runner.requests
        if (
            requests.wants_drain
            or self._is_last()
            or (requests.is_waiting and not self._runner.keeping.epoch)
        ):
            return True
        timer_ms = self._runner.keeping.next_timer_ms
        return timer_ms is not None and timer_ms <= self._runner.clock.now_ms()

    def _tick(self) -> None:
        self._has_tick = True
        self._sources.ticks.add()

    def _suspend(self) -> None:
        """Available-now, and all that was available is done."""
        self._name_checkpoint()
        self._end = JobEnd.SUSPENDED

    def _name_checkpoint(self) -> None:
        checkpoint = self._runner.keeping.name_newest_checkpoint(self._runner.clock.now_ms())
        if checkpoint is not None:
            self._runner.listener.on_checkpoint(checkpoint)
            self._groups.tell(checkpoint.offsets)

    def _serve_checkpoint(self, request: SavepointRequest) -> None:
        """The newest epoch becomes a checkpoint, if it is none."""
        self._name_checkpoint()
        newest = self._runner.keeping.newest
        if newest is None or newest.checkpoint_id is None:
            job = self._runner.job_graph.name
            request.path.set_exception(JobFailed(job, "this run has not completed an epoch yet."))
        else:
            request.path.set_result(str(newest.checkpoint_id))

    # -- an epoch -----------------------------------------------------------------------------------------

    def _on_batch(self, rows: DataFrame, batch: int) -> None:
        """Called by Spark in a thread of its own. An error is kept for ``run`` and ends the query; Spark is not told:
        it words errors anew, and waits for ever for a callback that ends by what is no Exception.
        """
        with self._epoch_lock:
            is_over = self._is_closed or self._end is not None or self._error is not None
            if is_over or self._runner._canceled.is_set():
                return  # the query is about to be stopped: what Spark notes in its folder is never read again
            try:
                self._epoch(rows, batch + 1)
            except BaseException as error:
                self._error = self._runner.keeping.superseded() or error

    def _epoch(self, rows: DataFrame, number: int) -> None:
        runner, keeping, observe = self._runner, self._runner.keeping, self._runner.observe
        if number <= keeping.epoch:
            raise RuntimeError(f"Spark runs epoch {number} after epoch {keeping.epoch}.")
        began = time.monotonic()
        self._has_tick = False
        is_draining = runner.requests.may_drain(self._inspect_state)
        # 1. the rows through all stages; sinks write pending files, operators their state
        observe("planned", number)
        epoch = Epoch(
            number=number,
            folder=keeping.folder,
            restored=keeping.refs,
            is_last=is_draining or self._is_last(),
            files=keeping.files.of(keeping.folder),
        )
        report = self._processed(rows, epoch)
        observe("processed", number)
        pending = self._sinks.pending()
        self._inspect(pending)
        # 2. the metadata: with it the epoch has happened
        planned = self._planned(number)
        polled = dict(self._polled.values())
        committed = keeping.commit(
            number=number,
            report=report,
            offsets=offsets_for_metadata(keeping.folder, self._sources, planned, polled),
            pending=pending,
            is_last=epoch.is_last,
            duration_s=time.monotonic() - began,
            now_ms=runner.clock.now_ms(),
        )
        observe("committed", number)
        # 3. what it wrote becomes visible
        self._sinks.commit(committed)
        observe("published", number)
        runner.totals.add(report, self._sinks)
        runner.listener.on_epoch(committed, keeping.take_news())
        if committed.checkpoint_id is not None:
            self._groups.tell(committed.offsets)
        self._serve_requests()
        if epoch.is_last and self._end is None:
            self._end = JobEnd.FINISHED

    def _processed(self, rows: DataFrame, epoch: Epoch) -> EpochReport:
        """The same rows again if state could not be stored, as often as that is tolerated."""
        while True:
            try:
                with self._job_of(rows):
                    for output in self._passes.run(rows, epoch):
                        if not self._sinks.take(output):
                            self._runner.listener.on_sink_output(output)
                return self._passes.report()
            except StateNotStored as problem:
                self._sinks.forget()
                self._runner.keeping.not_stored(str(problem))

    def _planned(self, number: int) -> tuple[SourceOffset, ...]:
        """How far the sources are read in an epoch; tried again like all of its state if that cannot be stored."""
        while True:
            try:
                return self._logs.planned(number - 1, self._sources.size)
            except OSError as problem:
                self._runner.keeping.not_stored(str(problem))

    def _inspect(self, pending: Pending) -> None:
        """Who may object to what the epoch has written sees it; an objection ends the job, the epoch has not been."""
        inspector = self._runner.inspector
        if inspector is not None and pending:
            try:
                inspector.inspect(pending_results(self._sinks, pending))
            except FlinkpyError:
                self._runner.check_canceled()  # canceled queries look like failed checks
                raise

    def _inspect_state(self) -> None:
        """The same for the state of the newest epoch, before it is a savepoint."""
        inspector = self._runner.inspector
        if inspector is not None and self._runner.keeping.newest is not None:
            frames = CheckFrames(self._runner.spark, self._runner.keeping.files)
            inspector.inspect_state(self._runner.keeping.newest_path, frames)

    def _check_going_on(self) -> None:
        """Raises when the job is to end, or to begin again."""
        self._runner.check_canceled()
        if self._error is not None:
            raise self._error

    @contextmanager
    def _job_of(self, rows: DataFrame) -> Iterator[None]:
        """Spark's jobs in this thread are tagged like all others of the job."""
        context, tag = rows.sparkSession.sparkContext, job_tag(self._runner.job_id)
        context.addJobTag(tag)
        context.setJobDescription(self._runner.job_graph.name)
        with spark_errors(self._runner.job_graph.name, tag, sources=named_sources(self._runner.job_graph)):
            yield

    def _is_last(self) -> bool:
        """Are all sources at their end? Only the driver's own can be."""
        is_polled = len(unbounded_sources(self._runner.job_graph)) == len(self._polled)
        return (
            is_polled
            and not self._sources.streams
            and all(source.has_ended for _, source in self._polled.values())
        )

    def _serve_requests(self) -> None:
        """Savepoints and stops, right after an epoch or between two."""
        for request in self._runner.requests.take(after_drain=self._runner.keeping.is_drained):
            if request.is_checkpoint:
                self._serve_checkpoint(request)
                continue
            made = request.serve(self._runner.keeping, self._runner.clock.now_ms(), self._inspect_state)
            if made is not None:
                self._runner.listener.on_savepoint(*made)
            if request.stops:
                self._end = JobEnd.STOPPED
