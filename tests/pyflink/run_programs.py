"""Runs pipelines of program files, one after the other, and prints their results.

For whatever ``pyflink`` is in this process: the real one, if this file is the main program of an interpreter that has
it; ours after ``pyflink_alias.install()``. A pipeline is a function of a program whose name starts with ``in_order_``,
``any_order_`` or, if it must fail, ``fails_``; it gets an environment of parallelism 1 and returns a stream to collect,
or None if it executed the job itself. ``== program.pipeline`` comes before the results of each, one line per result; an
error is a line too.
"""

import os
import sys
from pathlib import Path

PREFIXES = ("in_order_", "any_order_", "fails_")
SLOTS = 12  # of the mini cluster: slot sharing groups need some


def load(path):
    """The names that a program defines. As of the main module, so that its functions are pickled by value."""
    names = {"__name__": "__main__"}
    exec(compile(Path(path).read_text(encoding="utf-8"), str(path), "exec"), names)
    return names


def run(title, pipeline):
    """Runs one pipeline in an environment of its own; gives the error, None if there was none."""
    from pyflink.common import Configuration
    from pyflink.datastream import StreamExecutionEnvironment

    configuration = Configuration()
    configuration.set_string("taskmanager.numberOfTaskSlots", str(SLOTS))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    print("==", title, flush=True)
    try:
        stream = pipeline(env)
        if stream is not None:
            with stream.execute_and_collect() as results:
                for result in results:
                    print(repr(result), flush=True)
    except Exception as error:
        print("failed:", telling(str(error)), flush=True)
        return error
    return None


def telling(text):
    """What a long account of Java and Python says in the end: the last line that names an error, without that name."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in reversed(lines):
        name, _, message = line.partition("rror: ") if "rror: " in line else line.partition("xception: ")
        if message and not line.startswith("at ") and "Error received from SDK harness" not in line:
            return message
    return lines[-1] if lines else ""


def main(paths):
    """Runs all pipelines of the programs at ``paths``, in order; each finds its program as it was loaded."""
    for path in paths:
        for name in load(path):
            if name.startswith(PREFIXES):
                run(f"{Path(path).stem}.{name}", load(path)[name])


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # the JVM's threads do not let go
