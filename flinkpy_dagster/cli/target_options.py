"""Options about targets and TaskManagers; ``action_options`` adds them to its actions."""

import argparse
from typing import Any

from flinkpy_dagster.cli.arguments import Parser
from flinkpy_dagster.cli.option_groups import add_cluster


def add_shown_target(parser: Parser) -> None:
    """``info --target [TARGET]``."""
    parser.add_argument(
        "-t",
        "--target",
        nargs="?",
        action=_ShowTarget,
        metavar="TARGET",
        help="print what the target (default: execution.target) is asked for instead; needs no program",
    )


def add_task_managers(parser: Parser) -> None:
    """Those of ``taskmanagers``."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="as one JSON object, with the fields of Flink's REST API in /taskmanagers",
    )
    add_cluster(parser)
    parser.add_argument(
        "job_id",
        metavar="JOB_ID",
        nargs="?",
        help="those of this job, which may have ended (default: of all that run)",
    )


class _ShowTarget(argparse.Action):
    """The report is asked for, whether a target is named or not."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        namespace.shows_target = True
        if values is not None:
            namespace.target = values
