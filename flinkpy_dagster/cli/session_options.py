"""The options of ``flinkpy session``."""

from flinkpy_dagster.cli.arguments import Parser
from flinkpy_dagster.cli.option_groups import add_pairs


def add_session(parser: Parser) -> None:
    """Of starting, stopping and listing."""
    parser.add_argument("what", choices=["start", "stop", "list"], help="start one, stop one, list all")
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        nargs="?",
        help="which one to stop, sc://HOST:PORT (default: the only one)",
    )
    parser.add_argument(
        "--master", metavar="TARGET", help="what it runs on: local[N], spark://HOST:PORT (default: local)"
    )
    parser.add_argument(
        "--host", default="localhost", metavar="HOST", help="address to serve (default: this machine only)"
    )
    parser.add_argument(
        "--port",
        type=int,
        default=15002,
        metavar="PORT",
        help="port to serve (default: 15002; 0: a free one)",
    )
    add_pairs(parser)
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.add_argument("--traceback", action="store_true", help="show the whole traceback of an error")
