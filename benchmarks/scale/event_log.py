"""Events told to SQLite and to PostgreSQL: the same ones, in turns, so that both see the same machine."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.scale.rows import Row, timed

PART = "Event log"
EVENTS = 2000
_TURN = 100
_RECIPE = Path(__file__).parents[2] / "docs" / "deployment" / "dagster.yaml"
_SQLITE = "telemetry: {enabled: false}\n"


def rows() -> Iterator[Row]:
    """Rates for each, and what SQLite has on disk. Without a PostgreSQL on this machine SQLite alone."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        instances = {"SQLite: one database per run, an index over all": _instance(stack, home, _SQLITE)}
        if _serve_postgres(stack):
            instances["PostgreSQL, on this machine"] = _instance(stack, home, _RECIPE.read_text())
        yield from _rates(instances)
        size = sum(path.stat().st_size for path in home.rglob("*.db*"))
        yield Row(
            PART, f"{EVENTS:,} events of a run", "SQLite: on disk", f"{size / EVENTS / 1000:.1f} kB each"
        )


def _instance(stack: ExitStack, above: Path, settings: str) -> Any:
    from dagster import DagsterInstance

    home = Path(tempfile.mkdtemp(dir=above))
    (home / "dagster.yaml").write_text(settings)
    return stack.enter_context(DagsterInstance.from_config(str(home)))


def _serve_postgres(stack: ExitStack) -> bool:
    """That of the deployment recipe, with commits that wait for the disk."""
    from tests.clusters.postgres import NoServer, running_postgres

    try:
        address = stack.enter_context(running_postgres("fsync=on"))
    except NoServer:
        return False
    place, _, database = address.partition("/")
    host, _, port = place.partition(":")
    settings = {"HOST": host, "PORT": port, "DB": database, "USER": "test", "PASSWORD": "any"}
    os.environ.update({f"POSTGRES_{name}": value for name, value in settings.items()})
    return True


def _rates(instances: dict[str, Any]) -> Iterator[Row]:
    from dagster import DagsterRun

    runs = {name: instance.add_run(DagsterRun("job")) for name, instance in instances.items()}
    processor, wall = dict.fromkeys(instances, 0.0), dict.fromkeys(instances, 0.0)
    for turn in range(EVENTS // _TURN):
        for name, instance in instances.items():
            began = time.monotonic()
            _, took = timed(lambda: _tell(instance, runs[name], turn))  # noqa: B023  called at once
            processor[name] += took
            wall[name] += time.monotonic() - began
    for name in instances:
        rate = f"{EVENTS / processor[name]:,.0f} per second of the run's processor time"
        yield Row(
            PART, f"{EVENTS:,} events of a run", name, f"{rate}, {EVENTS / wall[name]:,.0f} by the clock"
        )


def _tell(instance: Any, run: Any, turn: int) -> None:
    from dagster._core.events import EngineEventData

    for number in range(turn * _TURN, (turn + 1) * _TURN):
        about = EngineEventData({"state": "RUNNING", "at_ms": number, "attempt": 0})
        instance.report_engine_event("Map is RUNNING", run, about)
