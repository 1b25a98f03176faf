"""What an action says on standard output: Flink's lines for people, or one JSON object for machines."""

import json
import sys
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import unused_options


class Teller:
    """Called with a line, ``object`` at the end. ``--json`` decides which of them is printed."""

    def __init__(self, is_json: bool):
        self._is_json = is_json

    def __call__(self, line: str) -> None:
        if not self._is_json:
            print(line, flush=True)

    def object(self, about: dict[str, Any]) -> None:
        """What the action did."""
        if self._is_json:
            print(json.dumps(about), flush=True)


def say_unused(configuration: Configuration) -> None:
    """Names deployment options that the target has no use for, on standard error."""
    for sentence in unused_options(configuration):
        print(f"flinkpy: {sentence}", file=sys.stderr, flush=True)
