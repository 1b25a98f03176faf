"""``flinkpy list``: the jobs of the instance or of a gateway, in the words of Flink's ``CliFrontend``.

Flink's puts suspended jobs among the running ones; there they are gone soon, here they stay until they are run again.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.cluster import JobLine, cluster_of

SCHEDULED = frozenset({"CREATED", "INITIALIZING"})
TERMINATED = frozenset({"FINISHED", "CANCELED", "FAILED"})
SUSPENDED = "SUSPENDED"
_RULE = "-" * 62


def run(arguments: Arguments) -> int:
    """Prints running and scheduled jobs, with ``-a`` those that have ended, too; with ``--json`` one object."""
    if not arguments.json:
        print("Waiting for response...")
    with cluster_of(arguments) as cluster:
        jobs = cluster.jobs()
    if arguments.json:
        print(json.dumps({"jobs": [_json(job) for job in wanted(jobs, arguments)]}))
    else:
        print("\n".join(lines(jobs, arguments)))
    return 0


def wanted(jobs: Sequence[JobLine], arguments: Arguments) -> list[JobLine]:
    """Those that the options ask for; without any, what has not ended."""
    running, scheduled = _shown(arguments)

    def is_wanted(job: JobLine) -> bool:
        if job.state in SCHEDULED:
            return scheduled
        if job.state in TERMINATED:
            return arguments.shows_all
        return running if job.state != SUSPENDED else running and scheduled

    return [job for job in jobs if is_wanted(job)]


def lines(jobs: Sequence[JobLine], arguments: Arguments) -> list[str]:
    """What Flink's command line prints of them."""
    running, scheduled = _shown(arguments)
    found: list[str] = []
    if running:
        going = [job for job in jobs if job.state not in SCHEDULED | TERMINATED | {SUSPENDED}]
        found += _section(going, "Running/Restarting Jobs", "No running jobs.")
    if scheduled:
        waiting = [job for job in jobs if job.state in SCHEDULED]
        found += _section(waiting, "Scheduled Jobs", "No scheduled jobs.")
    if running and scheduled:
        found += _section([job for job in jobs if job.state == SUSPENDED], "Suspended Jobs", None)
    if arguments.shows_all:
        ended = [job for job in jobs if job.state in TERMINATED]
        found += _section(ended, "Terminated Jobs", None)
    return found


def _shown(arguments: Arguments) -> tuple[bool, bool]:
    """Running ones, scheduled ones."""
    has_options = arguments.shows_running or arguments.shows_scheduled or arguments.shows_all
    everything = arguments.shows_all or not has_options
    return arguments.shows_running or everything, arguments.shows_scheduled or everything


def _section(jobs: Sequence[JobLine], title: str, instead: str | None) -> list[str]:
    if not jobs:
        return [] if instead is None else [instead]
    return [_headed(title), *map(_line, sorted(jobs, key=lambda job: job.start_ms)), _RULE]


def _headed(title: str) -> str:
    """Flink's rules are 62 wide; where the title does not fit evenly, the longer half comes last."""
    left = (len(_RULE) - len(title) - 2) // 2
    return f"{'-' * left} {title} {'-' * (len(_RULE) - left - len(title) - 2)}"


def _line(job: JobLine) -> str:
    moment = datetime.fromtimestamp(job.start_ms / 1000).strftime("%d.%m.%Y %H:%M:%S")
    return f"{moment} : {job.job_id} : {job.name} ({job.state})"


def _json(job: JobLine) -> dict[str, str | int]:
    return {
        "jid": job.job_id,
        "name": job.name,
        "state": job.state,
        "start-time": job.start_ms,
        "end-time": job.end_ms,
        "duration": job.duration_ms,
        "last-modification": job.last_modified_ms,
    }
