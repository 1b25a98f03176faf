"""Which process leads a run, as other processes of the machine can tell whether it still exists."""

import os
import socket
from contextlib import suppress
from pathlib import Path

PROCESS_TAG = "flinkpy/process"
"""On a run: host, process id, and when the process was started, in the kernel's ticks."""


def this_process() -> str:
    """The value of the tag for this process."""
    return f"{socket.gethostname()} {os.getpid()} {_started(os.getpid()) or '?'}"


def is_gone(text: str) -> bool:
    """Has the process ended? False for those of other hosts: nobody here can tell."""
    host, pid, started = text.rsplit(" ", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # somebody's, so it exists
    now = _started(int(pid))
    return "?" not in (started, now or "?") and now != started  # its number has been given to another one


def _started(pid: int) -> str | None:
    """Field 22 of Linux's ``/proc/<pid>/stat``; None where there is none."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "ended" if fields[0] == "Z" else fields[19]
    return None
