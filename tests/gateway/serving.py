"""A gateway on a socket, for clients that want one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


@contextmanager
def served(app) -> Iterator[int]:
    """Its port, on the loopback interface."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    started = threading.Event()
    start = server.startup

    async def startup(sockets=None) -> None:
        await start(sockets)
        started.set()

    server.startup = startup
    thread = threading.Thread(target=server.run, name="gateway", daemon=True)
    thread.start()
    assert started.wait(60), "the gateway does not start"
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
