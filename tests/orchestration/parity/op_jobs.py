"""Jobs of ordinary ops, each made with the executor that is asked for. Attempts are told apart by ``retry_number``."""

import asyncio
from collections.abc import Callable

from dagster import (
    AssetMaterialization,
    AssetObservation,
    Backoff,
    Config,
    DagsterInvariantViolationError,
    DynamicOut,
    DynamicOutput,
    ExecutorDefinition,
    ExpectationResult,
    Failure,
    GraphOut,
    In,
    Jitter,
    JobDefinition,
    Nothing,
    OpExecutionContext,
    Out,
    Output,
    RetryPolicy,
    RetryRequested,
    failure_hook,
    graph,
    job,
    op,
    success_hook,
)

Scenario = Callable[[ExecutorDefinition], JobDefinition]


class Greeting(Config):
    word: str = "hello"
    times: int


@op
def greeting(context: OpExecutionContext, config: Greeting) -> str:
    context.log.info("run tag: %s", context.run.tags["team"])
    return " ".join([config.word] * config.times)


@op(out={"length": Out(int), "upper": Out(str)})
async def looked_at(text: str):
    await asyncio.sleep(0)
    yield Output(len(text), "length", metadata={"unit": "characters"})
    await asyncio.sleep(0)
    yield Output(text.upper(), "upper", data_version=None)


@op
def noted(context: OpExecutionContext, length: int):
    yield AssetMaterialization("notes", metadata={"length": length})
    yield AssetObservation("watched", metadata={"length": length})
    yield ExpectationResult(success=length > 100, label="long", description="long enough")
    context.add_output_metadata({"seen": True})
    yield Output(length)


@op
def doubled(number: int) -> int:
    return 2 * number


@op(ins={"after": In(Nothing)})
def last() -> None:
    return None


@graph(out={"twice": GraphOut()})
def inner(length):
    return doubled(doubled.alias("first")(length))


@graph
def outer(text):
    length, _ = looked_at(text)
    return inner(noted(length))


@success_hook
def cheers(context):
    context.log.info("well done, %s", context.op.name)


@failure_hook(name="tears")
def tears(context):
    context.log.info("oh dear, %s: %s", context.op.name, type(context.op_exception).__name__)


@success_hook
def broken_hook(context):
    raise KeyError("hook")


def values(executor: ExecutorDefinition) -> JobDefinition:
    """Config, several outputs, async and generator ops, nested graphs, hooks."""

    @job(executor_def=executor, hooks={cheers, tears}, name="job")
    def made():
        last(outer(greeting.with_hooks({broken_hook})()))

    return made


@op(out=DynamicOut(int))
def numbers():
    for number in range(2):
        yield DynamicOutput(number, mapping_key=f"n{number}", metadata={"number": number})


@op(out=DynamicOut(int, is_required=False))
def no_numbers():
    yield from ()


@op
def total(numbers: list[int]) -> int:
    return sum(numbers)


@graph
def changed(number):
    return doubled(doubled.alias("first")(number))


def dynamic(executor: ExecutorDefinition) -> JobDefinition:
    """Mapped through a graph and collected; a dynamic output without values skips what reads it."""

    @job(executor_def=executor, name="job")
    def made():
        total(numbers().map(changed).collect())
        total.alias("of_none")(no_numbers().map(doubled.alias("never")).collect())

    return made


@op(out={"yes": Out(int, is_required=False), "no": Out(int, is_required=False)})
def branch():
    yield Output(1, "yes")


def skipping(executor: ExecutorDefinition) -> JobDefinition:
    """Optional outputs; a fan-in goes on without the skipped one."""

    @job(executor_def=executor, name="job", hooks={cheers})
    def made():
        yes, no = branch()
        skipped = doubled.alias("skipped")(no)
        total([doubled.alias("taken")(yes), skipped])
        doubled.alias("skipped_too")(skipped)

    return made


@op
def bad_luck(number: int) -> int:
    raise ValueError(f"no luck with {number}")


@op
def on_purpose() -> int:
    raise Failure("this was meant", metadata={"answer": 42})


@op(out=Out(int))
def wrong_type():
    return "text"


@op(out=Out(int))
def forgetful():
    yield from ()


@op
def unexpected():
    yield 7


@op
def misuse() -> None:
    raise DagsterInvariantViolationError("not so")


@op
def one() -> int:
    return 1


def failing(executor: ExecutorDefinition) -> JobDefinition:
    """Every way to fail; what reads a failed op is not executed, a fan-in neither."""

    @job(executor_def=executor, name="job", hooks={cheers, tears})
    def made():
        fine = one()
        total([doubled(bad_luck(fine)), doubled.alias("fine")(fine)])
        for each in (on_purpose, wrong_type, forgetful, unexpected, misuse):
            each()

    return made


@op(retry_policy=RetryPolicy(max_retries=2, delay=0.02, backoff=Backoff.EXPONENTIAL, jitter=None))
def flaky(context: OpExecutionContext) -> int:
    if context.retry_number < 2:
        raise RuntimeError(f"attempt {context.retry_number}")
    return context.retry_number


@op(retry_policy=RetryPolicy(max_retries=1))
def hopeless() -> int:
    raise OSError("never")


@op
def asks(context: OpExecutionContext) -> int:
    if context.retry_number == 0:
        raise RetryRequested(max_retries=3, seconds_to_wait=0.01) from KeyError("why")
    return 5


@op(retry_policy=RetryPolicy(max_retries=3, jitter=Jitter.FULL, delay=0.01))
def gives_up() -> int:
    raise Failure("no use", allow_retries=False)


@op(retry_policy=RetryPolicy(max_retries=1), out={"early": Out(int), "late": Out(int)})
def halfway(context: OpExecutionContext):
    """Its first attempt fails after the first output."""
    yield Output(context.retry_number, "early")
    if context.retry_number == 0:
        raise RuntimeError("between the outputs")
    yield Output(2, "late")


def retrying(executor: ExecutorDefinition) -> JobDefinition:
    """Retry policies and requests, with delays, exhausted or refused."""

    @job(executor_def=executor, name="job", hooks={tears})
    def made():
        doubled(flaky())
        hopeless()
        asks()
        gives_up()
        early, late = halfway()
        total([early, late])

    return made


@op(config_schema={"fails": bool})
def fails_if_told(context: OpExecutionContext, number: int) -> int:
    if context.op_config["fails"]:
        raise RuntimeError("as told")
    return number + 1


def resumable(executor: ExecutorDefinition) -> JobDefinition:
    """For re-execution: dynamic steps and one that fails only when its config says so."""

    @job(executor_def=executor, name="job")
    def made():
        last(fails_if_told(total(numbers().map(doubled).collect())))

    return made
