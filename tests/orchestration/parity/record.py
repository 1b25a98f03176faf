"""Records what Dagster's multiprocess executor does with every case: ``python -m tests.orchestration.parity.record``.

Live it takes a process per step, minutes in all; the tests compare ours with the recording.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.orchestration.parity.cases import CASES
from tests.orchestration.parity.running import THEIRS, stage

FOLDER = Path(__file__).with_name("recorded")


def recorded(name: str) -> list[Any]:
    """[status, events by step] of every run of the case."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def main(names: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names or CASES:
        with tempfile.TemporaryDirectory() as folder, stage(Path(folder)) as instances:
            outcomes = instances.play(THEIRS, CASES[name])
        text = json.dumps([[each.status, each.events] for each in outcomes], indent=1, sort_keys=True)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(name, [each.status for each in outcomes])


if __name__ == "__main__":
    main(sys.argv[1:])
