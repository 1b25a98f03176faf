"""Options of the REST gateway (``flinkpy gateway``); jobs do not have them.

Source of keys, defaults and meanings: Flink's ``RestOptions``, ``WebOptions`` and ``SecurityOptions``.
"""

from flinkpy_dagster.config.option import ConfigOption
from flinkpy_dagster.config.values import BOOLEAN, MEMORY, STRING, integer

GATEWAY_OPTIONS: tuple[ConfigOption, ...] = (
    ConfigOption("rest.bind-address", STRING, "127.0.0.1", "Where the gateway listens."),
    ConfigOption("rest.port", integer(0, 65535), 8081, "Its port; 0: any that is free."),
    ConfigOption(
        "rest.server.max-content-length",
        MEMORY,
        100 * 2**20,
        "Largest body of a request, uploads included.",
    ),
    ConfigOption(
        "web.upload.dir",
        STRING,
        None,
        "Folder of uploaded programs; not set: below DAGSTER_HOME, flinkpy/uploads.",
    ),
    ConfigOption("web.submit.enable", BOOLEAN, True, "Programs may be uploaded and run."),
    ConfigOption("web.cancel.enable", BOOLEAN, True, "The dashboard may cancel jobs."),
    ConfigOption("web.refresh-interval", integer(1), 3000, "How often the dashboard asks, in ms."),
    ConfigOption(
        "web.access-control-allow-origin", STRING, None, "Origin that browsers may ask from; not set: none."
    ),
    ConfigOption(
        "flinkpy.gateway.dashboard",
        STRING,
        None,
        "Flink's web dashboard: a venv with apache-flink, the wheel, or flink-dist's jar; not set: none is served.",
    ),
    ConfigOption(
        "flinkpy.gateway.token", STRING, None, "Bearer token that every request must have; not set: none."
    ),
    ConfigOption(
        "flinkpy.gateway.max-uploads", integer(1), 100, "How many programs may lie in the upload folder."
    ),
    ConfigOption(
        "flinkpy.gateway.errors-with-traceback", BOOLEAN, False, "Errors of the gateway have their traceback."
    ),
    ConfigOption("flinkpy.gateway.tls.certificate", STRING, None, "PEM file of the certificate; set: HTTPS."),
    ConfigOption("flinkpy.gateway.tls.key", STRING, None, "PEM file of its private key."),
)
"""All of them."""
