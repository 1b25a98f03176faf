"""Programs for the tests of checks. Their suites are mappings: nothing of Great Expectations is needed to load them."""

import os

from flinkpy_dagster import definitions_from, expect
from flinkpy_dagster.api import ParquetSink, Row, RuntimeExecutionMode, StreamExecutionEnvironment, Types

COUNT = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.INT()])
FOLDER = "FLINKPY_TEST_FOLDER"


def built(env: StreamExecutionEnvironment, words: list[str]) -> None:
    """words -> counts -> two tables: one of all counts and, in a region of its own in BATCH mode, of the long words."""
    env.set_parallelism(2)
    folder = os.environ.get(FOLDER, "/tmp/nowhere")
    counted = (
        env.from_collection(words, Types.STRING())
        .map(lambda word: Row(word=word, count=1), output_type=COUNT)
        .key_by(lambda row: row.word)
        .reduce(lambda one, other: Row(word=one.word, count=one.count + other.count))
        .rebalance()
        .map(lambda row: row, output_type=COUNT)
        .name("counts")
    )
    counted.sink_to(ParquetSink(f"{folder}/counts", asset_key="counts"))
    counted.rebalance().filter(lambda row: len(row.word) > 1).sink_to(
        ParquetSink(f"{folder}/long", asset_key="long_words")
    )


def words_batch() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    built(env, ["a", "bb", "a", "bb", "ccc"])
    env.execute("words")


def words_streaming() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    built(env, ["a", "bb", "a", "bb", "ccc"])
    env.execute("words")


GOOD = {"name": "sane", "expectations": [
    {"type": "expect_column_values_to_be_between", "kwargs": {"column": "count", "min_value": 1}},
    {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "word"}},
    {"type": "expect_table_row_count_to_be_between", "kwargs": {"min_value": 1}},
]}  # fmt: skip
BAD = {"name": "few", "expectations": [
    {"type": "expect_column_values_to_be_between", "kwargs": {"column": "count", "max_value": 1}},
]}  # fmt: skip
MILD = {"name": "mild", "expectations": [{**BAD["expectations"][0], "severity": "warning"}]}


def batch_job(blocking: bool):
    """A data set in the middle, and the tables."""
    definitions = definitions_from(
        words_batch,
        checks=[expect("counts", GOOD), expect("counts", MILD), expect("counts", BAD, blocking=blocking)],
    )
    return definitions.resolve_job_def("words_batch_job")


def pipelined_job():
    """A pipelined data set, stored to be checked."""
    definitions = definitions_from(
        words_streaming, checks=[expect("words_streaming/reduce", GOOD, materialize=True, blocking=True)]
    )
    return definitions.resolve_job_def("words_streaming_job")


def stopped_region_job():
    """A blocking check of a data set that the next region reads."""
    definitions = definitions_from(words_batch, checks=[expect("words_batch/reduce", BAD, blocking=True)])
    return definitions.resolve_job_def("words_batch_job")
