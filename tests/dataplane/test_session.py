"""The session: its settings, and what happens without Java."""

import subprocess
import sys

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.session import session_settings, spark_session

START = """
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.session import spark_session
{}
"""


def test_settings_when_nothing_is_configured_are_local_and_quiet():
    settings = session_settings(Configuration())
    assert settings["spark.master"].startswith("local[")
    assert settings["spark.ui.enabled"] == "false"
    assert settings["spark.driver.host"] == "127.0.0.1"


def test_settings_of_spark_in_the_configuration_win():
    pairs = {
        "spark.master": "spark://host:7077",
        "spark.ui.enabled": "true",
        "taskmanager.numberOfTaskSlots": "3",
    }
    settings = session_settings(Configuration.from_dict(pairs))
    assert (settings["spark.master"], settings["spark.ui.enabled"]) == ("spark://host:7077", "true")
    assert "spark.driver.host" not in settings


def test_slots_are_the_cores_of_a_local_master():
    settings = session_settings(Configuration.from_dict({"taskmanager.numberOfTaskSlots": "3"}))
    assert settings["spark.master"] == "local[3]"


@pytest.mark.spark
def test_active_session_is_used_again(spark):
    assert spark_session(Configuration()).sparkContext is spark.sparkContext


def test_session_without_java_says_in_one_line_what_to_install(tmp_path):
    code = START.format("spark_session(Configuration())")
    environment = {"PATH": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(
        "flinkpy_dagster.errors.TargetUnavailable: Spark needs Java 17 or newer: install it"
    )


def test_session_when_its_jvm_cannot_start_then_the_error_says_what_the_jvm_said():
    code = START.format("spark_session(Configuration.from_dict({'spark.driver.memory': 'lots'}))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(
        "flinkpy_dagster.errors.TargetUnavailable: Spark's JVM did not start: Invalid maximum heap size: -Xmxlots"
    )


@pytest.mark.spark
@pytest.mark.slow
def test_new_session_says_nothing_on_standard_error(tmp_path):
    code = START.format(
        "spark_session(Configuration.from_dict({'spark.master': 'local[1]'})).range(3).count()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_cluster_that_does_not_exist_is_named_at_once():
    code = START.format("spark_session(Configuration.from_dict({'spark.master': 'spark://127.0.0.1:1'}))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip().splitlines()[-1] == (
        "flinkpy_dagster.errors.TargetUnavailable: There is no Spark master at 'spark://127.0.0.1:1': start one, "
        "or set spark.master to another."
    )
