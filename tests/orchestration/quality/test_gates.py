"""Checks of one run, without Spark and without Great Expectations: what is asked, what is told, what is stopped."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
from dagster import AssetCheckSeverity, AssetCheckSpec, AssetKey

from flinkpy_dagster.dataplane.checked_frames import PendingResult
from flinkpy_dagster.orchestration.quality.expecting import expect, expect_state
from flinkpy_dagster.orchestration.quality.gates import BoundCheck, Inspection, QualityGateFailed
from flinkpy_dagster.orchestration.quality.outcomes import ExpectationOutcome, SuiteOutcome, outcome_metadata
from flinkpy_dagster.runtime.failover import is_retryable

MET = ExpectationOutcome(title="rows", success=True, observed="3")
NOT_MET = ExpectationOutcome(
    title="column values to be between, max_value=1",
    column="count",
    success=False,
    unexpected=2,
    unexpected_percent=66.6667,
    samples=(2, 5),
)
MILD = ExpectationOutcome(title="mean", column="count", success=False, severity="warning", observed="7")


@pytest.fixture(autouse=True)
def no_suites(monkeypatch):
    """Suites are what was given."""
    monkeypatch.setattr("flinkpy_dagster.orchestration.quality.gates.suite_of", lambda given, name: given)


def result(key: str, frame="frame") -> PendingResult:
    @contextmanager
    def opened():
        yield frame

    return PendingResult(key, opened)


def bound(name: str, *found: ExpectationOutcome, blocking: bool = False) -> BoundCheck:
    """A check whose suite is what it will find."""
    check = expect("shop/orders", found, name=name, blocking=blocking)
    spec = AssetCheckSpec(name, asset=AssetKey(["shop", "orders"]), blocking=blocking)
    return BoundCheck(check, spec, operator="Orders", vertex="v1")


def validate(frame, suite, *, samples):
    return SuiteOutcome(suite="suite", expectations=tuple(suite))


def test_inspection_when_nothing_is_expected_of_a_result_then_it_is_not_even_opened() -> None:
    def never():
        raise AssertionError("opened")

    Inspection({"other": [bound("a", MET)]}, validate=validate).inspect([PendingResult("mine", never)])


def test_inspection_when_checks_have_been_then_the_op_gives_each_once() -> None:
    inspection = Inspection({"1": [bound("a", MET), bound("b", NOT_MET)]}, validate=validate)
    inspection.inspect([result("1")])
    assert [(each.check_name, each.passed) for each in inspection.results_of("v1")] == [
        ("a", True),
        ("b", False),
    ]
    assert list(inspection.results_of("v1")) == []
    assert list(inspection.results_of("v2")) == []


def test_results_when_they_have_been_told_while_the_job_went_on_then_not_again_and_gates_open() -> None:
    inspection = Inspection(
        {"1": [bound("gate", MET, blocking=True), bound("b", NOT_MET)]}, validate=validate
    )
    inspection.inspect([result("1")])
    assert [each.check_name for each in inspection.evaluations()] == ["gate", "b"]
    assert list(inspection.results_of("v1")) == []
    assert [spec.name for spec in inspection.open_gates_of("v1")] == ["gate"]


def test_results_when_there_is_a_newer_one_than_was_told_then_it_is_given() -> None:
    inspection = Inspection({"1": [bound("gate", MET, blocking=True)]}, validate=validate)
    inspection.inspect([result("1")])
    assert len(list(inspection.evaluations())) == 1
    inspection.inspect([result("1")])
    assert list(inspection.evaluations()) == []  # less than ten seconds later
    assert [each.check_name for each in inspection.results_of("v1")] == ["gate"]
    assert inspection.open_gates_of("v1") == []


def test_sentence_when_there_are_more_samples_than_it_shows_then_it_says_so() -> None:
    found = replace(NOT_MET, unexpected=4, samples=(2, 5, 7, 9))
    assert "4 unexpected (2, 5, 7, ...)" in str(SuiteOutcome(suite="suite", expectations=(found,)))


def test_gate_when_a_blocking_check_fails_then_all_have_been_evaluated_before_it_closes() -> None:
    checks = {"1": [bound("gate", NOT_MET, blocking=True)], "2": [bound("later", MET)]}
    inspection = Inspection(checks, validate=validate)
    with pytest.raises(QualityGateFailed) as raised:
        inspection.inspect([result("1"), result("2")])
    assert str(raised.value) == (
        "Blocking check 'gate' of 'shop/orders' has failed, so it does not become a result. 1 of 1 expectations are "
        "not met: column values to be between, max_value=1 of 'count': 2 unexpected (2, 5). Correct the data or "
        "the program, or make the check not blocking."
    )
    assert raised.value.operator == "Orders"
    assert not is_retryable(raised.value)
    assert {each.check_name for each in inspection.results_of("v1")} == {"gate", "later"}


def test_gate_when_it_was_not_asked_then_it_is_open() -> None:
    inspection = Inspection(
        {"1": [bound("gate", MET, blocking=True), bound("other", MET)]}, validate=validate
    )
    assert [spec.name for spec in inspection.open_gates_of("v1")] == ["gate"]
    inspection.inspect([result("1")])
    assert inspection.open_gates_of("v1") == []
    assert inspection.open_gates_of("v2") == []


@pytest.mark.parametrize(("blocking", "found"), [(False, NOT_MET), (True, MILD), (True, MET)])
def test_gate_when_not_blocking_or_only_a_warning_then_it_stays_open(blocking: bool, found) -> None:
    inspection = Inspection({"1": [bound("gate", found, blocking=blocking)]}, validate=validate)
    inspection.inspect([result("1")])
    assert len(list(inspection.results_of("v1"))) == 1


def test_evaluations_when_a_job_goes_on_then_one_in_ten_seconds_and_every_failure() -> None:
    good, bad = bound("good", MET), bound("bad", NOT_MET)
    inspection = Inspection({"1": [good], "2": [bad]}, validate=validate)
    for _ in range(3):
        inspection.inspect([result("1"), result("2")])
    told = [(each.check_name, each.passed) for each in inspection.evaluations()]
    assert sorted(told) == [("bad", False)] * 3 + [("good", True)]
    assert list(inspection.evaluations()) == []


def test_evaluations_when_what_was_bad_is_good_again_then_told_at_once() -> None:
    found = bound("a", MET)
    inspection = Inspection(
        {"1": [found]}, validate=lambda frame, suite, samples: validate(frame, [frame], samples=3)
    )
    for outcome in (NOT_MET, MET, MET):
        inspection.inspect([result("1", outcome)])
    assert [each.passed for each in inspection.evaluations()] == [False, True]


class Frames:
    """Notes what state was asked for."""

    def __init__(self, frame: str | None = "frame") -> None:
        self.asked: list[tuple] = []
        self._frame = frame

    @contextmanager
    def state(self, *args):
        self.asked.append(args)
        yield self._frame


def test_savepoint_when_state_must_meet_a_suite_then_only_blocking_checks_are_asked() -> None:
    def of_state(name: str, found, blocking: bool) -> BoundCheck:
        check = expect_state("job", "per-user", (found,), state="visits", name=name, blocking=blocking)
        return BoundCheck(check, AssetCheckSpec(name, asset=AssetKey(["job", "checkpoints"])))

    frames = Frames()
    Inspection({}, [of_state("idle", NOT_MET, False)], validate).inspect_state("/chk-1", frames)
    assert frames.asked == []
    with pytest.raises(
        QualityGateFailed, match="'gate' of 'job/checkpoints' has failed, so there is no savepoint"
    ):
        Inspection({}, [of_state("gate", NOT_MET, True)], validate).inspect_state("/chk-1", frames)
    assert frames.asked == [("/chk-1", "per-user", "visits")]


def test_savepoint_when_there_is_no_state_yet_then_nothing_is_refused() -> None:
    check = expect_state("job", "per-user", (NOT_MET,), name="gate", blocking=True)
    frames = Frames(frame=None)
    bound_check = BoundCheck(check, AssetCheckSpec("gate", asset=AssetKey(["job", "checkpoints"])))
    inspection = Inspection({}, [bound_check], validate)
    inspection.inspect_state("/chk-1", frames)
    (told,) = inspection.evaluations()
    assert (told.passed, told.description) == (True, "There is nothing to look at yet.")


def test_metadata_when_something_failed_then_table_samples_and_numbers_are_there() -> None:
    about = outcome_metadata(SuiteOutcome(suite="s", expectations=(MET, NOT_MET, MILD), duration_ms=12))
    assert (about["evaluated"], about["successful"], about["unexpected"]) == (3, 1, 2)
    rows = [record.data for record in about["expectations"].records]
    assert [row["result"] for row in rows] == ["met", "not met", "not met"]
    assert rows[1]["unexpected_percent"] == "66.7"
    assert [record.data["value"] for record in about["failing_samples"].records] == ["2", "5"]
    assert "failing_samples" not in outcome_metadata(SuiteOutcome(suite="s", expectations=(MET,)))


def test_severity_when_one_critical_expectation_fails_then_error_else_warn() -> None:
    both, mild = (
        SuiteOutcome(suite="s", expectations=(NOT_MET, MILD)),
        SuiteOutcome(suite="s", expectations=(MILD,)),
    )
    assert (both.severity, both.closes) == (AssetCheckSeverity.ERROR, True)
    assert (mild.severity, mild.closes, mild.passed) == (AssetCheckSeverity.WARN, False, False)
