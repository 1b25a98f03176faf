"""Requests made up by schemathesis from the OpenAPI document: none may fail inside, hang, or answer otherwise.

python -m tests.gateway.fuzz [REQUESTS]      10,000 unless said otherwise
"""

import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from dagster import DagsterInstance
from hypothesis import HealthCheck, Phase, given, settings

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.gateway.handlers import program_routes
from flinkpy_dagster.gateway.rest.failures import bad_request
from flinkpy_dagster.gateway.serving.app import ROUTES, gateway_app
from flinkpy_dagster.gateway.settings import GatewaySettings
from tests.gateway.told_jobs import tell_jobs

SECONDS = 30  # that no answer may take, on a machine that has other things to do
REFUSED_AS_BY_FLINK = {503}


def fuzz(app, each: int, ids: dict[str, str], *, is_told: bool = False) -> Counter:
    """Makes ``each`` requests of every operation; how often each status was answered. Raises AssertionError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import schemathesis

        schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    statuses: Counter = Counter()
    for found in schema.get_all_operations():
        _fuzz_operation(found.ok(), each, statuses, ids)
        if is_told:
            print(
                f"{sum(statuses.values()):6} requests, {time.process_time():.0f} s of processor time",
                flush=True,
            )
    return statuses


def _fuzz_operation(operation, each: int, statuses: Counter, ids: dict[str, str]) -> None:
    job_ids = list(ids.values())

    @settings(
        max_examples=each,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def request(case) -> None:
        parameters = case.path_parameters or {}
        count = sum(statuses.values())
        for name in ("jobid", "applicationid"):
            if name in parameters and count % 2:
                parameters[name] = job_ids[count // 2 % len(job_ids)]  # one that exists, every second time
        began = time.monotonic()
        answer = case.call()
        assert time.monotonic() - began < SECONDS, f"{case.method} {case.path} took too long"
        assert answer.status_code < 500 or answer.status_code in REFUSED_AS_BY_FLINK, answer.text
        case.validate_response(answer, excluded_checks=_excluded())
        statuses[answer.status_code] += 1

    request()


def _excluded() -> list:
    """Flink takes unknown fields and answers 404 to wrong methods; 503 is what it refuses rescaling with."""
    from schemathesis.checks import CHECKS

    names = (
        "not_a_server_error",
        "unsupported_method",
        "negative_data_rejection",
        "positive_data_acceptance",
        "missing_required_header",
        "use_after_free",
        "ensure_resource_availability",
    )
    return [CHECKS.get_one(name) for name in names if name in CHECKS.get_all_names()]


def refuses_to_run(run, dagster_home: str) -> str:
    """In place of running a program that was made up."""
    raise bad_request("Not here.")


def main(requests: int) -> None:
    program_routes.submit = program_routes.plan = refuses_to_run
    with tempfile.TemporaryDirectory() as folder, DagsterInstance.ephemeral(tempdir=folder) as instance:
        ids = tell_jobs(instance)
        app = gateway_app(
            instance, GatewaySettings(upload_dir=Path(folder) / "up", configuration=Configuration())
        )
        began = time.monotonic()
        statuses: Counter = Counter()
        while (
            missing := requests - sum(statuses.values())
        ) > 0:  # some operations have few requests to make up
            statuses += fuzz(app, -(-missing // len(ROUTES)), ids, is_told=True)
        left = [path for path in (Path(folder) / "up").rglob("*") if path.is_file()]
    count, seconds = sum(statuses.values()), time.monotonic() - began
    print(f"{count} requests in {seconds:.0f} s: {dict(sorted(statuses.items()))}; files left: {len(left)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
