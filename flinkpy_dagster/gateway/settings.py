"""What a gateway is told when it starts."""

import os
from dataclasses import dataclass, fields
from pathlib import Path

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.gateway_options import GATEWAY_OPTIONS
from flinkpy_dagster.errors import ConfigurationError


@dataclass(frozen=True, kw_only=True, slots=True)
class GatewaySettings:
    """The options of ``config.gateway_options``, and the rest of the configuration, which jobs get.

    ``certificate`` and ``key``: paths of PEM files; both or none. Sizes in bytes.
    """

    host: str = "127.0.0.1"
    port: int = 8081
    max_content_bytes: int = 100 * 2**20
    max_uploads: int = 100
    upload_dir: Path
    can_submit: bool = True
    can_cancel: bool = True
    refresh_ms: int = 3000
    allow_origin: str | None = None
    dashboard: str | None = None
    token: str | None = None
    with_tracebacks: bool = False
    certificate: str | None = None
    key: str | None = None
    configuration: Configuration

    @staticmethod
    def of(configuration: Configuration) -> "GatewaySettings":
        """Raises ConfigurationError."""
        values = {option.key: configuration.get(option) for option in GATEWAY_OPTIONS}
        upload_dir = values["web.upload.dir"] or os.path.join(
            os.environ.get("DAGSTER_HOME", "."), "flinkpy/uploads"
        )
        if bool(values["flinkpy.gateway.tls.certificate"]) != bool(values["flinkpy.gateway.tls.key"]):
            raise ConfigurationError(
                "TLS needs both flinkpy.gateway.tls.certificate and flinkpy.gateway.tls.key: set the other one, too."
            )
        named = {name: values[key] for name, key in _KEYS.items()}
        return GatewaySettings(**named, upload_dir=Path(upload_dir).absolute(), configuration=configuration)


_KEYS = {
    "host": "rest.bind-address",
    "port": "rest.port",
    "max_content_bytes": "rest.server.max-content-length",
    "max_uploads": "flinkpy.gateway.max-uploads",
    "can_submit": "web.submit.enable",
    "can_cancel": "web.cancel.enable",
    "refresh_ms": "web.refresh-interval",
    "allow_origin": "web.access-control-allow-origin",
    "dashboard": "flinkpy.gateway.dashboard",
    "token": "flinkpy.gateway.token",
    "with_tracebacks": "flinkpy.gateway.errors-with-traceback",
    "certificate": "flinkpy.gateway.tls.certificate",
    "key": "flinkpy.gateway.tls.key",
}
assert {field.name for field in fields(GatewaySettings)} == {*_KEYS, "upload_dir", "configuration"}
