"""Entry point of ``flinkpy``: reads the command line, runs the action, turns errors into exit codes.

One of the three places that catch broadly. Actions are imported when they are asked for: ``flinkpy --help`` loads
nothing else.
"""

import os
import sys
from collections.abc import Sequence

from flinkpy_dagster.cli.arguments import parse
from flinkpy_dagster.cli.signals import TERMINATED, Terminated
from flinkpy_dagster.error_codes import exit_code_of
from flinkpy_dagster.errors import FlinkpyError, JobFailed


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line ``argv`` (without the command's own name; default: ``sys.argv``).

    Returns the exit code: 0 if what was asked for was done, 1 after an error, 130 after Ctrl-C, 143 after SIGTERM,
    or what the program itself gave to ``sys.exit``.
    """
    arguments = parse(sys.argv[1:] if argv is None else argv)
    try:
        code = arguments.load_action()(arguments)
        sys.stdout.flush()
        return code
    except FlinkpyError as error:
        return _failed(error, str(error), arguments.traceback)
    except KeyboardInterrupt as interrupt:
        return _failed(interrupt, "interrupted.", False)
    except Terminated:
        print("flinkpy: terminated.", file=sys.stderr, flush=True)
        return TERMINATED
    except BrokenPipeError:  # who read the output has left; Python must not try to flush it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _failed(error: BaseException, sentence: str, with_traceback: bool) -> int:
    """Says what went wrong, in one sentence where the program is to blame; else the worker's traceback comes first."""
    is_unforeseen = isinstance(error, JobFailed) and not isinstance(error.cause, FlinkpyError)
    in_worker = getattr(error, "traceback_text", "")
    if with_traceback or is_unforeseen and not in_worker and error.__cause__ is not None:
        import traceback

        traceback.print_exception(error if with_traceback else error.__cause__)
    if with_traceback or is_unforeseen:
        sys.stderr.write(in_worker)
    print(f"flinkpy: {sentence}", file=sys.stderr, flush=True)
    return exit_code_of(error)


if __name__ == "__main__":
    sys.exit(main())
