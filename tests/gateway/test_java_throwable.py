"""Causes of failures for Java clients: Java's own serialization, which Java can read."""

import base64
import os
import subprocess
from pathlib import Path

import pytest

from flinkpy_dagster.gateway.answers.java_throwable import serialized_throwable

VENV = os.environ.get("FLINK_VENV", "")
READER = """
import java.io.*; import java.util.*; import org.apache.flink.util.SerializedThrowable;
public class Read { public static void main(String[] a) throws Exception {
  byte[] b = Base64.getDecoder().decode(new String(System.in.readAllBytes()).trim());
  SerializedThrowable t = (SerializedThrowable) new ObjectInputStream(new ByteArrayInputStream(b)).readObject();
  PrintStream out = new PrintStream(System.out, true, "UTF-8");
  out.print(t.getOriginalErrorClassName() + "|" + t.getMessage() + "|" + t.getFullStringifiedStackTrace());
}}
"""


def test_throwable_when_written_then_a_stream_of_java_with_the_texts() -> None:
    data = base64.b64decode(serialized_throwable("ValueError", "refusing 13\n  at job.py"))
    assert data[:4] == b"\xac\xed\x00\x05"
    assert b"org.apache.flink.util.SerializedThrowable" in data
    assert data.endswith(b"t\x00\x0aValueErrorp")
    assert b"\x00\x17refusing 13\n  at job.py" in data


def test_throwable_when_the_text_is_long_or_strange_then_cut_between_characters() -> None:
    for text in ("ü" * 70_000, "😀" * 20_000, "\x00\ud800", ""):
        assert base64.b64decode(serialized_throwable("E", text))[:2] == b"\xac\xed"


@pytest.mark.pyflink
@pytest.mark.skipif(not VENV, reason="FLINK_VENV names no venv with apache-flink")
@pytest.mark.parametrize("text", ["refusing 13\n  at job.py", "ü", "x" * 200_000])
def test_throwable_when_read_by_java_then_the_same_texts(tmp_path, text) -> None:
    (jar,) = Path(VENV).glob("lib/python3*/site-packages/pyflink/lib/flink-dist-*.jar")
    (tmp_path / "Read.java").write_text(READER)
    command = ["java", "-cp", str(jar), str(tmp_path / "Read.java")]
    given = serialized_throwable("ValueError", text).encode()
    read = subprocess.run(command, input=given, capture_output=True, timeout=300).stdout.decode()
    name, message, trace = read.split("|")
    assert name == "ValueError"
    assert message == text.partition("\n")[0][: len(message)]
    assert trace == text[: len(trace)]
    assert len(trace) >= min(len(text), 60_000)
