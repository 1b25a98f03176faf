"""A sensor and a schedule left alone: files arrive, Dagster's daemon launches runs, every line counts exactly once.

    python -m benchmarks.unattended [--minutes 15] [--every 7] [--folder DIRECTORY] [--kills 2]

Starts a code server and ``dagster-daemon`` on an instance of its own, lets a file arrive every few seconds, and with
``--kills`` kills a run (-9) now and then. At the end it waits until the daemon has nothing to do, and compares
what was written with what had arrived. Exits with 1 if a line is missing or doubled.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from dagster import DagsterInstance, DagsterRunStatus

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = """\
telemetry: {enabled: false}
run_monitoring: {enabled: true, poll_interval_seconds: 10}
"""
_PID = re.compile(r"Executing steps as threads \(pid: (\d+)")
QUIET_SECONDS = 900  # the longest time to wait for the last files
DONE = (DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--every", type=float, default=7, help="seconds from one file to the next")
    parser.add_argument("--folder", help="where all of it lies; not set: a new temporary folder")
    parser.add_argument("--kills", type=int, default=0, help="how often a run is killed (-9) on the way")
    options = parser.parse_args()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="unattended-")).absolute()
    for name in ("landing", "home"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "home" / "dagster.yaml").write_text(SETTINGS)
    with DagsterInstance.from_config(str(folder / "home")) as instance:
        instance.get_runs_count()  # the instance is there before others look at it
        with services(folder):
            arrived = let_arrive(folder, options, instance)
            await_all(folder, arrived, instance)
            return told(folder, arrived, instance)


@contextmanager
def services(folder: Path) -> Iterator[None]:
    """A code server and the daemon, as a deployment has them: processes of their own, in a group of their own."""
    (folder / "workspace.yaml").write_text(
        f"load_from: [{{grpc_server: {{socket: {folder}/code.sock, location_name: unattended}}}}]\n"
    )
    environment = os.environ | {"DAGSTER_HOME": str(folder / "home"), "UNATTENDED_FOLDER": str(folder)}
    server = ["api", "grpc", "--socket", f"{folder}/code.sock", "-m", "benchmarks.unattended_location"]
    commands = {
        "server": [sys.executable, "-m", "dagster", *server],
        "daemon": [sys.executable, "-m", "dagster._daemon", "run", "-w", f"{folder}/workspace.yaml"],
    }
    processes = []
    for name, command in commands.items():
        with (folder / f"{name}.log").open("w") as log:
            processes.append(
                subprocess.Popen(
                    command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
                )
            )
    try:
        yield
    finally:
        for process in reversed(processes):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def let_arrive(folder: Path, options: argparse.Namespace, instance: DagsterInstance) -> Counter:
    """Files of some lines each, one after the other; all lines that have arrived."""
    chance = random.Random(7)
    arrived: Counter = Counter()
    end, number, killed = time.monotonic() + options.minutes * 60, 0, 0
    while time.monotonic() < end:
        lines = [(f"file-{number:04}", chance.randrange(1000)) for _ in range(chance.randrange(1, 200))]
        arrived.update(lines)
        hidden = folder / "landing" / f".{number:04}"
        hidden.write_text("".join(f"{name},{value}\n" for name, value in lines))
        hidden.rename(folder / "landing" / f"{number:04}.csv")
        number += 1
        passed = 1 - (end - time.monotonic()) / (options.minutes * 60)
        if killed < options.kills and passed >= (killed + 1) / (options.kills + 1):
            killed += kill_a_run(instance)
        time.sleep(max(0.0, min(options.every, end - time.monotonic())))
    print(f"{number} files, {arrived.total()} lines have arrived; {killed} runs killed.", flush=True)
    return arrived


def kill_a_run(instance: DagsterInstance) -> int:
    """Kills the process of a run that is under way, if there is one; how many."""
    for run in instance.get_runs():
        if run.status is DagsterRunStatus.STARTED:
            found = [_PID.search(entry.user_message) for entry in instance.all_logs(run.run_id)]
            pids = [int(match[1]) for match in found if match is not None]
            if pids:
                os.kill(pids[0], signal.SIGKILL)
                return 1
    return 0


def await_all(folder: Path, arrived: Counter, instance: DagsterInstance) -> None:
    """Until as many lines are written as have arrived, and no run is under way; not for ever."""
    end = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < end:
        is_quiet = all(run.status in DONE for run in instance.get_runs())
        if is_quiet and written(folder).total() >= arrived.total():
            return
        time.sleep(5)
    print(f"Not all was written within {QUIET_SECONDS} s.")


def written(folder: Path) -> Counter:
    """Lines of the sink."""
    files = list((folder / "rows").glob("*.parquet"))
    rows = pd.concat(map(pd.read_parquet, files)) if files else pd.DataFrame(columns=["file", "number"])
    return Counter(zip(rows["file"], rows["number"]))


def totals(folder: Path) -> tuple[int, int]:
    """Lines and sum by the state of the job: the last total of every shard."""
    frame = pd.concat(map(pd.read_parquet, (folder / "totals").glob("*.parquet")))
    last = frame.groupby("shard")[["lines", "total"]].max()
    return int(last["lines"].sum()), int(last["total"].sum())


def told(folder: Path, arrived: Counter, instance: DagsterInstance) -> int:
    """Says what came out; 1 if it is not what had arrived."""
    there = written(folder)
    missing, doubled = arrived - there, there - arrived
    by_state = totals(folder)
    by_arrival = (arrived.total(), sum(value * count for (_, value), count in arrived.items()))
    runs = instance.get_runs()
    states = Counter(run.status.value for run in runs)
    launched = Counter(
        "sensor"
        if "dagster/sensor_name" in run.tags
        else "schedule"
        if "dagster/schedule_name" in run.tags
        else "?"
        for run in runs
    )
    keys = Counter(run.tags.get("dagster/run_key") for run in runs)
    twice = sum(count > 1 for count in keys.values())
    print(f"runs: {dict(states)}, launched by {dict(launched)}, run keys used twice: {twice}")
    print(f"lines missing: {missing.total()}, doubled: {doubled.total()}")
    print(f"lines and sum by the job's state: {by_state}, of what had arrived: {by_arrival}")
    is_right = not missing and not doubled and by_state == by_arrival
    print("Every line exactly once." if is_right else f"WRONG; see {folder}")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
