"""All benchmarks one after the other into RESULTS.md: ``python -m benchmarks [NAME ...]``."""

import subprocess
import sys

BENCHMARKS = (
    "main_job",
    "two_workers",
    "keyed_reduce",
    "keyed_process",
    "event_time_windows",
    "co_process_join",
    "streaming_epochs",
    "stateful_streaming",
    "checkpoint_overhead",
    "incremental_state",
    "restore_time",
    "executor_overhead",
    "executor_spark_ops",
    "location_load",
)


def main(names: list[str]) -> int:
    unknown = sorted(set(names).difference(BENCHMARKS))
    if unknown:
        print(f"There is no benchmark {unknown[0]}: there are {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 2
    commands = [[sys.executable, "-m", f"benchmarks.{name}", "--write"] for name in names or BENCHMARKS]
    return max(map(subprocess.call, commands))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
