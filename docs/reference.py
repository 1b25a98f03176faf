"""Writes the pages that are made from the code: options, targets, errors, REST API, PyFlink's API (``make docs``)."""

import inspect
from http import HTTPStatus
from pathlib import Path

from flinkpy_dagster import error_codes, errors
from flinkpy_dagster.cli.cluster import RequestFailed
from flinkpy_dagster.cli.remote import RemoteError
from flinkpy_dagster.config import OPTIONS, ConfigOption
from flinkpy_dagster.config.deployment_options import KUBERNETES_OPTIONS, SIZE_OPTIONS, YARN_OPTIONS
from flinkpy_dagster.config.gateway_options import GATEWAY_OPTIONS
from flinkpy_dagster.config.job_options import JOB_OPTIONS
from flinkpy_dagster.config.recovery_options import RECOVERY_OPTIONS
from flinkpy_dagster.config.targets.settings import PREFIXES, ROWS
from flinkpy_dagster.gateway.rest.failures import status_of
from flinkpy_dagster.orchestration.dispatcher.requests import JobTerminated
from flinkpy_dagster.orchestration.quality.gates import QualityGateFailed
from flinkpy_dagster.orchestration.streaming.stream_folders import UnknownCheckpoint
from flinkpy_dagster.programs.program import ProgramRaised

FOLDER = Path(__file__).parent

OPTIONS_HEAD = """\
# Options

Written by `make docs` from the table in `flinkpy_dagster/config`. Keys are Flink's where Flink has one; `flinkpy.` is
ours. Give them with `-D key=value`, in Dagster's run config, or in the program:

```python
from flinkpy_dagster.api import Configuration, StreamExecutionEnvironment

configuration = Configuration().set_string("pipeline.name", "orders")
env = StreamExecutionEnvironment.get_execution_environment(configuration)
```

`spark.*` goes to Spark as it is. Durations: `200 ms`, `10 s`, `1 min`, `2 h`, `1 d`; a bare number is milliseconds.
Memory sizes: `64 mb`, `2 g`. An unknown key or a value that does not fit is an error that names the nearest option.
"""

TARGET_TABLE_HEAD = """\
# What Spark makes of Flink's options

Written by `make docs` from the table in `flinkpy_dagster/config/targets`. A deployment option that a target has no use
for is named when a job starts there. `spark.*` options of your own win over what is here; `flinkpy info --target`
prints what a configuration comes to. How to choose a target: [Run on a cluster](cluster.md).
"""

ERRORS_HEAD = """\
# Errors

Written by `make docs` from `flinkpy_dagster/errors.py`. Every error is one line: what happened, to which object,
what to do. For code of the program it ends with the program's own line. `flinkpy run --traceback` shows all of it.
"""


REST_HEAD = """\
# REST API

Written by `make docs` from the gateway's table of routes. `flinkpy gateway` serves Flink's REST API over the jobs of a
Dagster instance, with Flink's paths and fields; each path is also there with `/v1` before it. `GET /openapi.json` is
the OpenAPI document with parameters, bodies and answers. Programs, the dashboard, real clients and security:
[Flink's tools on your jobs](gateway.md).

<!-- not run: a server that stays up; tests/gateway compares its answers with Flink's -->
```bash
flinkpy gateway
```
"""


def rest_page() -> str:
    """``rest.md``."""
    from flinkpy_dagster.gateway.serving.app import ROUTES

    lines = [REST_HEAD]
    for tag in dict.fromkeys(route.tag for route in ROUTES):
        rows = (route for route in ROUTES if route.tag == tag)
        lines += [f"## {tag.capitalize()}", "", "| | path | |", "|---|---|---|"]
        lines += [f"| {route.method} | `{route.path}` | {route.doc} |" for route in rows]
        lines.append("")
    lines += [
        "## Options",
        "",
        "Given to `flinkpy gateway` with `-D key=value`.",
        "",
        *_options_table(GATEWAY_OPTIONS),
        "",
    ]
    return "\n".join(lines)


def options_page() -> str:
    """``options.md``."""
    return "\n".join(
        [
            OPTIONS_HEAD,
            f"There are {len(OPTIONS)}.",
            "",
            "## The job, its execution and its Python functions",
            "",
            *_options_table(JOB_OPTIONS),
            "",
            "## Restarts, checkpoints and state",
            "",
            *_options_table(RECOVERY_OPTIONS),
            "",
            "## The processes of a cluster",
            "",
            "What Spark makes of these, and of those of YARN and Kubernetes: [the table](target_table.md).",
            "",
            *_options_table(SIZE_OPTIONS),
            "",
            "## YARN",
            "",
            *_options_table(YARN_OPTIONS),
            "",
            "## Kubernetes",
            "",
            *_options_table(KUBERNETES_OPTIONS),
            "",
        ]
    )


def target_table_page() -> str:
    """``target_table.md``."""
    lines = [TARGET_TABLE_HEAD, "| option | targets | becomes | how |", "|---|---|---|---|"]
    for row in ROWS:
        targets = ", ".join(sorted(kind.value for kind in row.targets))
        settings = ", ".join(f"`{setting}`" for setting in row.settings)
        lines.append(f"| `{row.option}` | {targets} | {settings} | {row.how} |")
    for prefix, setting in PREFIXES.items():
        lines.append(f"| `{prefix}NAME` | any | `{setting}NAME` | as it is |")
    return "\n".join([*lines, ""])


def errors_page() -> str:
    """``errors.md``."""
    tree = inspect.cleandoc(errors.__doc__ or "").partition("::\n")[2].partition("\n\nEach takes")[0]
    lines = [
        ERRORS_HEAD,
        "```text",
        *inspect.cleandoc(tree).splitlines(),
        "```",
        "",
        "| error | exit code | HTTP status |",
    ]
    lines += ["|---|---|---|"]
    kinds = [
        each
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if issubclass(each, errors.FlinkpyError)
    ]
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        lines.append(f"| {_error_cells(kind)} |")
    lines.append(f"| Ctrl-C | {error_codes.exit_code_of(KeyboardInterrupt())} | |")
    lines += [
        "",
        "Errors of one part only are defined there:",
        "",
        "| error | exit code | HTTP status | |",
        "|---|---|---|---|",
    ]
    for kind in (
        QualityGateFailed,
        UnknownCheckpoint,
        ProgramRaised,
        JobTerminated,
        RequestFailed,
        RemoteError,
    ):
        about = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        lines.append(f"| {_error_cells(kind)} | {about.replace('``', '`')} |")
    return "\n".join([*lines, ""])


def _error_cells(kind: type[errors.FlinkpyError]) -> str:
    blank = kind.__new__(kind)
    status = HTTPStatus(status_of(blank))  # the gateway's, which knows more than the table
    return f"`{kind.__name__}` | {error_codes.exit_code_of(blank)} | {status.value} {status.phrase}"


def _options_table(options: tuple[ConfigOption, ...]) -> list[str]:
    rows = ["| key | type | default | |", "|---|---|---|---|"]
    for option in options:
        kind = ", ".join(f"`{word}`" for word in option.type.choices) or option.type.name.replace("<", "&lt;")
        rows.append(f"| `{option.key}` | {kind} | `{option.default_text}` | {option.doc} |")
    return rows


PAGES = {
    "options.md": options_page,
    "target_table.md": target_table_page,
    "errors.md": errors_page,
    "rest.md": rest_page,
}

if __name__ == "__main__":
    from pyflink_page import page as pyflink_page

    for name, page in (PAGES | {"pyflink_api.md": pyflink_page}).items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
