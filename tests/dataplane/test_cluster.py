"""A standalone Spark cluster of separate processes: master and two workers, with the program's own module shipped."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dataplane.cluster import cluster, free_port, start, wait_for

pytestmark = [pytest.mark.spark, pytest.mark.cluster, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.session import spark_session
from flinkpy_dagster.types import Types
from shop import Order, priced
from tests.dataplane.running import environment, run_job

master, folder = sys.argv[1:]
spark = spark_session(Configuration.from_dict({
    "spark.master": master, "spark.executor.memory": "512m", "spark.cores.max": "2", "spark.executor.cores": "1",
    "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
}))
for mode in ("STREAMING", "BATCH"):
    env = environment(2, mode)
    orders = env.from_sequence(1, 100).map(lambda number: Order(f"item {number % 3}", number))
    totals = orders.key_by(lambda order: order.item, Types.STRING()).reduce(Order.plus).map(priced, Types.STRING())
    totals.print(mode)
    if mode == "STREAMING":
        processes = env.from_sequence(1, 8).rebalance().map(lambda number: __import__("os").getppid(), Types.LONG())
        processes.print("process")
    for line in run_job(spark, env.job_graph(), f"{folder}/{mode}").lines:
        print(line)
print("executors", spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1)
spark.stop()
"""
MODULE = """
class Order:
    def __init__(self, item, price):
        self.item, self.price = item, price

    def plus(self, other):
        return Order(self.item, self.price + other.price)


def priced(order):
    return f"{order.item} costs {order.price}"
"""


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a cluster."""
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running.url


def test_program_with_a_module_of_its_own_runs_on_executors_that_cannot_import_it(master, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "shop.py").write_text(MODULE)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": paths, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, str(tmp_path / "program.py"), master, str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    assert lines[-1] == "executors 2"
    assert len({line for line in lines if line.startswith("process")}) > 1
    assert last_prices(lines, "STREAMING") == {"item 0": 1683, "item 1": 1717, "item 2": 1650}
    assert last_prices(lines, "BATCH") == last_prices(lines, "STREAMING")


def test_job_when_no_executor_registers_then_slots_are_waited_for_and_the_error_says_what_helps(tmp_path):
    port = free_port()
    master = start(
        tmp_path, "lonely", "master.Master", "--host", "127.0.0.1", "--webui-port", "0", "--port", str(port)
    )
    try:
        wait_for(tmp_path / "lonely.log", "Starting Spark master")
        (tmp_path / "job.py").write_text(LONELY)
        options = ["-t", f"spark://127.0.0.1:{port}", "-D", "slot.request.timeout=3 s", "-p", "2"]
        command = [sys.executable, "-m", "flinkpy_dagster", "run", *options, "job.py"]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=240, cwd=tmp_path, env=environment
        )
    finally:
        master.terminate()
        master.wait(20)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "flinkpy: Could not acquire the minimum required resources: job 'lonely' on "
        f"'spark://127.0.0.1:{port}', within 3 s, needs 2 slots at once, 0 exist. Lower the parallelism, start "
        "workers there, ask for executors that fit them (spark.executor.memory, spark.executor.cores), or raise "
        "slot.request.timeout."
    )


LONELY = """
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda value: value).print()
env.execute("lonely")
"""


def last_prices(lines: list[str], mode: str) -> dict[str, int]:
    """What was printed last of each item."""
    found = (re.search(rf"{mode}.*(item \d) costs (\d+)", line) for line in lines)
    return {match[1]: int(match[2]) for match in found if match}
