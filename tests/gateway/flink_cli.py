"""Flink's own command line, out of the venv that FLINK_VENV names."""

import os
import subprocess
from pathlib import Path

VENV = os.environ.get("FLINK_VENV", "")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def flink(port: int, folder: Path, action: str, *arguments: str) -> str:
    """What Flink's command line prints."""
    (home,) = Path(VENV).glob("lib/python3*/site-packages/pyflink")
    (folder / "log").mkdir(exist_ok=True)
    command = [
        str(home / "bin/flink"),
        action,
        "-D",
        "client.timeout=240s",
        "-m",
        f"localhost:{port}",
        *arguments,
    ]
    environment = os.environ | {
        "FLINK_LOG_DIR": str(folder / "log"),
        "PATH": f"{VENV}/bin:{os.environ['PATH']}",
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr
