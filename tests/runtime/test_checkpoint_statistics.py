"""Counts, history and summary of a job's checkpoints."""

from flinkpy_dagster.runtime.checkpoint_statistics import (
    HISTORY,
    CheckpointRecord,
    CheckpointStatistics,
    merged,
    percentiles,
)


def record(number: int, **more) -> CheckpointRecord:
    times = {"triggered_ms": 1000 * number, "completed_ms": 1000 * number + 10 * number}
    return CheckpointRecord(id=number, **{"is_savepoint": False, "state_bytes": number, **times, **more})


def test_statistics_when_many_then_all_count_and_the_last_ten_are_shown() -> None:
    statistics = CheckpointStatistics()
    for number in range(1, 21):
        statistics.add(record(number))
    told = statistics.to_json()
    assert [each["id"] for each in told["history"]] == list(range(20, 20 - HISTORY, -1))
    assert (told["completed"], told["failed"], told["latest"]["completed"]["id"]) == (20, 0, 20)
    assert {key: told["summary"]["state_size"][key] for key in ("min", "max", "avg")} == {
        "min": 1,
        "max": 20,
        "avg": 10,
    }
    assert told["summary"]["end_to_end_duration"]["max"] == 200


def test_statistics_when_some_fail_then_they_are_in_no_summary() -> None:
    statistics = CheckpointStatistics()
    statistics.add(record(1))
    statistics.add(record(2, failure="too long", state_bytes=9999))
    statistics.add(record(3, is_savepoint=True))
    told = statistics.to_json()
    assert (told["completed"], told["failed"]) == (2, 1)
    assert {kind: each["id"] for kind, each in told["latest"].items()} == {
        "completed": 1,
        "failed": 2,
        "savepoint": 3,
    }
    assert told["summary"]["state_size"]["max"] == 3


def test_percentiles_when_few_then_of_what_there_is() -> None:
    assert percentiles([5]) == {"p50": 5.0, "p90": 5.0, "p95": 5.0, "p99": 5.0, "p999": 5.0}
    assert percentiles(range(101)) == {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p999": 100.0}


def statistics_of(numbers, restored_from=None) -> dict:
    statistics = CheckpointStatistics()
    statistics.restored_from = restored_from
    for number in numbers:
        statistics.add(record(number))
    return statistics.to_json()


def test_merged_when_a_job_had_several_runs_then_as_if_it_were_one() -> None:
    runs = [
        statistics_of(range(7, 15), "chk-6"),
        {},
        statistics_of(range(3, 7), "chk-2"),
        statistics_of((1, 2)),
    ]
    whole, together = merged(runs), statistics_of(range(1, 15))
    assert (whole["restored"], whole["restored_from"]) == (2, "chk-6")
    for name in ("completed", "failed", "history", "latest"):
        assert whole[name] == together[name]
    extremes = {key: whole["summary"]["state_size"][key] for key in ("min", "max", "avg")}
    assert extremes == {"min": 1, "max": 14, "avg": 7}


def test_merged_when_nothing_is_known_then_nothing() -> None:
    assert merged([{}]) == {
        "completed": 0, "failed": 0, "restored": 0, "restored_from": None,
        "history": [], "latest": {}, "summary": {},
    }  # fmt: skip
