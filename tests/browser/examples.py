"""Programs of the browser tests: one that does not end, one that fails in the middle, one whose result is wrong."""

from pathlib import Path

from flinkpy_dagster import definitions_from, expect
from flinkpy_dagster.api import (
    Configuration,
    DataGeneratorSource,
    ParquetSink,
    Row,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
)

GOOD_SENSORS = "good_sensors"
"""A file of the current folder: until it is there, ``fragile`` fails."""

READING = Types.ROW_NAMED(["sensor", "celsius"], [Types.STRING(), Types.DOUBLE()])
COUNT = Types.TUPLE([Types.STRING(), Types.INT()])


def reading_of(number):
    return f"sensor {number % 5}", 1


def endless():
    """Counts the readings of five sensors, for ever; a checkpoint every second."""
    settings = Configuration()
    settings.set_string("execution.checkpointing.interval", "1 s")
    settings.set_string("execution.trigger-interval", "1 s")
    env = StreamExecutionEnvironment.get_execution_environment(settings)
    readings = DataGeneratorSource(reading_of, COUNT, records_per_second=50)
    env.from_source(readings, WatermarkStrategy.no_watermarks(), "readings").key_by(
        lambda count: count[0], Types.STRING()
    ).reduce(lambda one, other: (one[0], one[1] + other[1])).name("counts").uid("counts").sink_to(
        ParquetSink("results/counts", mode="append")
    ).name("counted readings")
    env.execute("endless")


def fragile():
    """Fails in its second region until a file exists; the first region's result is stored, and stays."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    present = Path(GOOD_SENSORS).absolute()

    def checked(one, other):
        if not present.exists():
            raise ValueError(f"sensor '{one[0]}' cannot be trusted")
        return one[0], one[1] + other[1]

    env.from_collection([(f"sensor {n % 3}", n) for n in range(30)], COUNT).map(
        lambda count: count, COUNT
    ).name("readings").key_by(lambda count: count[0], Types.STRING()).reduce(checked).name("totals").print()
    env.execute("fragile")


def measured():
    """Writes readings, two of which no thermometer can have shown."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    celsius = [21.5, 20.0, -400.0, 19.5, 22.0, 999.0]
    rows = [Row(f"sensor {number}", degrees) for number, degrees in enumerate(celsius)]
    env.from_collection(rows, READING).sink_to(ParquetSink("results/readings")).name("readings")
    env.execute("measured")


PLAUSIBLE = [
    {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "sensor"}},
    {
        "type": "expect_column_values_to_be_between",
        "kwargs": {"column": "celsius", "min_value": -60, "max_value": 60},
    },
]

defs = definitions_from(
    endless, fragile, measured, checks=[expect("measured/readings", PLAUSIBLE, name="plausible")]
)
