"""The shared sessions that were started on this machine: one file each, with what it takes to reach and to end them."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class StartedSession:
    """``address``: what ``-t`` takes. ``token``: what the server wants to be shown, "" if nothing."""

    address: str
    pid: int
    master: str
    token: str
    log: str

    def is_alive(self) -> bool:
        """Is its process there, and is it the one that was started?"""
        with suppress(OSError):
            command = Path(f"/proc/{self.pid}/cmdline").read_bytes()
            is_it = b"SparkConnectServer" in command or not command  # none: it is about to end
            return is_it and not _is_zombie(self.pid)
        return False


def registry_folder() -> Path:
    """In ``DAGSTER_HOME``, else in ``~/.flinkpy``."""
    home = os.environ.get("DAGSTER_HOME")
    return Path(home) / "flinkpy-sessions" if home else Path.home() / ".flinkpy" / "sessions"


def note(session: StartedSession) -> None:
    """Remembers a session; only this user can read the file."""
    folder = registry_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = _file_of(session.address)
    path.touch(mode=0o600)
    path.write_text(json.dumps(asdict(session)))


def forget(session: StartedSession) -> None:
    """It has ended."""
    _file_of(session.address).unlink(missing_ok=True)


def started_sessions() -> list[StartedSession]:
    """Those that live, by address; what has ended is forgotten."""
    found = sorted(_noted(), key=lambda session: session.address)
    for each in found:
        if not each.is_alive():
            forget(each)
    return [each for each in found if each.is_alive()]


def token_of(address: str) -> str | None:
    """That of a session that was started here."""
    return next((each.token or None for each in _noted() if each.address == address), None)


def _noted() -> Iterator[StartedSession]:
    for path in registry_folder().glob("*.json"):
        with suppress(OSError, ValueError, TypeError):  # one that is just being written or deleted
            yield StartedSession(**json.loads(path.read_text()))


def _file_of(address: str) -> Path:
    return registry_folder() / f"{address.removeprefix('sc://').replace(':', '-')}.json"


def _is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
