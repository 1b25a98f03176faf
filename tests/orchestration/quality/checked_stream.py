"""An unbounded program with checks of its sink and of its state, for ``test_streaming_checks``."""

import os
from pathlib import Path

from dagster import AssetCheckKey, AssetKey, AssetSelection, Definitions, define_asset_job

from flinkpy_dagster import definitions_from, expect, expect_state
from tests.orchestration.test_stream_run import FOLDER, environment, summing

DIGITS = [{"type": "expect_column_values_to_match_regex", "kwargs": {"column": "line", "regex": "^[0-9]+$"}}]
TRIGGER = "FLINKPY_TEST_TRIGGER"  # environment variable, too
POSITIVE = [{"type": "expect_column_values_to_be_between", "kwargs": {"column": "f1", "min_value": 1}}]


def sums() -> None:
    folder = Path(os.environ[FOLDER])
    env = environment(folder, **{"execution.trigger": os.environ.get(TRIGGER, "available-now")})
    summing(env, folder)
    env.execute("sums")


def definitions():
    checked = definitions_from(
        sums,
        checks=[
            expect("sums/writer", DIGITS, name="digits", blocking=True),
            expect_state("sums", "sums", POSITIVE, name="positive", blocking=True),
        ],
    )
    of_state = AssetSelection.checks(AssetCheckKey(AssetKey(["sums", "checkpoints"]), "positive"))
    return Definitions.merge(checked, Definitions(jobs=[define_asset_job("look_at_state", of_state)]))


def job(name: str):
    return definitions().resolve_job_def(name)
