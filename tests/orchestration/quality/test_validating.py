"""Suites on Spark: what they find, and in how many Spark jobs."""

import logging

import pytest

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.quality.suites import suite_of
from flinkpy_dagster.orchestration.quality.validating import validate

pytestmark = [pytest.mark.spark]
GOOD = [
    {"type": "expect_table_row_count_to_be_between", "kwargs": {"min_value": 1, "max_value": 1000}},
    {"type": "expect_table_columns_to_match_set", "kwargs": {"column_set": ["id", "carrier", "delay"]}},
    {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "delay", "mostly": 0.8}},
    {"type": "column_values_to_be_between", "kwargs": {"column": "id", "min_value": 0, "max_value": 99}},
    {
        "type": "expect_column_values_to_be_in_set",
        "kwargs": {"column": "carrier", "value_set": ["0", "1", "2"]},
    },
    {"type": "expect_column_mean_to_be_between", "kwargs": {"column": "delay", "min_value": 0}},
    {"type": "expect_column_max_to_be_between", "kwargs": {"column": "id", "max_value": 99}},
    {"type": "expect_column_values_to_be_unique", "kwargs": {"column": "id"}},
]
BAD = [
    {"type": "expect_column_values_to_be_in_set", "kwargs": {"column": "carrier", "value_set": ["0", "1"]},
     "severity": "warning"},
    {"type": "expect_column_values_to_be_between", "kwargs": {"column": "id", "max_value": 96}},
    {"type": "expect_column_max_to_be_between", "kwargs": {"column": "id", "max_value": 3}},
    {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "no_such"}},
]  # fmt: skip


@pytest.fixture
def checked(spark, tmp_path):
    """A function of a list of expectations; gives the outcome and how many Spark jobs it took."""
    from flinkpy_dagster.dataplane.checked_frames import CheckFrames

    columns = (
        "id",
        "cast(id % 3 as string) as carrier",
        "case when id % 10 = 0 then null else id * 1.5 end as delay",
    )
    spark.range(0, 100, 1, 2).selectExpr(*columns).write.parquet(str(tmp_path / "table"))
    frames = CheckFrames(spark)

    rows = frames.table(str(tmp_path / "table"))

    def check(expectations, samples: int = 5):
        group = str(id(expectations))
        spark.sparkContext.setJobGroup(group, "checks")
        with frames.persisted(rows) as frame:
            outcome = validate(frame, suite_of(expectations, "flights"), samples=samples)
        spark.sparkContext._jsc.clearJobGroup()
        return outcome, len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))

    return check


def test_suite_when_all_expectations_are_met_then_eight_of_them_take_four_jobs(checked) -> None:
    outcome, jobs = checked(GOOD)
    assert (outcome.passed, outcome.suite, len(outcome.expectations)) == (True, "flights", 8)
    assert jobs <= 4  # rows; aggregates of columns; conditions on values; what is unique needs a window


def test_suite_when_two_expectations_on_values_fail_then_one_job_each_for_samples_and_one_together(
    checked,
) -> None:
    outcome, jobs = checked(GOOD + BAD)
    assert jobs <= 4 + 2 + 1
    failed = {
        (each.title.split(",")[0], each.severity, each.unexpected, each.samples) for each in outcome.failed
    }
    assert failed == {
        ("column values to be in set", "warning", 33, ("2",) * 5),
        ("column values to be between", "critical", 3, (97, 98, 99)),
        ("column max to be between", "critical", None, ()),
        ("column values to not be null", "critical", None, ()),
    }
    missing = next(each for each in outcome.failed if each.column == "no_such")
    assert "no_such" in missing.error


def test_suite_when_only_a_warning_fails_then_it_closes_no_gate(checked) -> None:
    outcome, _ = checked(BAD[:1])
    assert (outcome.passed, outcome.severity.name, outcome.closes) == (False, "WARN", False)
    assert checked(BAD[1:2])[0].closes


def test_suite_when_it_runs_then_nothing_is_printed_and_no_progress_shown(checked, capfd, caplog) -> None:
    with caplog.at_level(logging.INFO, "great_expectations"):
        checked(BAD)
    out, err = capfd.readouterr()
    assert "Calculating Metrics" not in out + err
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_suite_when_it_is_none_then_said_before_anything_runs() -> None:
    for nonsense in (None, 3, [], "no/such/file.json", [{"type": "no_such_expectation", "kwargs": {}}]):
        with pytest.raises(InvalidProgram, match=r"(?i)suite|expectation"):
            suite_of(nonsense, "flights")
