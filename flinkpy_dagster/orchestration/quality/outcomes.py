"""What a suite of expectations has found, as values, and how Dagster shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagster import (
    AssetCheckEvaluation,
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    MetadataValue,
    TableColumn,
    TableRecord,
    TableSchema,
)

_COLUMNS = ("expectation", "column", "result", "severity", "observed", "unexpected", "unexpected_percent")

_SHOWN = 3  # samples in one sentence; the table has all of them


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectationOutcome:
    """One expectation. ``severity``: that of Great Expectations, ``critical``, ``warning`` or ``info``.

    ``unexpected_percent`` of the values that were looked at; ``samples`` are the first unexpected values, or rows.
    ``error``: why it could not be evaluated; it has failed then.
    """

    title: str
    column: str = ""
    success: bool
    severity: str = "critical"
    observed: str = ""
    unexpected: int | None = None
    unexpected_percent: float | None = None
    samples: tuple[Any, ...] = ()
    error: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteOutcome:
    """One suite on one DataFrame; ``duration_ms`` of all its Spark jobs and of Great Expectations."""

    suite: str
    expectations: tuple[ExpectationOutcome, ...]
    duration_ms: int = 0

    @property
    def failed(self) -> tuple[ExpectationOutcome, ...]:
        return tuple(each for each in self.expectations if not each.success)

    @property
    def passed(self) -> bool:
        return not self.failed

    @property
    def severity(self) -> AssetCheckSeverity:
        """ERROR if an expectation of severity ``critical`` has failed: only this closes a gate."""
        is_critical = any(each.severity == "critical" for each in self.failed)
        return AssetCheckSeverity.ERROR if is_critical or self.passed else AssetCheckSeverity.WARN

    @property
    def closes(self) -> bool:
        """Would it stop what is blocked by it?"""
        return not self.passed and self.severity is AssetCheckSeverity.ERROR

    def __str__(self) -> str:
        if not self.expectations:
            return "There is nothing to look at yet."
        if self.passed:
            return f"All {len(self.expectations)} expectations are met."
        told = "; ".join(map(_told, self.failed))
        return f"{len(self.failed)} of {len(self.expectations)} expectations are not met: {told}."


def check_result(
    spec: AssetCheckSpec, outcome: SuiteOutcome, looked_at: Mapping[str, Any] | None = None
) -> AssetCheckResult:
    """For ops and checks to yield. ``looked_at``: more metadata, of what the suite was evaluated on."""
    return AssetCheckResult(
        asset_key=spec.asset_key,
        check_name=spec.name,
        passed=outcome.passed,
        severity=outcome.severity,
        description=str(outcome),
        metadata={**outcome_metadata(outcome), **(looked_at or {})},
    )


def check_evaluation(spec: AssetCheckSpec, outcome: SuiteOutcome) -> AssetCheckEvaluation:
    """The same while an op goes on; many may follow one another."""
    return AssetCheckEvaluation(
        asset_key=spec.asset_key,
        check_name=spec.name,
        passed=outcome.passed,
        severity=outcome.severity,
        description=str(outcome),
        metadata=outcome_metadata(outcome),
        blocking=False,  # Dagster would fail the op at its end
    )


def outcome_metadata(outcome: SuiteOutcome) -> dict[str, Any]:
    """Numbers that the UI plots, a table with a row per expectation, and the samples of those that failed."""
    about: dict[str, Any] = {
        "evaluated": len(outcome.expectations),
        "successful": len(outcome.expectations) - len(outcome.failed),
        "unexpected": sum(each.unexpected or 0 for each in outcome.failed),
        "duration_ms": outcome.duration_ms,
        "suite": outcome.suite,
        "expectations": _table(_COLUMNS, [_row(each) for each in outcome.expectations]),
    }
    if any(each.samples for each in outcome.failed):
        rows = [
            {"expectation": each.title, "column": each.column, "value": _text(sample)}
            for each in outcome.failed
            for sample in each.samples
        ]
        about["failing_samples"] = _table(("expectation", "column", "value"), rows)
    return about


def _row(each: ExpectationOutcome) -> dict[str, Any]:
    return {
        "expectation": each.title,
        "column": each.column,
        "result": "met" if each.success else ("error" if each.error else "not met"),
        "severity": each.severity,
        "observed": each.error or each.observed,
        "unexpected": "" if each.unexpected is None else str(each.unexpected),
        "unexpected_percent": "" if each.unexpected_percent is None else f"{each.unexpected_percent:.3g}",
    }


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> MetadataValue:
    schema = TableSchema(columns=[TableColumn(name=name) for name in columns])
    return MetadataValue.table([TableRecord(dict(row)) for row in rows], schema)


def _told(each: ExpectationOutcome) -> str:
    where = f" of '{each.column}'" if each.column else ""
    if each.error:
        return f"{each.title}{where} could not be evaluated ({each.error})"
    seen = f"{each.unexpected} unexpected" if each.unexpected is not None else f"observed {each.observed}"
    if not each.samples:
        return f"{each.title}{where}: {seen}"
    shown = [_text(sample) for sample in each.samples[:_SHOWN]]
    more = ["..."] if (each.unexpected or len(each.samples)) > len(shown) else []
    return f"{each.title}{where}: {seen} ({', '.join([*shown, *more])})"


def _text(sample: Any) -> str:
    return sample if isinstance(sample, str) else repr(sample)
