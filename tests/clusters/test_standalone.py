"""One standalone cluster of hosts, whose Pythons have nothing but what a worker needs; jobs run on it as users do."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.soak_samples import children_by_parent, descendants
from flinkpy_dagster.cli.main import main
from tests.clusters.expected_results import check_flights, check_sums
from tests.clusters.namespaces import NoNamespaces
from tests.clusters.standalone import Cluster, cluster
from tests.clusters.worker_python import NoPython
from tests.dataplane import chaos_program
from tests.dataplane.chaos_program import Input
from tests.jobs import flight_delays_reference as reference

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.cluster, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
EXECUTORS = {"spark.executor.cores": "1", "spark.cores.max": "2", "spark.executor.memory": "512m"}
PATIENCE_SECONDS = 420.0
IN_ONE_SESSION = """
import json, sys
from flinkpy_dagster.cli.main import main
for number, arguments in enumerate(json.loads(sys.argv[1])):
    for stream in (sys.stdout, sys.stderr):
        print(f"<<{number}>>", file=stream, flush=True)
    print("code", main(["run", *arguments]), flush=True)
"""
PRICED = """
import os, sys
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from shop import Order

def priced(order):
    import labels, tariff                       # of -pyfs and -pyreq; neither is where this program runs
    with open("units/unit.txt") as unit:        # of -pyarch
        where = os.environ["SPARK_LOCAL_IP"], sys.executable, tariff.__file__, os.path.realpath("units")
        return f"{labels.of(order.item)} costs {order.price * tariff.RATE} {unit.read()} | {' '.join(where)}"

env = StreamExecutionEnvironment.get_execution_environment()
orders = env.from_collection(range(1, 101)).map(lambda number: Order(f"item {number % 3}", number))
totals = orders.key_by(lambda order: order.item, Types.STRING()).reduce(Order.plus)
totals.map(priced, Types.STRING()).print()
env.execute("priced")
"""
SHOP = """
class Order:
    def __init__(self, item, price):
        self.item, self.price = item, price

    def plus(self, other):
        return Order(self.item, self.price + other.price)
"""
LONELY = """
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda value: value).print()
env.execute("lonely")
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers with two cores each, of which a job takes one."""
    try:
        folder = tmp_path_factory.mktemp("standalone")
        with cluster(folder, cores=2, memory="2g", with_hosts=True) as running:
            yield running
    except (NoNamespaces, NoPython) as reason:
        pytest.skip(f"No cluster of hosts: {reason}.")


def options_of(hosts: Cluster, **more: str) -> list[str]:
    pairs = EXECUTORS | {key.replace("_", "."): value for key, value in more.items()}
    return ["-t", hosts.url, "-p", "2", *(word for pair in pairs.items() for word in ("-D", "=".join(pair)))]


def environment_of(hosts: Cluster, folder: Path) -> dict[str, str]:
    own = {"PYTHONPATH": str(ROOT), "DAGSTER_HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return hosts.environment() | own


def in_one_session(hosts: Cluster, folder: Path, *calls: list[str]) -> list[tuple[str, str]]:
    """What each ``flinkpy run`` prints: standard output, which ends with its exit code, and standard error."""
    command = [
        sys.executable,
        "-c",
        IN_ONE_SESSION,
        json.dumps([[*options_of(hosts), *call] for call in calls]),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=900, cwd=folder, env=environment_of(hosts, folder)
    )
    assert done.returncode == 0, done.stderr[-3000:]
    parts = [re.split(r"<<\d+>>\n", text)[1:] for text in (done.stdout, done.stderr)]
    return list(zip(*parts, strict=True))


@pytest.fixture(scope="module")
def told(hosts: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str]]]:
    """The folder of four jobs of one driver, and what they printed."""
    folder = tmp_path_factory.mktemp("jobs")
    write_code(folder)
    write_python(folder / "venv.zip", hosts.folder / "python1")
    python = ["-pyexec", "python3"]  # of each worker's own PATH
    code = ["-pyfs", "lib", "-pyreq", "requirements.txt#packages", "-pyarch", "units.zip#units,venv.zip"]
    flights = [*python, "-D", "execution.runtime-mode=BATCH", str(ROOT / "jobs" / "flight_delays.py")]
    return folder, in_one_session(
        hosts,
        folder,
        [*flights, "--output", str(folder / "flights")],
        ["-pyexec", "venv.zip/venv/bin/python", *code, "priced.py"],
        [*python, "-pyfs", "lib", "-pyarch", "units.zip#units", "priced.py"],
        ["-pyexec", "/no/python", "priced.py"],
    )


def write_code(folder: Path) -> None:
    """A program, and what it needs: a module beside it, a folder, a package and an archive."""
    (folder / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    (folder / "priced.py").write_text(PRICED)
    (folder / "shop.py").write_text(SHOP)
    (folder / "lib").mkdir()
    (folder / "lib" / "labels.py").write_text("def of(item):\n    return item.upper()\n")
    (folder / "requirements.txt").write_text("tariff==2.0\n")
    (folder / "packages").mkdir()
    with zipfile.ZipFile(folder / "packages" / "tariff-2.0-py3-none-any.whl", "w") as wheel:
        about = "tariff-2.0.dist-info"
        wheel.writestr("tariff/__init__.py", "RATE = 2\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tariff\nVersion: 2.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    with zipfile.ZipFile(folder / "units.zip", "w") as archive:
        archive.writestr("unit.txt", "EUR")


def write_python(file: Path, like: Path) -> None:
    """A venv as ``zip -ry`` packs one: its Python is a link. Packages of workers are those of another one."""
    base = Path(sys.executable).resolve()
    (packages,) = like.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("venv/bin/python")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(base))
        archive.writestr("venv/pyvenv.cfg", f"home = {base.parent}\n")
        archive.writestr(f"venv/{packages.relative_to(like)}/workers.pth", f"{packages}\n")


@pytest.mark.parametrize("name", reference.RESULTS)
def test_flights_when_workers_are_hosts_then_results_equal_pandas(told, name):
    folder, (said, *_) = told
    assert said[0].endswith("code 0\n"), said[1]
    check_flights(pd.read_parquet(folder / "flights" / name), name)


def test_job_when_it_brings_code_then_workers_have_it_in_their_own_folders(told, hosts):
    output, errors = told[1][1]
    assert output.endswith("code 0\n"), errors
    lines = [line.partition("> ")[2] for line in output.splitlines() if "> " in line]
    values, places = zip(*(line.split(" | ") for line in lines), strict=True)
    last = {value.split(" costs ")[0]: value.split(" costs ")[1] for value in values}
    assert last == {"ITEM 0": "3366 EUR", "ITEM 1": "3434 EUR", "ITEM 2": "3300 EUR"}
    for place in places:
        address, python, package, units = place.split()
        number = int(address.rpartition(".")[2]) - 2  # the master has .2
        assert python.endswith("/venv/bin/python")
        own = hosts.folder / f"work{number}"
        assert [path for path in (python, package, units) if not Path(path).is_relative_to(own)] == []


def test_job_when_a_package_is_missing_then_the_error_names_it_and_the_worker(told, hosts):
    output, errors = told[1][2]
    assert output.endswith("code 1\n")
    assert re.search(
        r"flinkpy: Operator '.*' needs the package 'tariff' \(File \"priced.py\", line 8, in priced\), which "
        rf"{hosts.folder}/python\d/bin/python3 on 10\.\S+ does not have: bring it with -pyreq",
        errors,
    ), errors


def test_job_when_workers_do_not_have_the_interpreter_then_the_error_names_both(told):
    output, errors = told[1][3]
    assert output.endswith("code 1\n")
    assert re.search(
        r"flinkpy: There is no Python '/no/python' on worker 10\.\S+ \(executor \d\): name", errors
    ), errors


def test_job_when_no_worker_can_hold_an_executor_then_refused_at_once_with_the_largest(hosts, tmp_path):
    (tmp_path / "job.py").write_text(LONELY)
    options = options_of(hosts, spark_executor_memory="64g")
    command = [sys.executable, "-m", "flinkpy_dagster", "run", *options, "job.py"]
    done = in_folder(hosts, tmp_path, command)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"flinkpy: No worker of '{hosts.url}' can hold a TaskManager of 1 cores (taskmanager.numberOfTaskSlots) and "
        "65536 mb of heap (taskmanager.memory.process.size, spark.executor.memory): the largest of 2 has 2 cores and "
        "2048 mb."
    ), done.stderr


def test_executors_when_slots_are_asked_for_come_and_when_they_are_idle_and_empty_go(hosts, tmp_path):
    command = [sys.executable, "-m", "tests.clusters.elastic_program", hosts.url, str(tmp_path)]
    done = in_folder(hosts, tmp_path, command)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "workers [Worker(cores=2, memory_mib=2048), Worker(cores=2, memory_mib=2048)]",
        "at once 2",
        "lines 100",
        "idle, but with data True",
        "lost 0",
        "lines 100",
        "back True",
        "lost 1",
    ]


def in_folder(hosts: Cluster, folder: Path, command: list[str]) -> "subprocess.CompletedProcess[str]":
    environment = environment_of(hosts, folder)
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, cwd=folder, env=environment
    )


class RunningSums:
    """Runs of ``chaos_program`` on the cluster, one after the other."""

    def __init__(self, hosts: Cluster, folder: Path) -> None:
        self.hosts, self.folder = hosts, folder
        self.given = Input(folder, records=1200, files=12)
        (folder / "dagster.yaml").write_text("telemetry: {enabled: false}\n")

    def start(self, name: str, *options: str, **more: str) -> "subprocess.Popen[bytes]":
        """Its checkpoints are in a folder of this name; it prints into ``<name>.log``."""
        pairs = {
            "execution.checkpointing.dir": str(self.folder / name),
            "execution.checkpointing.interval": "100 ms",
            "execution.trigger-interval": "50 ms",
            "flinkpy.epoch.max-files": "1",
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "1000",
            "restart-strategy.fixed-delay.delay": "100 ms",
        }
        words = [word for pair in (pairs | more).items() for word in ("-D", "=".join(pair))]
        program = [chaos_program.__file__, str(self.folder)]
        command = [
            sys.executable,
            "-m",
            "flinkpy_dagster",
            "run",
            *options_of(self.hosts),
            "-pyexec",
            "python3",
        ]
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                [*command, *words, *options, *program],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                env=environment_of(self.hosts, self.folder),
            )

    def epochs(self, name: str) -> set[str]:
        return {each.parent.name for each in (self.folder / name).rglob("_metadata")}

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def wait(self, name: str, is_reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_reached():
            assert time.monotonic() < deadline, self.said(name)[-4000:]
            time.sleep(0.1)


def kill_with_children(process: int) -> None:
    """At once, with SIGKILL."""
    for each in [process, *descendants(process, children_by_parent())]:
        os.kill(each, signal.SIGKILL)


def task_managers(job_id: str, capsys: pytest.CaptureFixture[str]) -> tuple[list[dict], list[dict]]:
    """Those that are registered, and those that were lost, as another process sees them."""
    capsys.readouterr()
    assert main(["taskmanagers", "--json", job_id]) == 0
    found = json.loads(capsys.readouterr().out)
    return found["taskmanagers"], found["lost"]


def test_running_sums_when_a_worker_is_killed_and_a_savepoint_moves_them_then_each_number_counts_once(
    hosts, tmp_path, monkeypatch, capsys
):
    sums = RunningSums(hosts, tmp_path)
    sums.given.deliver(4)
    run = sums.start("first")
    try:
        sums.wait("first", lambda: len(sums.epochs("first")) > 0)
        job_id = re.search(r"JobID (\w{32})", sums.said("first"))[1]
        monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
        registered, lost = task_managers(job_id, capsys)
        assert [(each["slotsNumber"], each["jobId"]) for each in registered] == [(1, job_id)] * 2
        assert lost == []
        first = {each["id"] for each in registered}
        # 1. a worker dies with its executor; the other one has a core left
        kill_with_children(hosts.workers[0].pid)
        sums.given.deliver(4)
        before = sums.epochs("first")
        sums.wait("first", lambda: len(sums.epochs("first") - before) > 1)
        sums.wait("first", lambda: task_managers(job_id, capsys)[1] != [])
        registered, (gone,) = task_managers(job_id, capsys)
        assert gone["id"] in first - {each["id"] for each in registered}
        assert (gone["slotsNumber"], gone["reason"] != "") == (1, True)
        hosts_left = {each["id"].partition(":")[0] for each in registered}
        assert gone["id"].partition(":")[0] not in hosts_left
        # 2. the job ends with a savepoint
        assert main(["stop", "-p", str(tmp_path / "savepoints"), job_id]) == 0
        assert run.wait(PATIENCE_SECONDS) == 0, sums.said("first")[-4000:]
    finally:
        run.kill()
        run.wait()
    # 3. another job goes on from it
    (savepoint,) = (tmp_path / "savepoints").glob("savepoint-*")
    sums.given.deliver(4)
    second = sums.start("second", "-s", str(savepoint), **{"execution.trigger": "available-now"})
    assert second.wait(PATIENCE_SECONDS) == 0, sums.said("second")[-4000:]
    check_sums(sums.given, tmp_path)
