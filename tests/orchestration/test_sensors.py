"""Sensors and schedules, one evaluation after the other on an instance in memory."""

import json
import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from dagster import (
    AssetKey,
    AssetMaterialization,
    DagsterInstance,
    DagsterRunStatus,
    MetadataValue,
    RunRequest,
    build_schedule_context,
    build_sensor_context,
    job,
    op,
)
from dagster._core.test_utils import create_run_for_test

from flinkpy_dagster import (
    AssetMaterialized,
    CheckpointTooOld,
    KafkaOffsets,
    NewFiles,
    RestartCount,
    WatermarkLag,
    after_savepoint,
    alert_on,
    keep_running,
    launch_at,
    launch_on,
)
from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.orchestration.sensors.launching import LAUNCH_TAG
from flinkpy_dagster.orchestration.sensors.triggers import FileSeen
from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob

pytestmark = pytest.mark.dagster


@op
def nothing() -> None:
    pass


@job
def mine() -> None:
    nothing()


@pytest.fixture
def instance():
    with DagsterInstance.ephemeral() as made:
        yield made


class Ticks:
    """Evaluates a sensor as the daemon does: the cursor of a tick is the next one's."""

    def __init__(self, sensor, instance):
        self.sensor, self.instance, self.cursor = sensor, instance, None

    def next(self):
        """Run requests of one tick; the reason if there are none."""
        context = build_sensor_context(self.instance, cursor=self.cursor, sensor_name=self.sensor.name)
        result = self.sensor.evaluate_tick(context)
        self.cursor = result.cursor if result.cursor is not None else self.cursor
        return result.run_requests or result.skip_message


def run(instance, name="mine", status=DagsterRunStatus.SUCCESS, **tags):
    return create_run_for_test(instance, job_name=name, status=status, tags=tags)


def arrive(folder, *names):
    for name in names:
        (folder / name).write_text(name)


# -- new files ---------------------------------------------------------------------------------------------


def test_new_files_when_they_arrive_then_one_launch_and_none_for_the_same_again(tmp_path, instance) -> None:
    ticks = Ticks(launch_on("words", NewFiles(str(tmp_path), "*.csv")), instance)
    assert ticks.next() == "There is nothing new."
    arrive(tmp_path, "a.csv", "b.csv", ".hidden.csv", "_SUCCESS", "c.txt")
    (request,) = ticks.next()
    assert request.tags["flinkpy/trigger"] == f"2 new files in {tmp_path}: a.csv, b.csv"
    assert request.run_config == {
        "resources": {"words_run": {"config": {"configuration": {"execution.trigger": "available-now"}}}}
    }
    assert ticks.next() == "There is nothing new."


def test_new_files_when_the_daemon_dies_before_the_cursor_is_kept_then_same_run_key(
    tmp_path, instance
) -> None:
    arrive(tmp_path, "a", "b")
    sensor = launch_on(mine, NewFiles(str(tmp_path)))
    ((first,), (again,)) = (Ticks(sensor, instance).next() for _ in range(2))
    assert first.run_key == again.run_key
    arrive(tmp_path, "c")
    (other,) = Ticks(sensor, instance).next()
    assert other.run_key != first.run_key


def test_new_files_when_one_is_replaced_then_it_is_new(tmp_path, instance) -> None:
    ticks = Ticks(launch_on(mine, NewFiles(str(tmp_path))), instance)
    arrive(tmp_path, "a", "b")
    (first,) = ticks.next()
    (tmp_path / "a").write_text("longer")
    (second,) = ticks.next()
    assert second.tags["flinkpy/trigger"].endswith(": a")
    assert second.run_key != first.run_key


def test_new_files_when_unsettled_then_left_for_later(tmp_path, instance) -> None:
    arrive(tmp_path, "old", "young")
    os.utime(tmp_path / "old", (time.time() - 60,) * 2)
    news = NewFiles(str(tmp_path), settled=timedelta(seconds=30)).look(instance, None)
    assert [os.path.basename(path) for path in news.content] == ["old"]


def test_new_files_when_a_listing_is_given_then_it_is_asked(instance) -> None:
    trigger = NewFiles("s3://bucket", listing=lambda: [FileSeen("s3://bucket/x", 1.0, 2)])
    assert trigger.look(instance, None).content == ("s3://bucket/x",)


def test_launch_when_a_run_is_under_way_then_news_wait(tmp_path, instance) -> None:
    ticks = Ticks(launch_on(mine, NewFiles(str(tmp_path))), instance)
    under_way = run(instance, status=DagsterRunStatus.STARTED)
    arrive(tmp_path, "a")
    assert ticks.next() == f"Run {under_way.run_id} of mine is under way."
    instance.report_run_canceled(under_way)
    assert len(ticks.next()) == 1


def test_launch_when_its_run_failed_then_again_with_longer_pauses_and_not_for_ever(
    tmp_path, instance, monkeypatch
) -> None:
    sensor = launch_on(mine, NewFiles(str(tmp_path)), retries=2, retry_delay=timedelta(seconds=100))
    ticks, clock = Ticks(sensor, instance), time.time()
    monkeypatch.setattr("flinkpy_dagster.orchestration.sensors.launching.time.time", lambda: clock)
    arrive(tmp_path, "a")
    (request,) = ticks.next()
    keys = [request.run_key]
    for pause in (100, 200):
        fail(instance, run(instance, status=DagsterRunStatus.STARTED, **request.tags))
        assert "launched again in" in ticks.next()
        clock += pause + 5
        (request,) = ticks.next()
        keys.append(request.run_key)
    fail(instance, run(instance, status=DagsterRunStatus.STARTED, **request.tags))
    clock += 1000
    assert ticks.next() == "There is nothing new."
    assert keys == [keys[0], f"{keys[0]}#1", f"{keys[0]}#2"]


def fail(instance, dagster_run):
    instance.report_run_failed(dagster_run)


def test_launch_when_requests_are_made_by_the_user_then_they_get_run_keys(tmp_path, instance) -> None:
    def per_file(news):
        return [RunRequest(tags={"file": os.path.basename(path)}) for each in news for path in each.content]

    arrive(tmp_path, "a", "b")
    requests = Ticks(launch_on(mine, NewFiles(str(tmp_path)), requests=per_file), instance).next()
    assert sorted(each.tags["file"] for each in requests) == ["a", "b"]
    assert len({each.run_key for each in requests}) == 2
    assert len({each.tags[LAUNCH_TAG] for each in requests}) == 1


# -- assets and offsets --------------------------------------------------------------------------------------


def test_asset_when_materialized_then_launch_once_for_all_that_is_new(instance) -> None:
    ticks = Ticks(launch_on(mine, AssetMaterialized("raw/flights")), instance)
    assert ticks.next() == "There is nothing new."
    for partition in ("2013-01-01", "2013-01-02"):
        instance.report_runless_asset_event(AssetMaterialization(["raw", "flights"], partition=partition))
    news = AssetMaterialized("raw/flights").look(instance, None)
    assert sorted(news.content) == ["2013-01-01", "2013-01-02"]
    assert len(ticks.next()) == 1
    assert ticks.next() == "There is nothing new."
    instance.report_runless_asset_event(AssetMaterialization(["raw", "flights"]))
    assert len(ticks.next()) == 1


def test_kafka_when_ends_move_then_launch(instance) -> None:
    ends = {"orders-0": 0, "orders-1": 0}
    ticks = Ticks(launch_on(mine, KafkaOffsets("localhost:9", ("orders",), offsets=lambda: ends)), instance)
    assert ticks.next() == "There is nothing new."
    ends["orders-1"] = 7
    (request,) = ticks.next()
    assert request.tags["flinkpy/trigger"] == "7 new records in orders"
    assert ticks.next() == "There is nothing new."
    ends |= {"orders-0": 0, "orders-1": 2}  # the topic was made anew
    (request,) = ticks.next()
    assert request.tags["flinkpy/trigger"] == "2 new records in orders"


def test_kafka_when_there_is_no_client_then_it_says_what_to_install(instance, monkeypatch) -> None:
    monkeypatch.setattr("flinkpy_dagster.orchestration.sensors.kafka_offsets.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match="install kafka-python or confluent-kafka"):
        KafkaOffsets("localhost:9", ("orders",)).look(instance, None)


def test_launch_when_several_triggers_then_each_keeps_its_own_cursor(tmp_path, instance) -> None:
    ticks = Ticks(launch_on(mine, NewFiles(str(tmp_path)), AssetMaterialized("raw/flights")), instance)
    arrive(tmp_path, "a")
    assert len(ticks.next()) == 1
    instance.report_runless_asset_event(AssetMaterialization(["raw", "flights"]))
    (request,) = ticks.next()
    assert request.tags["flinkpy/trigger"] == "asset raw/flights has been materialized"
    assert ticks.next() == "There is nothing new."
    assert set(json.loads(ticks.cursor)["seen"]) == {f"files {tmp_path}/*", "asset raw/flights"}


# -- keeping a job running -----------------------------------------------------------------------------------


def test_keep_when_it_has_never_run_then_launched_and_while_it_runs_not(instance) -> None:
    ticks = Ticks(keep_running(mine), instance)
    (request,) = ticks.next()
    assert request.run_key == "mine after never"
    under_way = run(instance, status=DagsterRunStatus.STARTED)
    assert ticks.next() == f"mine runs: {under_way.run_id}."


def test_keep_when_it_failed_then_launched_again_after_the_pause(instance) -> None:
    failed = run(instance, status=DagsterRunStatus.STARTED)
    fail(instance, failed)
    assert "launched again in" in Ticks(keep_running(mine, pause=timedelta(minutes=1)), instance).next()
    (request,) = Ticks(keep_running(mine, pause=timedelta(0)), instance).next()
    assert request.run_key == f"mine after {failed.run_id}"


def test_keep_when_it_fails_again_and_again_then_pauses_double(instance) -> None:
    for _ in range(4):
        fail(instance, run(instance, status=DagsterRunStatus.STARTED))
    reason = Ticks(keep_running(mine, pause=timedelta(seconds=10)), instance).next()
    assert 70 < float(reason.rpartition(" in ")[2].removesuffix(" s.")) <= 80


def test_keep_when_somebody_ended_it_then_it_stays_down_unless_told_otherwise(instance) -> None:
    ended = run(instance, status=DagsterRunStatus.CANCELED)
    assert "has ended as CANCELED" in Ticks(keep_running(mine), instance).next()
    (request,) = Ticks(keep_running(mine, even_if_stopped=True), instance).next()
    assert request.run_key == f"mine after {ended.run_id}"


def test_keep_when_dagster_retries_it_then_left_to_dagster(instance) -> None:
    fail(instance, run(instance, status=DagsterRunStatus.STARTED, **{"dagster/will_retry": "true"}))
    assert "Dagster retries it itself" in Ticks(keep_running(mine, pause=timedelta(0)), instance).next()


# -- what may be wrong ---------------------------------------------------------------------------------------


def checkpoint(instance, run_id, number=1, **about):
    """A checkpoint as the program's op tells it."""
    watermark = about.pop("watermark", None)
    metadata = {"id": number, "kind": "checkpoint", "job_id": "j", "path": MetadataValue.path("/x"), **about}
    if watermark is not None:
        metadata["watermark"] = MetadataValue.timestamp(watermark)
    event = AssetMaterialization(AssetKey(["words", "checkpoints"]), metadata=metadata)
    if run_id is None:
        instance.report_runless_asset_event(event)
    else:
        from dagster._core.events import DagsterEvent, DagsterEventType, StepMaterializationData

        instance.report_dagster_event(
            DagsterEvent(
                event_type_value=DagsterEventType.ASSET_MATERIALIZATION.value,
                job_name="words_job",
                event_specific_data=StepMaterializationData(event),
            ),
            run_id,
        )


def started(instance):
    made = run(instance, "words_job", DagsterRunStatus.STARTING)
    from dagster._core.events import DagsterEvent, DagsterEventType

    instance.report_dagster_event(
        DagsterEvent(event_type_value=DagsterEventType.RUN_START.value, job_name="words_job"), made.run_id
    )
    return made


def test_checkpoint_too_old_when_it_is_then_said_with_both_times(instance) -> None:
    words, now = WatchedJob.of("words"), time.time()
    condition = CheckpointTooOld(timedelta(minutes=5))
    assert condition.problem(instance, words, now + 1000) is None  # it does not run
    made = started(instance)
    assert condition.problem(instance, words, now + 60) is None
    assert (
        condition.problem(instance, words, now + 600.4)
        == "Job words_job: 10 min since its start without a checkpoint, 5 min are allowed."
    )
    checkpoint(instance, made.run_id)
    assert condition.problem(instance, words, time.time() + 200) is None
    assert "since its last checkpoint" in condition.problem(instance, words, time.time() + 400)


def test_watermark_lag_when_too_far_behind_then_said(instance) -> None:
    words, now = WatchedJob.of("words"), time.time()
    condition = WatermarkLag(timedelta(seconds=30))
    made = started(instance)
    assert condition.problem(instance, words, now) is None
    checkpoint(instance, made.run_id, watermark=now - 10)
    assert condition.problem(instance, words, now) is None
    assert condition.problem(instance, words, now + 50).startswith(
        "Job words_job: its watermark is 1 min behind, 30 s"
    )


def test_restart_count_when_runs_failed_within_the_time_then_counted(instance) -> None:
    words = WatchedJob.of("words")
    for _ in range(3):
        fail(instance, run(instance, "words_job", DagsterRunStatus.STARTED))
    assert RestartCount(3).problem(instance, words, time.time()) is None
    assert (
        RestartCount(2).problem(instance, words, time.time())
        == "Job words_job: 3 restarts within 1 h, 2 are allowed."
    )
    assert RestartCount(2).problem(instance, words, time.time() + 4000) is None


class Broken:
    """A condition that the test sets."""

    name = "broken"
    says = None

    def problem(self, instance, job, now):
        return self.says


def test_alert_when_a_condition_begins_to_hold_then_told_once(instance) -> None:
    told, broken = [], Broken()
    ticks = Ticks(alert_on("words", broken, do=lambda context, alert: told.append(alert.says)), instance)
    assert ticks.next() == "words_job is well, or does not run."
    broken.says = "It is broken."
    assert (ticks.next(), ticks.next()) == ("It is broken.", "It is broken.")
    broken.says = None
    ticks.next()
    broken.says = "Again."
    ticks.next()
    assert told == ["It is broken.", "Again."]


def test_alert_when_do_wants_a_run_then_it_is_requested(instance) -> None:
    broken = Broken()
    broken.says = "It is broken."
    wanted = RunRequest(run_key="x")
    ticks = Ticks(alert_on("words", broken, do=lambda *_: wanted, launches=[mine]), instance)
    (request,) = ticks.next()
    assert request.run_key == "x"


def test_after_savepoint_when_one_is_made_then_called_once_with_its_path(instance) -> None:
    called = []
    sensor = after_savepoint("words", lambda context, savepoint: called.append(savepoint))
    ticks = Ticks(sensor, instance)
    checkpoint(instance, None, kind="savepoint", path=MetadataValue.path("/before"))
    assert ticks.next() == "Savepoints from now on."
    checkpoint(instance, None, 2)
    checkpoint(instance, None, 3, kind="savepoint", path=MetadataValue.path("/sp"))
    assert ticks.next() == "1 new savepoints of words_job."
    assert ticks.next() == "0 new savepoints of words_job."
    assert [(each.number, each.path, each.is_savepoint) for each in called] == [(3, "/sp", True)]


# -- schedules -----------------------------------------------------------------------------------------------


def test_launch_at_when_time_has_come_then_key_is_the_time_and_no_run_is_overtaken(tmp_path) -> None:
    instance = DagsterInstance.local_temp(str(tmp_path))
    schedule = launch_at("words", "*/10 * * * *", run_config={"execution": {"config": {"slots": 2}}})
    context = build_schedule_context(instance, datetime(2026, 1, 1, tzinfo=UTC))
    (request,) = schedule.evaluate_tick(context).run_requests
    assert request.run_key == "words_job at 2026-01-01T00:00:00+00:00"
    assert set(request.run_config) == {"resources", "execution"}
    under_way = run(instance, "words_job", DagsterRunStatus.STARTED)
    skipped = schedule.evaluate_tick(context)
    assert skipped.skip_message == f"Run {under_way.run_id} of words_job is under way."
