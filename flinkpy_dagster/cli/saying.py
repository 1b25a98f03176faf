"""What an action says on standard output: Flink's lines for people, or one JSON object for machines."""

import json
from typing import Any


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
