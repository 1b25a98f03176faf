"""Asset checks that run by themselves: of keyed state, and of assets that no program makes."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from dagster import (
    AssetCheckExecutionContext,
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSpec,
    AssetKey,
    MetadataValue,
    asset_check,
)

from flinkpy_dagster.errors import CheckpointNotFound
from flinkpy_dagster.orchestration.quality.expecting import AssetLike, Expectations, expect
from flinkpy_dagster.orchestration.quality.program_checks import ProgramChecks, state_spec
from flinkpy_dagster.orchestration.quality.suites import SuiteLike, suite_of

if TYPE_CHECKING:
    from flinkpy_dagster.orchestration.quality.outcomes import SuiteOutcome

_Evaluated = tuple["SuiteOutcome", Mapping[str, Any]]
"""What a suite has found, and metadata of what it looked at."""


class NoCheckpointYet(CheckpointNotFound):
    """State is to be looked at of a job that has made no checkpoint yet; ``path`` is the asset of its checkpoints."""

    def sentence(self) -> str:
        return f"There is no state to look at: '{self.path}' has no checkpoint yet; run the job first."


def expectations_check(
    asset: AssetLike,
    suite: SuiteLike,
    dataframe: Callable[[AssetCheckExecutionContext], Any],
    *,
    blocking: bool = False,
    name: str | None = None,
    samples: int = 5,
    description: str | None = None,
    required_resource_keys: Collection[str] = (),
) -> AssetChecksDefinition:
    """A suite of Great Expectations for any asset of Dagster: ``dataframe(context)`` gives its Spark DataFrame.

    Evaluated as the checks of programs are: in few Spark jobs, with samples, severities and ``blocking``.
    """
    check = expect(asset, suite, blocking=blocking, name=name, samples=samples, description=description)
    spec = AssetCheckSpec(
        check.name, asset=AssetKey(check.asset), blocking=blocking, description=check.description
    )

    def evaluate(context: AssetCheckExecutionContext) -> _Evaluated:
        from flinkpy_dagster.dataplane.checked_frames import CheckFrames

        frame = dataframe(context)
        with CheckFrames(frame.sparkSession).persisted(frame) as persisted:
            return _validated(persisted, check), {}

    return _check_definition(spec, evaluate, frozenset(required_resource_keys))


def state_checks(
    checks: ProgramChecks, session: Callable[[AssetCheckExecutionContext], Any], needed: frozenset[str]
) -> list[AssetChecksDefinition]:
    """Checks of the keyed state of the program's newest checkpoint; ``session`` needs the resources ``needed``."""
    return [
        _state_check(each, state_spec(each, checks.checkpoints), session, needed) for each in checks.states
    ]


def _state_check(
    check: Expectations,
    spec: AssetCheckSpec,
    session: Callable[[AssetCheckExecutionContext], Any],
    needed: frozenset[str],
) -> AssetChecksDefinition:
    def evaluate(context: AssetCheckExecutionContext) -> _Evaluated:
        path = _newest_checkpoint(context, spec.asset_key)
        looked_at = {"checkpoint": MetadataValue.path(path)}
        from flinkpy_dagster.dataplane.checked_frames import CheckFrames

        assert check.uid is not None
        with CheckFrames(session(context)).state(path, check.uid, check.state) as frame:
            if frame is None:
                from flinkpy_dagster.orchestration.quality.outcomes import SuiteOutcome

                return SuiteOutcome(suite=check.name, expectations=()), looked_at
            return _validated(frame, check), looked_at

    return _check_definition(spec, evaluate, needed)


def _check_definition(
    spec: AssetCheckSpec,
    evaluate: Callable[[AssetCheckExecutionContext], _Evaluated],
    needed: frozenset[str],
) -> AssetChecksDefinition:
    @asset_check(
        asset=spec.asset_key,
        name=spec.name,
        description=spec.description,
        blocking=spec.blocking,
        required_resource_keys=set(needed),
    )
    def expectations(context: AssetCheckExecutionContext) -> AssetCheckResult:
        from flinkpy_dagster.orchestration.quality.outcomes import check_result

        return check_result(spec, *evaluate(context))

    return expectations


def _validated(frame: Any, check: Expectations) -> "SuiteOutcome":
    from flinkpy_dagster.orchestration.quality.validating import validate

    return validate(frame, suite_of(check.suite, check.name), samples=check.samples)


def _newest_checkpoint(context: AssetCheckExecutionContext, key: AssetKey) -> str:
    """Raises NoCheckpointYet if none has been told."""
    event = context.instance.get_latest_materialization_event(key)
    found = event.asset_materialization if event is not None else None
    path = found.metadata.get("path") if found is not None else None
    if path is None:
        raise NoCheckpointYet(key.to_user_string(), "")
    return str(path.value)
