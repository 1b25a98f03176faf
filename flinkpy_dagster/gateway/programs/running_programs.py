"""Running a program, or planning it, in a process of its own, by the command line."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flinkpy_dagster.gateway.rest.failures import RestError, bad_request

_SECONDS = 300
_LONGEST_SENTENCE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRun:
    """How a program is to be run: Flink's ``JarRunRequestBody``.

    ``entry``: of a .py file a function that takes an environment, of a zip the module.
    """

    path: Path
    entry: str | None = None
    args: Sequence[str] = ()
    parallelism: int | None = None
    job_id: str | None = None
    savepoint: str | None = None
    allows_non_restored: bool = False
    claim_mode: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Path] = ()

    def arguments(self) -> list[str]:
        """Of the command line, after the action and its own options."""
        options = dict(self.options)
        if self.job_id is not None:
            options["$internal.pipeline.job-id"] = self.job_id
        found = ["-p", str(self.parallelism)] if self.parallelism is not None else []
        found += [part for key, value in options.items() for part in ("-D", f"{key}={value}")]
        return [*found, *self._program(), *self.args]

    def restoring(self) -> list[str]:
        """Options of ``run`` only."""
        found = ["-s", self.savepoint] if self.savepoint is not None else []
        found += ["-cm", self.claim_mode] if self.claim_mode is not None else []
        return found + (["-n"] if self.allows_non_restored else [])

    def _program(self) -> list[str]:
        files = [*map(str, self.files)]
        if self.path.suffix == ".zip":
            if self.entry is None:
                raise bad_request("A .zip needs entryClass: the module of it that is the program.")
            return ["-pyfs", ",".join([str(self.path), *files]), "-pym", self.entry]
        function = ["-c", self.entry] if self.entry is not None else []
        return [*function, *(["-pyfs", ",".join(files)] if files else []), str(self.path)]


def submit(run: ProgramRun, dagster_home: str) -> str:
    """The id of the job that the program has, detached. Raises RestError 400 with the program's error.

    A second ``execute()`` is an error of the program, as it is for Flink's ``JarRunHandler``.
    """
    text = _called(
        ["run", "-d", "-D", "$internal.single-job=true", *run.restoring(), *run.arguments()], dagster_home
    )
    found = re.search(r"JobID ([0-9a-f]{32})", text)
    if found is None:
        raise bad_request("The program has submitted no job.")
    return found[1]


def plan(run: ProgramRun, dagster_home: str) -> dict[str, Any]:
    """Flink's plan of its job. Raises RestError 400 with the program's error."""
    text = _called(["plan", *run.arguments()], dagster_home)
    try:
        value = json.loads(text[text.index("{") :])
    except ValueError:
        raise bad_request("The program has no plan.") from None
    found: dict[str, Any] = value.get("plan", value)
    return {"jid": "0" * 32} | found


def _called(arguments: list[str], dagster_home: str) -> str:
    command = [sys.executable, "-m", "flinkpy_dagster", *arguments]
    environment = os.environ | {"DAGSTER_HOME": dagster_home}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise RestError(400, f"The program has not come to its execute() within {_SECONDS} s.") from None
    except ValueError:  # an argument with a null character
        raise bad_request("An argument of the program cannot be passed on.") from None
    if done.returncode != 0:
        raise bad_request(_sentence(done.stderr))
    return done.stdout + done.stderr


def _sentence(stderr: str) -> str:
    """The last line that the command line has said itself."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    own = [line.removeprefix("flinkpy: ") for line in lines if line.startswith("flinkpy: ")]
    return ([*lines[-1:], *own[-1:]] or ["The program failed."])[-1][:_LONGEST_SENTENCE]
