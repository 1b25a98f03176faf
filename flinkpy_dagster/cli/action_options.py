"""The options of every action, in Flink's spelling where Flink has them."""

from collections.abc import Callable

from flinkpy_dagster.cli.actions import SHELLS
from flinkpy_dagster.cli.arguments import Parser
from flinkpy_dagster.cli.option_groups import (
    add_cluster,
    add_configuration,
    add_format,
    add_job,
    add_json,
    add_manager,
    add_no_wait,
    add_pairs,
    add_program,
    add_traceback,
)
from flinkpy_dagster.cli.session_options import add_session
from flinkpy_dagster.cli.target_options import add_shown_target, add_task_managers


def _add_run(parser: Parser) -> None:
    add_configuration(parser)
    parser.add_argument(
        "-d",
        "--detached",
        dest="is_detached",
        action="store_true",
        help="submit the job and do not wait for it",
    )
    parser.add_argument(
        "-t",
        "--target",
        metavar="TARGET",
        help="local[N], spark://HOST:PORT, yarn-per-job, kubernetes-application, sc://HOST:PORT",
    )
    parser.add_argument(
        "-s",
        "--fromSavepoint",
        dest="savepoint",
        metavar="PATH",
        help="savepoint or checkpoint to start from; latest: the newest of the job, none: start afresh",
    )
    parser.add_argument(
        "-n",
        "--allowNonRestoredState",
        dest="allows_non_restored",
        action="store_true",
        help="start although there is state of operators that the program no longer has",
    )
    parser.add_argument(
        "-cm",
        "--claimMode",
        "-rm",
        "--restoreMode",
        dest="claim_mode",
        metavar="MODE",
        help="whose the savepoint is that -s names: no_claim, the user's; claim, the job's, which deletes it",
    )
    parser.add_argument(
        "-sae",
        "--shutdownOnAttachedExit",
        dest="shuts_down",
        action="store_true",
        help="none needed: an attached job always ends with this command",
    )
    parser.add_argument(
        "--show",
        dest="rows",
        type=int,
        default=0,
        metavar="ROWS",
        help="show this many first rows of every Parquet result (default: 0)",
    )
    add_manager(parser)
    add_json(parser, "say what was submitted, and how it ended, as JSON objects, one per line")
    add_program(parser)


def _add_info(parser: Parser) -> None:
    parser.add_argument(
        "--slots", action="store_true", help="print the slots that the job needs, not its plans"
    )
    parser.add_argument(
        "--graph",
        metavar="FILE.svg",
        help="draw the JobGraph to this file instead: vertices, chains, ship strategies",
    )
    add_shown_target(parser)
    add_json(parser, "all plans, or what --slots or --target show, as one JSON object")
    add_configuration(parser)
    add_program(parser)


def _add_plan(parser: Parser) -> None:
    add_json(parser, "none needed: it is JSON")
    add_configuration(parser)
    add_program(parser)


def _add_list(parser: Parser) -> None:
    for names, dest, sentence in (
        (("-a", "--all"), "shows_all", "show all jobs, those that have ended, too"),
        (("-r", "--running"), "shows_running", "show only running jobs"),
        (("-s", "--scheduled"), "shows_scheduled", "show only scheduled jobs"),
    ):
        parser.add_argument(*names, dest=dest, action="store_true", help=sentence)
    add_json(parser, "as one JSON object, as Flink's REST API has it in /jobs/overview")
    add_cluster(parser)


def _add_cancel(parser: Parser) -> None:
    parser.add_argument(
        "-s",
        "--withSavepoint",
        dest="folder",
        metavar="FOLDER",
        nargs="?",
        const="",
        help="deprecated, use stop: make a savepoint before (default: execution.checkpointing.savepoint-dir)",
    )
    add_format(parser)
    add_json(parser, "as one JSON object")
    add_cluster(parser)
    add_job(parser)


def _add_stop(parser: Parser) -> None:
    parser.add_argument(
        "-p",
        "--savepointPath",
        dest="folder",
        metavar="FOLDER",
        nargs="?",
        const="",
        help="where to (default: execution.checkpointing.savepoint-dir)",
    )
    parser.add_argument(
        "-d", "--drain", dest="drains", action="store_true", help="bring event time to its end before"
    )
    add_no_wait(parser)
    add_format(parser)
    add_json(parser, "as one JSON object")
    add_cluster(parser)
    add_job(parser)


def _add_savepoint(parser: Parser) -> None:
    parser.add_argument(
        "-d", "--dispose", dest="disposed", metavar="PATH", help="delete this savepoint; no job is needed"
    )
    parser.add_argument(
        "-j",
        "--jarfile",
        dest="jar",
        metavar="FILE",
        help="not here: no class of a program is needed to dispose",
    )
    add_no_wait(parser)
    add_format(parser)
    add_json(parser, "as one JSON object")
    add_cluster(parser)
    add_job(parser)
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        help="where to (default: execution.checkpointing.savepoint-dir)",
    )


def _add_checkpoint(parser: Parser) -> None:
    parser.add_argument(
        "-full",
        "--full",
        dest="is_full",
        action="store_true",
        help="not here: checkpoints share what did not change",
    )
    add_json(parser, "as one JSON object")
    add_cluster(parser)
    add_job(parser)


def _add_state(parser: Parser) -> None:
    add_pairs(parser)
    add_traceback(parser)
    parser.add_argument(
        "path", metavar="PATH", help="folder of a checkpoint or savepoint, or of a job: its newest epoch"
    )
    parser.add_argument(
        "--uid", metavar="UID", help="show the keyed state of the operator of this uid or name"
    )
    parser.add_argument(
        "--diff", dest="other", metavar="PATH", help="with --uid: show what differs from this checkpoint"
    )
    parser.add_argument(
        "--rows", type=int, default=0, metavar="ROWS", help="show this many rows (default: all)"
    )
    add_json(parser, "as JSON, one object per row")


def _add_telling(parser: Parser) -> None:
    add_json(parser, "as one JSON object")
    add_traceback(parser)


def _add_config(parser: Parser) -> None:
    parser.add_argument("what", choices=["list"], help="list: all options")
    parser.add_argument(
        "prefix", metavar="PREFIX", nargs="?", default="", help="only keys that begin with it"
    )
    parser.add_argument(
        "-D", dest="pairs", action="append", default=[], metavar="key=value", help="an option that is set"
    )
    add_json(parser, "as one JSON object")
    add_traceback(parser)


def _add_gateway(parser: Parser) -> None:
    parser.add_argument(
        "--host", metavar="HOST", help="address to serve (rest.bind-address, default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, metavar="PORT", help="port to serve (rest.port, default: 8081; 0: a free one)"
    )
    add_pairs(parser)
    add_traceback(parser)


def _add_ui(parser: Parser) -> None:
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="HOST", help="address to serve (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, default=3000, metavar="PORT", help="port to serve (default: 3000)"
    )
    parser.add_argument(
        "-w", "--workspace", metavar="FILE", help="Dagster workspace file, for code locations beside the jobs"
    )
    add_traceback(parser)


def _add_completion(parser: Parser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell it is for")


# -- what several have -----------------------------------------------------------------------------------


ADDED: dict[str, Callable[[Parser], None]] = {
    "run": _add_run,
    "run-application": _add_run,
    "info": _add_info,
    "plan": _add_plan,
    "list": _add_list,
    "cancel": _add_cancel,
    "stop": _add_stop,
    "savepoint": _add_savepoint,
    "checkpoint": _add_checkpoint,
    "state": _add_state,
    "taskmanagers": add_task_managers,
    "session": add_session,
    "recover": _add_telling,
    "config": _add_config,
    "gateway": _add_gateway,
    "ui": _add_ui,
    "class-archive": _add_telling,
    "completion": _add_completion,
}
"""By action."""
