"""One suite on one DataFrame, on Spark, in few jobs.

The aggregates of all expectations of a suite are one query of Great Expectations' own, per kind; samples are asked for
afterwards, of expectations that have failed only. Contexts are made here and belong to nobody else: no analytics,
no progress bars, nothing written.
"""

import threading
import time
from typing import Any

from flinkpy_dagster.orchestration.quality.outcomes import ExpectationOutcome, SuiteOutcome

_one_at_a_time = threading.Lock()


def validate(frame: Any, suite: Any, *, samples: int = 5) -> SuiteOutcome:
    """Evaluates an ExpectationSuite. ``frame``: persisted, in a session where a query is one job (``CheckFrames``).

    An expectation that cannot be evaluated (no such column) is one that has failed.
    """
    began = time.monotonic()
    with _one_at_a_time:
        columns = frozenset(frame.columns)
        wanted = suite.expectation_configurations
        lost = [each for each in wanted if _missing(each, columns)]
        found = _found(frame, [each for each in wanted if each not in lost], samples)
    return SuiteOutcome(
        suite=suite.name,
        expectations=(*found, *(_impossible(each, columns) for each in lost)),
        duration_ms=round((time.monotonic() - began) * 1000),
    )


def _found(frame: Any, wanted: list[Any], samples: int) -> list[ExpectationOutcome]:
    if not wanted:
        return []
    context, batch_request = _context_of(frame)
    validator = context.get_validator(batch_request=batch_request)
    results = validator.graph_validate(
        configurations=validator.process_expectations_for_validation(wanted),
        runtime_configuration={"result_format": _format(0)},
    )
    found = _samples(validator, results, samples)
    return [_outcome(each, found.get(place, ())) for place, each in enumerate(results)]


def _missing(configuration: Any, columns: frozenset[str]) -> list[str]:
    """Columns that an expectation is about and that are not there; one of them makes all queries of a suite fail."""
    if configuration.type == "expect_column_to_exist":
        return []
    return [each for each in _columns(configuration) if each not in columns]


def _columns(configuration: Any) -> list[str]:
    kwargs = configuration.kwargs
    named = kwargs.get("column_list") or [kwargs.get(key) for key in ("column", "column_A", "column_B")]
    return [str(each) for each in named if each is not None]


def _impossible(configuration: Any, columns: frozenset[str]) -> ExpectationOutcome:
    missing = ", ".join(f"'{each}'" for each in _missing(configuration, columns))
    return ExpectationOutcome(
        title=_title(configuration),
        column=", ".join(_columns(configuration)),
        success=False,
        severity=_severity(configuration),
        error=f"there is no column {missing}, there are {', '.join(sorted(columns))}",
    )


def _context_of(frame: Any) -> tuple[Any, Any]:
    """A context, and the request for the DataFrame as a batch of it."""
    from great_expectations.data_context.data_context.ephemeral_data_context import EphemeralDataContext
    from great_expectations.data_context.types.base import DataContextConfig, InMemoryStoreBackendDefaults

    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        analytics_enabled=False,
        progress_bars={"globally": False, "metric_calculations": False},
    )
    context = EphemeralDataContext(project_config=config)
    _be_a_project(context)
    source = context.data_sources.add_spark("flinkpy", persist=False)
    asset = source.add_dataframe_asset("result")
    whole = asset.add_batch_definition_whole_dataframe("whole")
    return context, whole.build_batch_request(batch_parameters={"dataframe": frame})


def _be_a_project(context: Any) -> None:
    """Great Expectations wants one per process; one that the user has made stays."""
    from great_expectations.data_context.data_context.context_factory import project_manager
    from great_expectations.exceptions import DataContextRequiredError

    try:
        project_manager.is_using_cloud()
    except DataContextRequiredError:
        project_manager.set_project(context)


def _format(samples: int) -> dict[str, Any]:
    return {"result_format": "BASIC", "partial_unexpected_count": samples}


def _samples(validator: Any, results: list[Any], samples: int) -> dict[int, tuple[Any, ...]]:
    """The first unexpected values of expectations that have failed, by their place; one more Spark job each."""
    wanted: dict[int, Any] = {}
    for place, result in enumerate(results):
        if samples and not result.success and (result.result or {}).get("unexpected_count"):
            needed = result.expectation_config.to_domain_obj().get_validation_dependencies(
                execution_engine=validator.execution_engine,
                runtime_configuration={"result_format": _format(samples)},
            )
            for name, metric in needed.metric_configurations.items():
                if name.endswith(".unexpected_values"):
                    wanted[place] = metric
    if not wanted:
        return {}
    resolved, _ = validator.compute_metrics(list(wanted.values()))
    found = {place: resolved.get(metric.id, ()) for place, metric in wanted.items()}
    return {place: tuple(values)[:samples] for place, values in found.items()}


def _outcome(result: Any, samples: tuple[Any, ...]) -> ExpectationOutcome:
    configuration, found = result.expectation_config, result.result or {}
    observed = found.get("observed_value")
    return ExpectationOutcome(
        title=_title(configuration),
        column=", ".join(_columns(configuration)),
        success=bool(result.success),
        severity=_severity(configuration),
        observed="" if observed is None else str(observed),
        unexpected=found.get("unexpected_count"),
        unexpected_percent=found.get("unexpected_percent"),
        samples=samples,
        error=_error(result.exception_info),
    )


def _severity(configuration: Any) -> str:
    severity = getattr(configuration, "severity", None)
    return str(getattr(severity, "value", severity) or "critical").lower()


def _title(configuration: Any) -> str:
    """``column values to be in set, value_set=['a', 'b'], mostly=0.9``"""
    words = configuration.type.removeprefix("expect_").replace("_", " ")
    hidden = {"column", "column_A", "column_B", "column_list", "batch_id"}
    more = [f"{key}={value!r}" for key, value in configuration.kwargs.items() if key not in hidden]
    return ", ".join([words, *more])


def _error(info: Any) -> str:
    """Great Expectations keeps one exception, or one per metric."""
    if not info:
        return ""
    entries = [info] if "raised_exception" in info else list(info.values())
    raised = [each for each in entries if isinstance(each, dict) and each.get("raised_exception")]
    return str(raised[0].get("exception_message") or "unknown").strip().split("\n")[0] if raised else ""
