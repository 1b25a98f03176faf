"""Records what PyFlink answers to the programs beside this file; run by an interpreter that has PyFlink 2.3 and a JVM.

python tests/pyflink/record.py [PROGRAM...]
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def record(name):
    """Writes ``expected/<name>.txt``: what ``run_programs.py`` prints for the program."""
    done = subprocess.run(
        [sys.executable, HERE / "run_programs.py", HERE / "programs" / f"{name}.py"],
        env=os.environ | {"TZ": "UTC", "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        check=True,
    )
    (HERE / "expected" / f"{name}.txt").write_bytes(done.stdout)


if __name__ == "__main__":
    names = sys.argv[1:] or sorted(path.stem for path in (HERE / "programs").glob("*.py"))
    for each in names:
        record(each)
        print(each, flush=True)
