"""Pictures as metadata: of the job when it is loaded, of the run when it has ended, of its checkpoints now and then."""

import base64
import itertools

import pytest
from dagster import (
    DagsterInstance,
    Definitions,
    ResourceDefinition,
    build_reconstructable_job,
    define_asset_job,
    execute_job,
)

from flinkpy_dagster import definitions_from, slot_sharing_executor
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UserCodeError
from flinkpy_dagster.orchestration.job.graph_picture import GRAPH
from flinkpy_dagster.orchestration.job.job_pictures import SLOTS, tell_pictures
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.programs.checkpoint_history import PICTURE, CheckpointHistory
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from flinkpy_dagster.orchestration.programs.program_ops import ProgramOps
from flinkpy_dagster.orchestration.run_control import run_control
from flinkpy_dagster.runtime.checkpoint_statistics import CheckpointRecord
from tests.orchestration import programs
from tests.orchestration.fake_runner import FakeRunner

pytestmark = pytest.mark.dagster
_current: dict[str, JobRun] = {}
_serials = itertools.count()


def picture(markdown: str) -> str:
    """The SVG in the Markdown of a picture."""
    uri = markdown.partition("](")[2].removesuffix(")")
    assert uri.startswith("data:image/svg+xml;base64,")
    return base64.b64decode(uri.partition(",")[2]).decode()


def definition(serial: int = 0):
    """The Dagster job of the JobRun under test; ``serial``: Dagster caches by arguments."""

    def attached(context):
        control = run_control(context.run.run_id)
        _current["run"].attach(control)
        tell_pictures(control, _current["run"].graph, _current["run"].results)
        return _current["run"]

    assets = ProgramOps(_current["run"].graph, resource_key="words_run").assets()
    return Definitions(
        assets=[assets],
        jobs=[define_asset_job("words_job", [assets], executor_def=slot_sharing_executor)],
        resources={"words_run": ResourceDefinition(attached)},
    ).resolve_job_def("words_job")


def pictures_of(program, runner: FakeRunner) -> tuple[dict[str, str], list[str]]:
    """Those that the run tells at its end, and the assets that show some."""
    captured = program_source(program).capture([], Configuration())
    _current["run"] = JobRun(NamedGraph("words", captured.job_graph), lambda: runner)
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    job = build_reconstructable_job(__name__, "definition", (next(_serials),))
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(job, instance, run_config=quiet, raise_on_error=False)
        told = [
            record.dagster_event.engine_event_data.metadata
            for record in instance.all_logs(result.run_id)
            if record.is_dagster_event and record.dagster_event.is_engine_event
        ]
    (metadata,) = [each for each in told if GRAPH in each]
    assets = [
        event.asset_key.path[-1]
        for event in result.get_asset_materialization_events()
        if GRAPH in event.materialization.metadata
    ]
    return {name: picture(metadata[name].value) for name in (GRAPH, SLOTS)}, assets


def test_run_when_it_has_ended_then_one_event_has_graph_and_slots() -> None:
    drawn, assets = pictures_of(programs.batch, FakeRunner())
    assert "words" in drawn[GRAPH]
    assert "HASH" in drawn[GRAPH]
    assert all(
        text in drawn[SLOTS] for text in ("slot 0", "slot 1", "map: FINISHED", "collection_source: FINISHED")
    )


def test_run_when_an_op_has_failed_then_its_slots_say_so() -> None:
    drawn, assets = pictures_of(
        programs.batch, FakeRunner(errors={1: UserCodeError("Map", "ValueError", "no", "")})
    )
    assert "map: FAILED" in drawn[SLOTS]
    assert "reduce" not in drawn[SLOTS]
    assert assets == []


def test_job_when_loaded_then_it_has_a_picture_of_its_graph() -> None:
    job = definitions_from(programs.batch).resolve_job_def("batch_job")
    assert "collection" in picture(job.metadata[GRAPH].value).lower()


def test_checkpoints_when_many_then_a_picture_every_five_minutes_and_at_the_end() -> None:
    history = CheckpointHistory()
    assert history.metadata("job", is_due=True) == {}
    for number in range(1, 4):
        history.add(
            CheckpointRecord(id=number, is_savepoint=False, triggered_ms=0, completed_ms=number * 100)
        )
    assert "3 checkpoints" in picture(history.metadata("job")[PICTURE].value)
    assert history.metadata("job") == {}
    assert PICTURE in history.metadata("job", is_due=True)
