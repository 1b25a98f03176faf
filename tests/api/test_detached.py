"""Programs that are submitted detached: every ``execute()`` hands its job over, and the program goes on."""

import pytest

from flinkpy_dagster.api import StreamExecutionEnvironment, capture
from flinkpy_dagster.api.capturing import skip_jobs
from flinkpy_dagster.api.detached import NO_RESULTS
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature

IDS = ["1" * 32, "2" * 32]


def two_jobs():
    """The ids that the program sees."""
    environment = StreamExecutionEnvironment.get_execution_environment()
    environment.from_collection([1]).print()
    first = environment.execute("one")
    environment.from_collection([2]).map(str).print()
    second = environment.execute_async("two")
    return [str(first.get_job_id()), str(second.get_job_id())]


def test_execute_when_detached_then_each_job_is_handed_over_by_itself():
    with capture(submit=lambda job: IDS[len(captured.jobs) - 1]) as captured:
        assert two_jobs() == IDS
    assert [job.job_name for job in captured.jobs] == ["one", "two"]
    assert [len(job.stream_graph.nodes) for job in captured.jobs] == [3, 3]  # none has what another has read


def test_execute_when_jobs_are_skipped_then_the_next_one_is_captured():
    with capture() as captured:
        skip_jobs(IDS[:1])
        two_jobs()
        pytest.fail("the program went on")
    assert [job.job_name for job in captured.jobs] == ["two"]


def test_result_when_detached_then_numbers_are_refused_in_flinks_words():
    environment = StreamExecutionEnvironment.get_execution_environment()
    with capture(submit=lambda job: IDS[0]):
        environment.from_collection([1]).print()
        result = environment.execute()
    for ask in (
        result.get_net_runtime,
        result.get_all_accumulator_results,
        lambda: result.get_accumulator_result("count"),
    ):
        with pytest.raises(InvalidProgram, match=NO_RESULTS):
            ask()
    with capture(submit=lambda job: IDS[0]):
        environment.from_collection([1]).print()
        client = environment.execute_async()
    for ask in (client.cancel, client.get_job_status, lambda: client.collected(1)):
        with pytest.raises(UnsupportedFeature, match="in a detached program"):
            ask()


def test_execute_and_collect_when_detached_then_refused_and_nothing_is_submitted():
    environment = StreamExecutionEnvironment.get_execution_environment()
    with (
        capture(submit=lambda job: IDS[0]) as captured,
        pytest.raises(UnsupportedFeature, match="write to a sink"),
    ):
        environment.from_collection([1]).execute_and_collect()
    assert captured.jobs == []
