"""A server that answers as it is told to, and remembers what it was asked."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class RestStub:
    """``answers``: by method and path, statuses with JSON; the last one is repeated. ``asked``: in order."""

    answers: dict[str, list[tuple[int, Any]]] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    address: str = ""

    def on(self, request: str, *answers: Any, status: int = 200) -> "RestStub":
        """What ``"GET /jobs"`` is answered with, one after the other."""
        self.answers[request] = [(status, answer) for answer in answers]
        return self

    def answer(self, request: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
        self.asked.append((request, body))
        self.headers.append(headers)
        waiting = self.answers.get(request)
        if waiting is None:
            return 404, {"errors": [f"Not found: {request}"]}
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@contextmanager
def serving(stub: RestStub) -> Iterator[RestStub]:
    """On a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_json = self.headers.get("Content-Type") == "application/json"
            body = (json.loads(data) if data else None) if is_json else data
            status, answer = stub.answer(f"{self.command} {self.path}", body, dict(self.headers))
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = _do

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        stub.address = f"127.0.0.1:{server.server_port}"
        yield stub
        server.shutdown()
