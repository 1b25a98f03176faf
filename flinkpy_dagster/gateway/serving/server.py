"""Running the gateway: ``flinkpy gateway``."""

import sys

import uvicorn

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import TargetUnavailable
from flinkpy_dagster.gateway.serving.app import gateway_app
from flinkpy_dagster.gateway.settings import GatewaySettings
from flinkpy_dagster.orchestration.dispatcher.jobs import open_instance

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(configuration: Configuration) -> None:
    """Serves until SIGINT or SIGTERM. Raises ConfigurationError, TargetUnavailable if there is no instance or port."""
    settings = GatewaySettings.of(configuration)
    if settings.host not in _LOOPBACK and settings.token is None:
        print(
            f"flinkpy: the gateway listens on {settings.host} without a token: whoever reaches it runs programs here "
            "(flinkpy.gateway.token, flinkpy.gateway.tls.*).",
            file=sys.stderr,
        )
    with open_instance() as instance:
        server = _Server(
            uvicorn.Config(
                gateway_app(instance, settings),
                host=settings.host,
                port=settings.port,
                log_level="warning",
                ssl_certfile=settings.certificate,
                ssl_keyfile=settings.key,
                server_header=False,
                timeout_graceful_shutdown=5,
                lifespan="off",
            ),
            scheme="https" if settings.certificate else "http",
        )
        try:
            server.run()
        except SystemExit:
            raise TargetUnavailable(
                f"The gateway cannot listen on {settings.host}:{settings.port}: give another rest.port."
            ) from None


class _Server(uvicorn.Server):
    """Says where it listens, once it does."""

    def __init__(self, config: uvicorn.Config, scheme: str):
        super().__init__(config)
        self._scheme = scheme

    async def startup(self, sockets: list | None = None) -> None:
        await super().startup(sockets)
        for server in getattr(self, "servers", ()):
            for each in server.sockets:
                host, port = each.getsockname()[:2]
                print(f"Flink's REST API at {self._scheme}://{host}:{port}", flush=True)
