"""Kills parts of an unbounded job at random moments, then compares with an undisturbed run.

    python -m tests.dataplane.chaos [--records 1000000] [--kills 100] [--seed 1] [--cluster] [--victims "executor,..."]

``make chaos`` runs it in full, ``make test`` with a few kills. Killed are the run process, with or without all that
belongs to it, the driver's JVM, Python workers, and with ``--cluster`` executors of a standalone Spark cluster. A run
that has ended is started again; what happens inside of a run is for the restart strategy.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.clusters.standalone import cluster
from tests.dataplane import chaos_program
from tests.dataplane.chaos_program import Input, results
from tests.dataplane.chaos_victims import ENDS_THE_RUN, VICTIMS, kill

ROOT = Path(__file__).parents[2]
FILES_PER_KILL = 2
SHARE_OF_EPOCH = 20
"""An epoch that catches up takes one file in so many, three seconds of events: its files are read in any order, and
what comes more than five seconds late is dropped."""
STARTING_SHARE = 0.25
"""Of the kills of whole runs: while it starts, restores and publishes. The others come after an epoch of it."""
LONGEST_PAUSE_SECONDS = 2.0
PATIENCE_SECONDS = 900.0


@dataclass
class Job:
    """Runs of one job in a folder. ``cluster_url`` empty: in a JVM of its own."""

    folder: Path
    cluster_url: str = ""
    starts: int = 0
    run: "subprocess.Popen[bytes] | None" = field(default=None)

    def start(self, trigger: str, files_per_epoch: int) -> "subprocess.Popen[bytes]":
        """A run in a process group of its own."""
        options = {
            "execution.trigger": trigger,
            "execution.trigger-interval": "50 ms",
            "flinkpy.epoch.max-files": str(files_per_epoch),
            "execution.checkpointing.dir": str(self.folder / "checkpoints"),
            "execution.checkpointing.interval": "1 s",
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "1000",
            "restart-strategy.fixed-delay.delay": "100 ms",
            "spark.driver.memory": "512m",
        }
        if self.cluster_url:
            options |= {
                "spark.master": self.cluster_url,
                "spark.executor.memory": "512m",
                "spark.executor.cores": "1",
                "spark.cores.max": "2",
            }
        pairs = [word for key, value in options.items() for word in ("-D", f"{key}={value}")]
        program = [chaos_program.__file__, str(self.folder)]
        command = [sys.executable, "-m", "flinkpy_dagster", "run", *pairs, *program]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
        with (self.folder / "log").open("ab") as log:
            self.run = subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, env=environment, start_new_session=True
            )
        self.starts += 1
        return self.run

    def run_to_the_end(self, files_per_epoch: int) -> None:
        """Everything that is there."""
        if self.start("available-now", files_per_epoch).wait(2 * PATIENCE_SECONDS) != 0:
            raise AssertionError(f"The last run failed:\n{self.said()}")

    def said(self) -> str:
        """The end of what all runs printed."""
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def epochs(self) -> frozenset[str]:
        """The folders of complete epochs: each new epoch changes them."""
        found = os.walk(self.folder / "checkpoints")  # which is not troubled by folders that go meanwhile
        return frozenset(Path(folder).name for folder, _, files in found if "_metadata" in files)


@dataclass
class Chaos:
    """Disturbs a job. ``victims`` are names of VICTIMS; ``cluster`` the processes that have executors."""

    job: Job
    given: Input
    victims: Sequence[str]
    chance: random.Random
    cluster: Sequence[int] = ()
    killed: Counter[str] = field(default_factory=Counter)

    def disturb(self, kills: int) -> None:
        """Kills so many times, then ends the run, whatever it does."""
        while self.killed.total() < kills:
            self.given.deliver(FILES_PER_KILL)
            victim = self.chance.choice(self.victims)
            run = self._running()
            self._wait(run, victim)
            if kill(VICTIMS[victim](run, self.cluster, self.chance)):
                self.killed[victim] += 1
                print(
                    f"{time.strftime('%X')} kill {self.killed.total()}: {victim}", file=sys.stderr, flush=True
                )
                if victim in ENDS_THE_RUN:
                    run.wait()
        self.end()

    def end(self) -> None:
        """Nothing of the job is left."""
        run = self.job.run
        if run is not None and run.poll() is None:
            kill(VICTIMS["group"](run, (), self.chance))
            run.wait()

    def _running(self) -> "subprocess.Popen[bytes]":
        run = self.job.run
        if run is None or run.returncode is not None:
            return self.job.start("continuous", files_per_epoch=1)
        assert run.poll() is None, f"The run ended with {run.returncode}:\n{self.job.said()}"
        return run

    def _wait(self, run: "subprocess.Popen[bytes]", victim: str) -> None:
        """A random while; mostly after an epoch, so that the job gets on."""
        if victim in ENDS_THE_RUN and self.chance.random() < STARTING_SHARE:
            time.sleep(self.chance.uniform(0.0, 10.0))
            return
        before, deadline = self.job.epochs(), time.monotonic() + PATIENCE_SECONDS
        self.given.deliver(1)
        while self.job.epochs() == before and self.given.delivered < self.given.files:
            assert time.monotonic() < deadline, f"No epoch within {PATIENCE_SECONDS} s:\n{self.job.said()}"
            assert run.poll() is None, f"The run ended with {run.returncode}:\n{self.job.said()}"
            time.sleep(0.05)
        time.sleep(self.chance.uniform(0.0, LONGEST_PAUSE_SECONDS))


def compare(
    folder: Path,
    records: int,
    kills: int,
    seed: int,
    victims: Sequence[str] = (),
    *,
    on_cluster: bool = False,
) -> str:
    """What was done, in a sentence; raises AssertionError if the results differ."""
    began = time.monotonic()
    files = FILES_PER_KILL * kills + kills
    calm, wild = Job(folder / "calm"), Job(folder / "wild")
    all_given = Input(calm.folder, records, files)
    all_given.deliver(files)
    calm.run_to_the_end(files_per_epoch=max(files // SHARE_OF_EPOCH, 1))
    expected = results(calm.folder)
    assert len(expected[0]) == all_given.records
    with ExitStack() as stack:
        given = Input(wild.folder, records, files)
        names = list(victims) or [name for name in VICTIMS if on_cluster or name != "executor"]
        chaos = Chaos(wild, given, names, random.Random(seed))
        if on_cluster:
            running = stack.enter_context(cluster(folder))
            wild.cluster_url = running.url
            chaos.cluster = [each.pid for each in running.workers]
        stack.callback(chaos.end)
        chaos.disturb(kills)
        given.deliver(files)
        wild.run_to_the_end(files_per_epoch=max(files // SHARE_OF_EPOCH, 1))
    found = results(wild.folder)
    for name, mine, its in zip(("sums", "windows"), found, expected):
        assert mine == its, f"{name}: {len(mine)} rows instead of {len(its)} (seed {seed}, {wild.folder})"
    how = ", ".join(f"{number} x {name}" for name, number in chaos.killed.most_common())
    return (
        f"{all_given.records} records, {chaos.killed.total()} kills ({how}), {wild.starts} runs, seed {seed}: "
        f"{len(found[0])} sums and {len(found[1])} windows equal, {time.monotonic() - began:.0f} s."
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--cluster", action="store_true", help="on a standalone cluster of its own")
    parser.add_argument("--victims", default="", help=f"some of: {', '.join(VICTIMS)}")
    arguments = parser.parse_args(argv)
    seed = arguments.seed if arguments.seed is not None else random.randrange(10**6)
    victims = [each.strip() for each in arguments.victims.split(",") if each.strip()]
    folder = Path(tempfile.mkdtemp(prefix="flinkpy-chaos-"))
    told = compare(folder, arguments.records, arguments.kills, seed, victims, on_cluster=arguments.cluster)
    print(told)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
