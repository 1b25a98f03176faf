"""Links from assets to the lines of the program that ask for them."""

import os
import warnings
from collections.abc import Iterable
from functools import cache
from typing import Any

from dagster import BetaWarning, CodeReferencesMetadataValue, LocalFileCodeReference

from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.orchestration.naming import readable


def code_references(nodes: Iterable[StreamNode]) -> dict[str, Any]:
    """``dagster/code_references`` for the operators of these nodes, the last one first; nothing if no line is known.

    Dagster's UI shows the first; ``with_source_code_references`` keeps them, ``link_code_references_to_git`` turns
    them into addresses of a repository.
    """
    labels: dict[tuple[str, int], str] = {}
    for node in reversed(list(nodes)):
        for place in reversed(node.places):
            labels.setdefault(place, readable(node) or node.name)
    lines = [(os.path.abspath(file), line, label) for (file, line), label in labels.items() if _is_file(file)]
    if not lines:
        return {}
    with warnings.catch_warnings():  # Dagster calls these classes beta
        warnings.simplefilter("ignore", BetaWarning)
        found: list[Any] = [
            LocalFileCodeReference(file_path=file, line_number=line, label=label)
            for file, line, label in lines
        ]
        return {"dagster/code_references": CodeReferencesMetadataValue(code_references=found)}


@cache
def _is_file(path: str) -> bool:
    return os.path.isfile(path)
