"""The jobs behind a gateway, or any other server of Flink's REST API (``-m host:port``)."""

import json
import os
import re
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.cli.cluster import Cluster, JobLine, TaskManagers
from flinkpy_dagster.errors import (
    FlinkpyError,
    JobFailed,
    JobNotFound,
    TargetUnavailable,
    UnsupportedFeature,
    one_line,
)

TOKEN = "FLINKPY_GATEWAY_TOKEN"
"""Variable of the environment: the bearer token that the gateway wants."""

_ADDRESS = re.compile(r"(?P<scheme>https?://)?(?P<host>[^/:\[\]\s]+|\[[0-9a-fA-F:]+\])(:(?P<port>\d+))?/?")
_PORT = 8081
_LOOK_SECONDS = 0.25
_PATIENCE_SECONDS = 600
_ANSWER_SECONDS = 330  # a gateway gives a program five minutes to come to its execute()


class RemoteError(FlinkpyError):
    """The gateway refused; takes its sentence. ``status`` is that of HTTP."""

    def __init__(self, sentence: str, status: int = 500):
        super().__init__(sentence, status)
        self.status = status

    def sentence(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class RemoteCluster(Cluster):
    """See ``cluster.Cluster``. ``url`` has no slash at its end."""

    url: str
    token: str | None = None

    @staticmethod
    def at(address: str) -> "RemoteCluster":
        """``host:port``, ``host`` or a URL. Raises TargetUnavailable for anything else."""
        found = _ADDRESS.fullmatch(address)
        if found is None:
            raise TargetUnavailable(f"'{address}' is no address of a gateway: give host:port.")
        port = found["port"] or _PORT
        return RemoteCluster(f"{found['scheme'] or 'http://'}{found['host']}:{port}", os.environ.get(TOKEN))

    # -- Cluster ---------------------------------------------------------------------------------------

    def jobs(self) -> list[JobLine]:
        return [
            JobLine(
                job_id=job["jid"],
                name=job["name"],
                state=job["state"],
                start_ms=job["start-time"],
                end_ms=job["end-time"],
                duration_ms=job["duration"],
                last_modified_ms=job["last-modification"],
            )
            for job in self.get("/jobs/overview")["jobs"]
        ]

    def cancel(self, job_id: str) -> None:
        self.ask("PATCH", f"/jobs/{_digits(job_id)}?mode=cancel")

    def trigger_savepoint(self, job_id: str, folder: str | None, *, cancels: bool = False) -> str:
        body = {"target-directory": folder, "cancel-job": cancels, "formatType": "CANONICAL"}
        return str(self.ask("POST", f"/jobs/{_digits(job_id)}/savepoints", body)["request-id"])

    def trigger_stop(self, job_id: str, folder: str | None, *, drains: bool) -> str:
        body = {"targetDirectory": folder, "drain": drains, "formatType": "CANONICAL"}
        return str(self.ask("POST", f"/jobs/{_digits(job_id)}/stop", body)["request-id"])

    def await_savepoint(self, job_id: str, request_id: str) -> str:
        done = self._completed(f"/jobs/{_digits(job_id)}/savepoints/{request_id}", job_id)
        return str(done["location"])

    def checkpoint(self, job_id: str) -> int:
        path = f"/jobs/{_digits(job_id)}/checkpoints"
        request_id = self.ask("POST", path, {"checkpointType": "CONFIGURED"})["request-id"]
        return int(self._completed(f"{path}/{request_id}", job_id)["checkpointId"])

    def dispose(self, path: str) -> None:
        request_id = self.ask("POST", "/savepoint-disposal", {"savepoint-path": path})["request-id"]
        self._completed(f"/savepoint-disposal/{request_id}", path)

    def task_managers(self, job_id: str | None) -> TaskManagers:
        if job_id is not None:
            raise UnsupportedFeature(
                "flinkpy taskmanagers JOB_ID with -m",
                "leave JOB_ID out: Flink's REST API lists those of all jobs.",
            )
        return TaskManagers(list(self.get("/taskmanagers")["taskmanagers"]), [])

    # -- HTTP ------------------------------------------------------------------------------------------

    def get(self, path: str) -> Any:
        """The JSON answer. Raises JobNotFound, RemoteError, TargetUnavailable."""
        return self.ask("GET", path)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The same with a JSON body."""
        data = None if body is None else json.dumps(body).encode()
        return self.send(method, path, data, "application/json")

    def send(self, method: str, path: str, data: bytes | None, content_type: str) -> Any:
        """The same with any body."""
        request = urllib.request.Request(f"{self.url}{path}", data, method=method)
        request.add_header("Content-Type", content_type)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER_SECONDS) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise _refused(error.read(), error.code, path) from None
        except TimeoutError:
            raise TargetUnavailable(
                f"The gateway at '{self.url}' has not answered {path.partition('?')[0]} within {_ANSWER_SECONDS} s."
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise TargetUnavailable(
                f"There is no gateway at '{self.url}' ({reason}): start one with flinkpy gateway, or give another -m."
            ) from None

    def upload(self, path: str) -> str:
        """Gives the gateway a program; what its id is there."""
        with open(path, "rb") as file:
            content = file.read()
        boundary = uuid.uuid4().hex
        name = os.path.basename(path).replace('"', "")
        head = (
            f"--{boundary}\r\n"
            f'Content-Disposition: form-data; name="jarfile"; filename="{name}"\r\n'
            "Content-Type: application/x-java-archive\r\n\r\n"
        )
        data = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        answer = self.send("POST", "/jars/upload", data, f"multipart/form-data; boundary={boundary}")
        return os.path.basename(answer["filename"])

    def _completed(self, path: str, job_id: str) -> Any:
        """What an asynchronous operation has come to. Raises JobFailed."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            answer = self.get(path)
            if answer["status"]["id"] == "COMPLETED":
                return _succeeded(answer.get("operation") or {}, job_id)
            time.sleep(_LOOK_SECONDS)
        raise JobFailed(job_id, f"it has not answered within {_PATIENCE_SECONDS} s.")


def _succeeded(operation: dict[str, Any], job_id: str) -> dict[str, Any]:
    failure = operation.get("failure-cause") or operation.get("failureCause")
    if failure is not None:
        first = (failure.get("stack-trace") or failure.get("stackTrace") or failure["class"]).splitlines()[0]
        raise JobFailed(job_id, one_line(first))
    return operation


def _refused(body: bytes, status: int, path: str) -> FlinkpyError:
    """Flink's ``{"errors": [...]}`` as an error of ours."""
    try:
        errors = json.loads(body)["errors"]
    except (ValueError, KeyError, TypeError):
        errors = [body.decode("utf-8", "replace")]
    text = one_line(
        " ".join(str(each) for each in errors).splitlines()[0] if any(errors) else "no reason given"
    )
    found = re.search(r"Could not find Flink job \(([0-9a-f]{32})\)", text)
    if status == 404 and found is not None:
        return JobNotFound(found[1])
    return RemoteError(f"The gateway refuses {path.partition('?')[0]} ({status}): {text}", status)


def _digits(job_id: str) -> str:
    """Also a Dagster run id has them."""
    return job_id.replace("-", "")
