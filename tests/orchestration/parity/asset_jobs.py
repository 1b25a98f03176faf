"""Asset jobs, each made with the executor that is asked for."""

from typing import Any

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetIn,
    AssetOut,
    AssetsDefinition,
    AssetSpec,
    DagsterInvariantViolationError,
    Definitions,
    ExecutorDefinition,
    JobDefinition,
    MaterializeResult,
    MultiPartitionKey,
    MultiPartitionsDefinition,
    Output,
    StaticPartitionMapping,
    StaticPartitionsDefinition,
    asset,
    asset_check,
    define_asset_job,
    graph_asset,
    graph_multi_asset,
    multi_asset,
    op,
)

COLORS = StaticPartitionsDefinition(["red", "green"])
SHADES = StaticPartitionsDefinition(["light_red", "dark_red", "green"])
BOTH = MultiPartitionsDefinition({"color": COLORS, "size": StaticPartitionsDefinition(["s", "m"])})
PARTITION = "dagster/partition"


def job_of(executor: ExecutorDefinition, *assets: Any, checks: Any = (), **options: Any) -> JobDefinition:
    definitions = Definitions(
        assets=assets,
        asset_checks=checks,
        jobs=[define_asset_job("job", executor_def=executor, **options)],
    )
    return definitions.resolve_job_def("job")


@asset(code_version="1", metadata={"owner": "me"})
def source(context: AssetExecutionContext) -> Output[int]:
    context.log.warning("making %s", context.asset_key.to_user_string())
    return Output(1, metadata={"rows": 1})


@multi_asset(outs={"left": AssetOut(), "right": AssetOut(is_required=False)})
def pair(source: int):
    yield Output(source + 1, "left")


@asset
def of_left(left: int) -> int:
    return left


@asset
def of_right(right: int) -> int:
    return right


@op
def plus_one(number: int) -> int:
    return number + 1


@graph_asset
def through_a_graph(left: int) -> int:
    return plus_one.alias("again")(plus_one(left))


@op
def minus_one(number: int) -> int:
    return number - 1


@graph_multi_asset(outs={"more": AssetOut(), "less": AssetOut()}, ins={"number": AssetIn("left")})
def more_and_less(number):
    return {"more": plus_one(number), "less": minus_one(number)}


@multi_asset(specs=[AssetSpec("a"), AssetSpec("b", deps=["a"])])
def results():
    yield MaterializeResult("a", metadata={"n": 1})
    yield MaterializeResult("b")


def assets(executor: ExecutorDefinition) -> JobDefinition:
    """Assets, multi-assets with an output that does not come, graph assets, results."""
    parts: tuple[AssetsDefinition, ...] = (
        source,
        pair,
        of_left,
        of_right,
        through_a_graph,
        more_and_less,
        results,
    )
    return job_of(executor, *parts)


@asset(check_specs=[AssetCheckSpec("own", asset="checked")])
def checked():
    return MaterializeResult(check_results=[AssetCheckResult(passed=True, metadata={"n": 3})])


@asset_check(asset=checked, blocking=True)
def gate() -> AssetCheckResult:
    return AssetCheckResult(passed=False, severity=AssetCheckSeverity.ERROR, description="shut")


@asset_check(asset=checked)
def remark() -> AssetCheckResult:
    return AssetCheckResult(passed=False, severity=AssetCheckSeverity.WARN)


@asset_check(asset=checked)
def broken_check() -> AssetCheckResult:
    raise DagsterInvariantViolationError("check")


@asset(deps=[checked])
def behind_the_gate() -> None: ...


def checks(executor: ExecutorDefinition) -> JobDefinition:
    """Checks that pass, warn, break; a blocking one that fails keeps the reader from running."""
    return job_of(executor, checked, behind_the_gate, checks=[gate, remark, broken_check])


@asset(partitions_def=COLORS)
def colored(context: AssetExecutionContext) -> str:
    return context.partition_key


@asset(
    partitions_def=SHADES,
    ins={
        "colored": AssetIn(
            partition_mapping=StaticPartitionMapping({"red": ["light_red", "dark_red"], "green": ["green"]})
        )
    },
)
def shaded(context: AssetExecutionContext, colored: str) -> str:
    return f"{context.partition_key} of {colored}"


def partitioned(executor: ExecutorDefinition) -> JobDefinition:
    return job_of(executor, colored, selection=[colored])


def mapped(executor: ExecutorDefinition) -> JobDefinition:
    """Reads the partition that another run made."""
    return job_of(executor, colored, shaded, selection=[shaded])


@asset(partitions_def=BOTH)
def garment(context: AssetExecutionContext) -> str:
    key = context.partition_key
    assert isinstance(key, MultiPartitionKey)
    return f"{key.keys_by_dimension['color']} {key.keys_by_dimension['size']}"


@asset(partitions_def=BOTH)
def folded(garment: str) -> str:
    return f"folded {garment}"


def multi_partitioned(executor: ExecutorDefinition) -> JobDefinition:
    return job_of(executor, garment, folded)
