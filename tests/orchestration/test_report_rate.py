"""What a job that runs for days adds to the event log."""

from flinkpy_dagster.orchestration.programs.report_rate import ReportRate


def test_rate_when_a_job_runs_for_two_days_then_ten_seconds_at_first_and_a_minute_later() -> None:
    now = 0.0
    rate = ReportRate(lambda: now)
    told = []
    while now < 48 * 3600:
        if rate.is_due:
            told.append(now)
            rate.told()
        now += 0.5
    assert told[:3] == [0.0, 10.0, 20.0]
    assert sum(at < 3600 for at in told) == 360
    assert sum(at >= 24 * 3600 for at in told) == 24 * 60
