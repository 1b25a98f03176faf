"""Jobs on the tests' YARN as users start them, and what its ResourceManager says of them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark

from benchmarks.soak_samples import children_by_parent, command_of, descendants
from tests.clusters.hadoop import Hadoop, asked

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 420.0
OPTIONS = {
    "parallelism.default": "2",
    "yarn.provided.lib.dirs": f"local:{Path(pyspark.__file__).parent / 'jars'}",
    "spark.driver.memory": "512m",
    "spark.executor.instances": "2",
}
Run = subprocess.Popen[bytes]


@dataclass
class YarnJobs:
    """``flinkpy`` in a folder, on a cluster. What a run prints is in ``<name>.log``."""

    hadoop: Hadoop
    folder: Path
    runs: list[Run] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.folder / "dagster.yaml").write_text("telemetry: {enabled: false}\n")

    @property
    def environment(self) -> dict[str, str]:
        own = {"PYTHONPATH": str(ROOT), "DAGSTER_HOME": str(self.folder), "SPARK_LOCAL_IP": "127.0.0.1"}
        return os.environ | own | {"HADOOP_CONF_DIR": str(self.hadoop.configuration)}

    def start(self, name: str, options: dict[str, str], *arguments: str) -> Run:
        """``flinkpy run -t yarn-per-job``; the application has the run's name."""
        pairs = OPTIONS | {"yarn.application.name": name} | options
        words = [word for pair in pairs.items() for word in ("-D", "=".join(pair))]
        with open(self.folder / f"{name}.log", "wb") as log:
            run = subprocess.Popen(
                [*self._flinkpy("run"), "-t", "yarn-per-job", *words, *arguments],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                env=self.environment,
            )
        self.runs.append(run)
        return run

    def ask(self, *arguments: str) -> str:
        """What another command prints."""
        done = subprocess.run(
            self._flinkpy(*arguments),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def job_id(self, name: str) -> str:
        found = re.search(r"JobID (\w{32})", self.said(name))
        assert found is not None, self.said(name)
        return found[1]

    def application(self, name: str) -> dict[str, Any]:
        """What the ResourceManager says of it; empty if it has none of this name."""
        found = asked(f"{self.hadoop.resource_manager}/apps")["apps"] or {}
        return next((each for each in found.get("app", ()) if each["name"] == name), {})

    def is_gone(self, name: str) -> bool:
        """Has the application ended, and does it hold nothing any more?"""
        application = self.application(name)
        return application["state"] in ("FINISHED", "FAILED", "KILLED") and application["allocatedMB"] <= 0

    def wait(self, name: str, is_reached: Callable[[], bool], every_s: float = 0.1) -> None:
        """Asks until it is so; a run that fails meanwhile ends the waiting."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        living = [run for run in self.runs if run.poll() is None]
        while not is_reached():
            assert time.monotonic() < deadline, self.said(name)[-4000:]
            assert all(run.poll() in (None, 0) for run in living), self.said(name)[-4000:]
            time.sleep(every_s)

    def executors(self, node: str) -> list[int]:
        """Processes that are executors in containers of a NodeManager."""
        below = descendants(self.hadoop.processes[node].pid, children_by_parent())
        return [each for each in below if b"CoarseGrainedExecutorBackend" in command_of(each)[:20_000]]

    def end(self) -> None:
        """Kills what still runs."""
        for run in self.runs:
            kill_with_children(run.pid)
            run.wait()

    def _flinkpy(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "flinkpy_dagster", *arguments]


def kill_with_children(process: int) -> None:
    """At once, with SIGKILL."""
    for each in [process, *descendants(process, children_by_parent())]:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
