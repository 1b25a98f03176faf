"""Dagster in tests: no telemetry, no waiting for it."""

import os

os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
