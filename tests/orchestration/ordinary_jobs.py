"""Ordinary Dagster jobs, run by the slot-sharing executor in the tests."""

import asyncio
import threading
import time

from dagster import (
    AssetCheckResult,
    AssetKey,
    Definitions,
    DynamicOut,
    DynamicOutput,
    In,
    Nothing,
    Out,
    Output,
    RetryPolicy,
    asset,
    asset_check,
    define_asset_job,
    failure_hook,
    job,
    op,
    success_hook,
)

from flinkpy_dagster import slot_sharing_executor

hook_calls: list[str] = []
threads: dict[str, str] = {}
attempts: list[float] = []


@success_hook
def on_success(context):
    hook_calls.append(f"success {context.op.name}")


@failure_hook
def on_failure(context):
    hook_calls.append(f"failure {context.op.name}")


@op
def one(context) -> int:
    threads["one"] = threading.current_thread().name
    print("printed by one")
    return 1


@op
async def two(context) -> int:
    await asyncio.sleep(0.01)
    print("printed by two")
    return 2


@op
def add(a: int, b: int) -> int:
    return a + b


@op
def fail(a: int) -> int:
    raise ValueError("no such luck")


@job(executor_def=slot_sharing_executor, hooks={on_success, on_failure})
def diamond():
    add(one(), two())


@job(executor_def=slot_sharing_executor, hooks={on_success, on_failure})
def failing():
    add(fail(one()), two())


@op(retry_policy=RetryPolicy(max_retries=2))
def flaky() -> int:
    attempts.append(time.time())
    if len(attempts) < 3:
        raise RuntimeError("not yet")
    return len(attempts)


@job(executor_def=slot_sharing_executor)
def retrying():
    add(flaky(), one())


@op(out=DynamicOut(int))
def numbers():
    for number in range(5):
        yield DynamicOutput(number, mapping_key=str(number))


@op
def double(number: int) -> int:
    return 2 * number


@op
def total(context, numbers: list[int]) -> int:
    return sum(numbers)


@job(executor_def=slot_sharing_executor)
def dynamic():
    total(numbers().map(double).collect())


@op(out={"yes": Out(int, is_required=False), "no": Out(int, is_required=False)})
def branch():
    yield Output(1, "yes")


@job(executor_def=slot_sharing_executor)
def branching():
    yes, no = branch()
    double.alias("taken")(yes)
    double.alias("skipped")(double.alias("not_taken")(no))


def slow(name: str, seconds: float = 0.3, **tags):
    @op(name=name, tags=tags, out=Out(Nothing), ins={"start": In(Nothing)})
    def wait():
        time.sleep(seconds)

    return wait


@job(executor_def=slot_sharing_executor)
def slow_job():
    for index in range(6):
        slow(f"slow{index}")()


@job(executor_def=slot_sharing_executor)
def sharing():
    """Two groups of three ops: ops of a group share a slot."""
    for group in ("g", "h"):
        for index in range(3):
            slow(f"{group}{index}", 0.4, **{"flinkpy/slot_sharing_group": group})()


@job(executor_def=slot_sharing_executor)
def greedy():
    slow("hungry", 0.0, **{"flinkpy/slots": "8"})()


@job(executor_def=slot_sharing_executor)
def endless():
    slow("endless_op", 600)()
    slow("patient")(slow("endless_too", 600)())


@asset
def upstream() -> int:
    return 20


@asset(deps=[AssetKey("upstream")])
def downstream() -> int:
    return 22


@asset_check(asset=downstream)
def downstream_is_fine() -> AssetCheckResult:
    return AssetCheckResult(passed=True)


assets = Definitions(
    assets=[upstream, downstream],
    asset_checks=[downstream_is_fine],
    jobs=[define_asset_job("two_assets", executor_def=slot_sharing_executor)],
)


def two_assets():
    return assets.resolve_job_def("two_assets")
