"""``flinkpy list``: Flink's tables."""

import pytest

from flinkpy_dagster.cli.arguments import parse
from flinkpy_dagster.cli.cluster import JobLine
from flinkpy_dagster.cli.jobs_list import lines, wanted


@pytest.fixture(autouse=True)
def _utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    import time

    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def line(name, state, start_ms=0):
    return JobLine(
        job_id=name * 32,
        name=name,
        state=state,
        start_ms=start_ms,
        end_ms=-1,
        duration_ms=0,
        last_modified_ms=0,
    )


JOBS = [
    line("a", "RUNNING", 2000),
    line("b", "RESTARTING", 1000),
    line("c", "CREATED"),
    line("d", "FAILED"),
    line("e", "SUSPENDED", 3000),
    line("f", "INITIALIZING", 5000),
]
RULE = "-" * 62
RUNNING = [
    "------------------ Running/Restarting Jobs -------------------",
    f"01.01.1970 00:00:01 : {'b' * 32} : b (RESTARTING)",
    f"01.01.1970 00:00:02 : {'a' * 32} : a (RUNNING)",
    RULE,
]
SUSPENDED = [
    "----------------------- Suspended Jobs -----------------------",
    f"01.01.1970 00:00:03 : {'e' * 32} : e (SUSPENDED)",
    RULE,
]
SCHEDULED = [
    "----------------------- Scheduled Jobs -----------------------",
    f"01.01.1970 00:00:00 : {'c' * 32} : c (CREATED)",
    f"01.01.1970 00:00:05 : {'f' * 32} : f (INITIALIZING)",
    RULE,
]
TERMINATED = [
    "---------------------- Terminated Jobs -----------------------",
    f"01.01.1970 00:00:00 : {'d' * 32} : d (FAILED)",
    RULE,
]


@pytest.mark.parametrize(
    ("options", "expected", "names"),
    [
        ([], RUNNING + SCHEDULED + SUSPENDED, "abcef"),
        (["-r"], RUNNING, "ab"),
        (["-s"], SCHEDULED, "cf"),
        (["-r", "-s"], RUNNING + SCHEDULED + SUSPENDED, "abcef"),
        (["-a"], RUNNING + SCHEDULED + SUSPENDED + TERMINATED, "abcdef"),
    ],
)
def test_list_shows_what_the_options_ask_for(options, expected, names):
    arguments = parse(["list", *options])
    assert lines(JOBS, arguments) == expected
    assert {job.name for job in wanted(JOBS, arguments)} == set(names)


def test_list_when_there_are_no_jobs_then_it_says_so():
    assert lines([], parse(["list"])) == ["No running jobs.", "No scheduled jobs."]
    assert lines([], parse(["list", "-a"])) == ["No running jobs.", "No scheduled jobs."]
