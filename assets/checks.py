"""What must hold of what the programs write: suites of Great Expectations, for ``expect()`` and ``expect_state()``.

They are written down as mappings, so that loading this location does not import Great Expectations.
"""

from flinkpy_dagster import expect, expect_state

CARRIERS = "9E AA AS B6 DL EV F9 FL HA MQ OO UA US VX WN YV".split()


def _expectation(kind: str, severity: str = "critical", **kwargs: object) -> dict[str, object]:
    return {"type": f"expect_{kind}", "kwargs": kwargs, "severity": severity}


SANE_DAYS = [
    _expectation("table_row_count_to_be_between", min_value=1),
    _expectation("column_values_to_be_in_set", column="carrier", value_set=CARRIERS),
    _expectation("column_values_to_not_be_null", column="airline"),
    _expectation("column_values_to_be_between", column="flights", min_value=1),
    _expectation("column_values_to_be_between", column="late_share", min_value=0, max_value=1),
    _expectation(
        "column_pair_values_a_to_be_greater_than_b",
        column_A="max_delay",
        column_B="mean_delay",
        or_equal=True,
    ),
]
PUNCTUAL_DAYS = [
    _expectation("column_values_to_be_between", "warning", column="mean_delay", max_value=180),
    _expectation("column_mean_to_be_between", "warning", column="late_share", max_value=0.25),
]
SANE_WAVES = [
    _expectation("column_values_to_be_between", column="flights", min_value=3),
    _expectation("column_values_to_not_be_null", column="tailnum"),
    _expectation(
        "column_pair_values_a_to_be_greater_than_b", column_A="last_departure", column_B="first_departure"
    ),
]
HOURS = [
    _expectation("column_values_to_be_in_set", column="f0", value_set=["EWR", "JFK", "LGA"]),
    _expectation("column_values_to_be_between", column="f2", min_value=1),
]
WAVES_UNDER_WAY = [_expectation("column_values_to_be_between", column="f2", min_value=1)]

CHECKS = (
    # what is not sane does not replace what was there before
    expect("flight_delays/delays_by_carrier_day", SANE_DAYS, name="sane", blocking=True),
    expect("flight_delays/delay_waves", SANE_WAVES, name="sane", blocking=True),
    # on 17 days of 2013 an airline was three hours late on average: a warning, with these days as samples
    expect("flight_delays/delays_by_carrier_day", PUNCTUAL_DAYS, name="punctual", samples=17),
    # a result that is pipelined into its readers: stored beside its way, to be looked at
    expect("flight_delays/hours", HOURS, name="airports", materialize=True),
    # savepoints are made of sane state only
    expect_state(
        "flight_delays_stream", "delay waves", WAVES_UNDER_WAY, state="wave", name="waves", blocking=True
    ),
)
