"""Runs pipelines of program files, one after the other, and prints their results.

For whatever ``pyflink`` is in this process: the real one, if this file is the main program of an interpreter that has
it; ours after ``pyflink_alias.install()``. A pipeline is a function of a program whose name starts with ``in_order_``
or ``any_order_``; it gets an environment of parallelism 1 and returns a stream to collect, or None if it executed
the job itself. ``== program.pipeline`` comes before the results of each, one line per result; an error is a line too.
"""

import sys
from pathlib import Path

PREFIXES = ("in_order_", "any_order_")


def load(path):
    """The names that a program defines. As of the main module, so that its functions are pickled by value."""
    names = {"__name__": "__main__"}
    exec(compile(Path(path).read_text(encoding="utf-8"), str(path), "exec"), names)
    return names


def run(title, pipeline):
    """Runs one pipeline in an environment of its own."""
    from pyflink.datastream import StreamExecutionEnvironment

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print("==", title, flush=True)
    try:
        stream = pipeline(env)
        if stream is not None:
            with stream.execute_and_collect() as results:
                for result in results:
                    print(repr(result), flush=True)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        causes = [line for line in lines if "Error" in line or "xception" in line]
        print("failed:", type(error).__name__, (causes or lines)[-2:], flush=True)


def main(paths):
    """Runs all pipelines of the programs at ``paths``, in order."""
    for path in paths:
        for name, value in load(path).items():
            if name.startswith(PREFIXES):
                run(f"{Path(path).stem}.{name}", value)


if __name__ == "__main__":
    main(sys.argv[1:])
