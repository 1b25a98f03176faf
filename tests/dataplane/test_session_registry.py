"""Addresses of shared sessions, what is remembered of those started here, files that both sides see."""

import os
import socket

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.connect import SessionAddress, connected_session
from flinkpy_dagster.dataplane.spark.engines.shared_files import SharedFiles
from flinkpy_dagster.dataplane.spark.session_registry import (
    StartedSession,
    note,
    started_sessions,
    token_of,
)
from flinkpy_dagster.dataplane.spark.session_server import start_session
from flinkpy_dagster.errors import InvalidProgram, TargetUnavailable


def test_address_when_it_is_written_then_its_parts_are_known() -> None:
    address = SessionAddress.of("sc://127.0.0.1:15002/;token=secret")
    assert address == SessionAddress("127.0.0.1", 15002, ";token=secret")
    assert address.url == "sc://127.0.0.1:15002"  # what is shown has no secrets
    assert address.connection == "sc://localhost:15002/;token=secret"
    assert SessionAddress.of("sc://spark") == SessionAddress("spark", 15002)
    with pytest.raises(TargetUnavailable, match="it must be sc://HOST:PORT"):
        SessionAddress.of("sc://:1/x")


def test_session_when_nobody_answers_then_said_at_once() -> None:
    with pytest.raises(
        TargetUnavailable, match="Nobody answers at 'sc://localhost:1' .*flinkpy session start"
    ):
        connected_session("sc://localhost:1", {}, None)


def test_registry_when_a_process_is_gone_then_its_session_is_forgotten(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    session = StartedSession(
        address="sc://localhost:15002", pid=os.getpid(), master="local", token="secret", log="log"
    )
    note(session)
    assert token_of(session.address) == "secret"
    assert started_sessions() == []  # a process with this number is there, and no server
    assert token_of(session.address) is None


def test_start_when_the_port_is_taken_then_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(TargetUnavailable, match=f"Something answers at port {port} already"):
            start_session(Configuration(), "localhost", port)


def test_files_when_both_sides_see_them_then_as_any_file_system(tmp_path) -> None:
    files = SharedFiles()
    files.write_bytes(f"file://{tmp_path}/new/part-0", b"abc")
    files.write_bytes(f"{tmp_path}/new/_SUCCESS", b"x")
    assert (files.size_bytes(f"{tmp_path}/new"), sorted(files.names(f"{tmp_path}/new"))) == (
        3,
        ["_SUCCESS", "part-0"],
    )
    files.write_bytes(f"{tmp_path}/old/part-0", b"")
    files.replace(f"{tmp_path}/new", f"{tmp_path}/old")
    assert files.read_bytes(f"{tmp_path}/old/part-0") == b"abc"
    assert not files.exists(f"{tmp_path}/new")
    with pytest.raises(OSError, match="could not be renamed"):
        files.move(f"{tmp_path}/old", str(tmp_path))
    files.delete(f"{tmp_path}/old")
    files.delete(f"{tmp_path}/old")
    with pytest.raises(InvalidProgram, match="cannot be written from a shared session"):
        files.exists("hdfs://host/folder")
