"""Records what a real Flink answers: shapes of its REST API, under ``recorded/``.

    python tests/gateway/record.py FLINK_VENV        FLINK_VENV: a venv with apache-flink 2.3; Java 17 is needed

Starts a session cluster in a folder of its own, runs the programs beside this file on it (one that ends, one that fails
after a restart, one that does not end: with checkpoints, a savepoint, canceled, stopped) and asks all paths of
``paths.py`` for each of them.
"""

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from paths import CHECKPOINT, CLUSTER, JOB, VERTEX, WRONG  # noqa: E402
from shapes import merged, shape_of  # noqa: E402

PORT = 18091
PATIENCE = 300  # seconds
_OPTIONS = f"""
jobmanager.rpc.address: localhost
jobmanager.rpc.port: 16124
jobmanager.memory.process.size: 1200m
taskmanager.host: localhost
taskmanager.memory.process.size: 1728m
taskmanager.numberOfTaskSlots: 8
rest.address: localhost
rest.port: {PORT}
"""


class Cluster:
    """A session cluster of FLINK_VENV, in ``folder``."""

    def __init__(self, venv: Path, folder: Path):
        self.folder, self._venv = folder, venv
        self._flink = next(venv.glob("lib/python3*/site-packages/pyflink"))
        conf = folder / "conf"
        for name in ("conf", "log", "pid"):
            (folder / name).mkdir()
        for each in (self._flink / "conf").iterdir():
            (conf / each.name).write_bytes(each.read_bytes())
        java = re.search(r"all: (--add.*)", (conf / "config.yaml").read_text())
        assert java is not None
        python = f"python.executable: {venv}/bin/python\npython.client.executable: {venv}/bin/python\n"
        dirs = f"execution.checkpointing.dir: file://{folder}/checkpoints\nweb.upload.dir: {folder}/upload\n"
        dirs += f"execution.checkpointing.savepoint-dir: file://{folder}/savepoints\n"
        (conf / "config.yaml").write_text(f"env.java.opts.all: {java[1]}\n{_OPTIONS}{python}{dirs}")
        self._environment = os.environ | {
            "FLINK_CONF_DIR": str(conf),
            "FLINK_LOG_DIR": str(folder / "log"),
            "FLINK_PID_DIR": str(folder / "pid"),
            "PATH": f"{venv}/bin:{os.environ['PATH']}",
        }

    def call(self, script: str, *arguments: str) -> str:
        command = [str(self._flink / "bin" / script), *arguments]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=PATIENCE
        )
        return done.stdout + done.stderr

    def submit(self, program: str, *arguments: str, options: tuple[str, ...] = ()) -> str:
        """The id of the job."""
        text = self.call("flink", "run", "-d", *options, "-py", str(HERE / "programs" / program), *arguments)
        found = re.search(r"JobID ([0-9a-f]{32})", text)
        assert found is not None, text
        return found[1]

    def await_state(self, job_id: str, *states: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while ask("GET", f"/jobs/{job_id}/status")[1].get("status") not in states:
            assert time.monotonic() < deadline, f"job {job_id} is not {states}"
            time.sleep(0.3)

    def await_tasks(self, job_id: str) -> None:
        """Until all of them run."""
        deadline = time.monotonic() + PATIENCE
        while {each["status"] for each in ask("GET", f"/jobs/{job_id}")[1].get("vertices", ())} != {
            "RUNNING"
        }:
            assert time.monotonic() < deadline, f"the tasks of job {job_id} do not run"
            time.sleep(0.3)

    def await_checkpoints(self, job_id: str, count: int) -> None:
        """Until so many are complete."""
        deadline = time.monotonic() + PATIENCE
        while ask("GET", f"/jobs/{job_id}/checkpoints")[1]["counts"]["completed"] < count:
            assert time.monotonic() < deadline, f"job {job_id} has no {count} checkpoints"
            time.sleep(0.3)


def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Status and JSON of an answer; text where it is no JSON."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f"http://localhost:{PORT}{path}", data, method=method)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    return _answer(request)


def _answer(request: urllib.request.Request) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read().decode()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


Parts = list[tuple[str, str | None, bytes]]


def ask_with_parts(path: str, parts: Parts) -> tuple[int, Any]:
    """``ask`` with a multipart body; a part without a file name is JSON."""
    lines = []
    for name, file_name, content in parts:
        where = f'; filename="{file_name}"' if file_name is not None else ""
        kind = "application/json" if file_name is None else "application/octet-stream"
        head = (
            f'--edge\r\nContent-Disposition: form-data; name="{name}"{where}\r\nContent-Type: {kind}\r\n\r\n'
        )
        lines.append(head.encode() + content)
    data = b"\r\n".join([*lines, b"--edge--", b""])
    return _answer(
        urllib.request.Request(
            f"http://localhost:{PORT}{path}",
            data,
            {"Content-Type": "multipart/form-data; boundary=edge"},
            method="POST",
        )
    )


class Recording:
    """Shapes by situation, then by request: ``{"running": {"GET /jobs/:jobid": {"status": 200, "body": shape}}}``."""

    def __init__(self) -> None:
        self.shapes: dict[str, dict[str, Any]] = {}

    def add(self, situation: str, method: str, pattern: str, path: str, body: Any = None) -> Any:
        return self._add(situation, method, pattern, *ask(method, path, body))

    def _add(self, situation: str, method: str, pattern: str, status: int, answer: Any) -> Any:
        path = pattern
        if status >= 500 and isinstance(answer, dict) and "errors" in answer:
            print(f"  {status} {method} {path}: {str(answer['errors'])[:160]}")
        of_situation = self.shapes.setdefault(situation, {})
        key = f"{method} {pattern}"
        known = of_situation.get(key)
        shape = shape_of(answer)
        if known is not None and known["status"] == status:
            shape = merged(known["body"], shape)
        of_situation[key] = {"status": status, "body": shape}
        if status >= 400:
            of_situation[key]["error"] = _first_line(answer)
        return answer

    def upload(self, situation: str, pattern: str, path: str, parts: Parts) -> Any:
        """``add`` of a POST with a multipart body; ``parts``: name, file name (or None), content."""
        return self._add(situation, "POST", pattern, *ask_with_parts(path, parts))

    def cluster(self, situation: str) -> None:
        managers = ask("GET", "/taskmanagers")[1]["taskmanagers"]
        for path in CLUSTER:
            self.add(situation, "GET", path, path.replace(":taskmanagerid", managers[0]["id"]))

    def job(self, situation: str, job_id: str) -> None:
        for path in JOB:
            self.add(situation, "GET", path, path.replace(":jobid", job_id))
        checkpoints = ask("GET", f"/jobs/{job_id}/checkpoints")[1].get("history", [])
        for vertex in ask("GET", f"/jobs/{job_id}")[1]["vertices"]:
            ids = {":jobid": job_id, ":vertexid": vertex["id"]}
            for path in VERTEX:
                self.add(situation, "GET", path, _filled(path, ids))
            for checkpoint in checkpoints[:3]:
                for path in CHECKPOINT:
                    self.add(
                        situation, "GET", path, _filled(path, ids | {":checkpointid": str(checkpoint["id"])})
                    )

    def save(self) -> None:
        """Adds to what was recorded before: a checkpoint that fails, say, is not seen every time."""
        for situation, shapes in self.shapes.items():
            path = HERE / "recorded" / f"{situation}.json"
            known = json.loads(path.read_text()) if path.exists() else {}
            for request, each in shapes.items():
                before = known.get(request)
                if before is not None and before["status"] == each["status"]:
                    each["body"] = merged(before["body"], each["body"])
            path.write_text(json.dumps(shapes, indent=1, sort_keys=True) + "\n")


def record(cluster: Cluster) -> Recording:
    """Runs everything."""
    recording = Recording()
    recording.cluster("idle")
    for method, path in WRONG:
        recording.add("wrong", method, path, path)
    job_id = cluster.submit("bounded.py")
    cluster.await_state(job_id, "FINISHED")
    recording.job("finished", job_id)
    recording.add("finished", "PATCH", "/jobs/:jobid", f"/jobs/{job_id}")
    recording.add("finished", "POST", "/jobs/:jobid/savepoints", f"/jobs/{job_id}/savepoints", {})
    restart = ("-Drestart-strategy.type=fixed-delay", "-Drestart-strategy.fixed-delay.attempts=1")
    job_id = cluster.submit("failing.py", options=(*restart, "-Drestart-strategy.fixed-delay.delay=1s"))
    cluster.await_state(job_id, "FAILED")
    recording.job("failed", job_id)
    _jars(recording)
    _stream(recording, cluster)
    recording.cluster("used")
    return recording


def _jars(recording: Recording) -> None:
    """A jar that does nothing but name Flink's class that runs Python programs."""
    driver = "org.apache.flink.client.python.PythonDriver"
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nMain-Class: {driver}\n\n")
    content = jar.getvalue()
    recording.upload("jars", "/jars/upload", "/jars/upload", [("jarfile", "driver.jar", content)])
    jar_id = recording.add("jars", "GET", "/jars", "/jars")["files"][0]["id"]
    call = {"entryClass": driver, "programArgsList": ["-py", str(HERE / "programs" / "bounded.py")]}
    for action in ("run", "plan"):
        recording.add("jars", "POST", f"/jars/:jarid/{action}", f"/jars/{jar_id}/{action}", call)
        wrong = {"parallelism": "x"}
        recording.add(
            "wrong", "POST", f"/jars/:jarid/{action} parallelism", f"/jars/{jar_id}/{action}", wrong
        )
    recording.add("jars", "DELETE", "/jars/:jarid", f"/jars/{jar_id}")
    two: Parts = [("a", "a.jar", content), ("b", "b.jar", content)]
    recording.upload("wrong", "/jars/upload two files", "/jars/upload", two)
    recording.upload("wrong", "/jars/upload no jar", "/jars/upload", [("a", "a.py", b"print(1)")])
    for what, request, files in SUBMISSIONS:
        parts: Parts = [
            ("request", None, request.encode()),
            *((f"f{at}", name, b"junk") for at, name in enumerate(files)),
        ]
        recording.upload("wrong", f"/jobs {what}", "/jobs", parts)


SUBMISSIONS = [
    ("no file", '{"jobGraphFileName": "g"}', []),
    ("no name", "{}", ["g"]),
    ("no json", "nonsense", ["g"]),
    ("missing jar", '{"jobGraphFileName": "g", "jobJarFileNames": ["a.jar"]}', ["g"]),
    (
        "missing artifact",
        '{"jobGraphFileName": "g", "jobArtifactFileNames": [{"entryName": "a", "fileName": "b"}]}',
        ["g"],
    ),
    ("same name twice", '{"jobGraphFileName": "g"}', ["g", "g"]),
    ("junk", '{"jobGraphFileName": "g"}', ["g"]),
]


def _stream(recording: Recording, cluster: Cluster) -> None:
    landing = cluster.folder / "landing"
    landing.mkdir()
    (landing / "one.txt").write_text("a\nb\na\n")
    canceled = cluster.submit("streaming.py", str(landing))
    stopped = cluster.submit("streaming.py", str(landing))
    for job_id in (canceled, stopped):
        cluster.await_tasks(job_id)
        cluster.await_checkpoints(job_id, 3)
    recording.cluster("busy")
    _savepoints(recording, cluster, stopped)
    recording.job("running", stopped)
    recording.add("running", "PATCH", "/jobs/:jobid?mode=cancel", f"/jobs/{canceled}?mode=cancel")
    cluster.await_state(canceled, "CANCELED")
    recording.job("canceled", canceled)
    recording.add("canceled", "PATCH", "/jobs/:jobid", f"/jobs/{canceled}")
    body = {"targetDirectory": f"file://{cluster.folder}/savepoints", "drain": False}
    answer = recording.add("running", "POST", "/jobs/:jobid/stop", f"/jobs/{stopped}/stop", body)
    _await_request(recording, stopped, answer["request-id"])
    cluster.await_state(stopped, "FINISHED")
    recording.job("stopped", stopped)


def _savepoints(recording: Recording, cluster: Cluster, job_id: str) -> None:
    body = {"target-directory": f"file://{cluster.folder}/savepoints", "cancel-job": False}
    triggers = f"/jobs/{job_id}/savepoints"
    answer = recording.add("running", "POST", "/jobs/:jobid/savepoints", triggers, body)
    path = _await_request(recording, job_id, answer["request-id"])
    for wrong in ({"target-directory": 1, "cancel-job": "?"}, {"unknown": 1}, [], "x"):
        recording.add("wrong", "POST", f"/jobs/:jobid/savepoints {json.dumps(wrong)}", triggers, wrong)
    answer = recording.add("running", "POST", "/jobs/:jobid/checkpoints", f"/jobs/{job_id}/checkpoints", {})
    _await_request(recording, job_id, answer["request-id"], "checkpoints")
    rescaling = f"/jobs/{job_id}/rescaling?parallelism=3"
    recording.add("running", "PATCH", "/jobs/:jobid/rescaling?parallelism=3", rescaling)
    answer = recording.add(
        "running", "POST", "/savepoint-disposal", "/savepoint-disposal", {"savepoint-path": path}
    )
    for path in (f"/savepoint-disposal/{answer['request-id']}",):
        _await_completed(recording, "/savepoint-disposal/:triggerid", path)
    recording.add(
        "running", "GET", "/jobs/:jobid/savepoints/unknown", f"/jobs/{job_id}/savepoints/{'f' * 32}"
    )


def _await_request(recording: Recording, job_id: str, request_id: str, kind: str = "savepoints") -> str:
    answer = _await_completed(
        recording, f"/jobs/:jobid/{kind}/:triggerid", f"/jobs/{job_id}/{kind}/{request_id}"
    )
    return str(answer["operation"].get("location"))


def _await_completed(recording: Recording, pattern: str, path: str) -> Any:
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = recording.add("running", "GET", pattern, path)
        if answer["status"]["id"] == "COMPLETED":
            return answer
        assert time.monotonic() < deadline, path
        time.sleep(0.2)


def _filled(path: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        path = path.replace(name, value)
    return path


def _first_line(answer: Any) -> str:
    """What is said, without ids, addresses and the machine's paths."""
    errors = answer.get("errors", []) if isinstance(answer, dict) else [answer]
    text = re.sub(r"(\.\w+Exception): ", r"\1:\n", errors[-1]) if errors else ""
    line = next((line for line in text.splitlines() if line and not line.endswith("Exception:")), "")
    line = re.sub(r"[0-9a-f]{32}", "<id>", line)
    return re.sub(r"(file:)?/(tmp|home|root|work|opt)[\w./-]*", "<path>", line)[:300]


def main(venv: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(venv), Path(folder))
        for script in ("jobmanager.sh", "taskmanager.sh"):
            print(cluster.call(script, "start").strip())
        try:
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                try:
                    if ask("GET", "/overview")[1].get("taskmanagers"):
                        break
                except (OSError, AttributeError):
                    pass
                time.sleep(0.5)
            record(cluster).save()
        finally:
            for script in ("taskmanager.sh", "jobmanager.sh"):
                cluster.call(script, "stop")


if __name__ == "__main__":
    main(sys.argv[1])
