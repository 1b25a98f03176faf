"""Results at the client: iterators, limits, several jobs."""

import json
from pyflink.common import Types


def in_order_limit(env):
    print(
        env.from_collection([5, 4, 3, 2, 1], Types.INT())
        .map(lambda v: v * 2, Types.INT())
        .execute_and_collect(limit=3)
    )


def in_order_limit_more(env):
    print(
        env.from_collection([5, 4], Types.INT())
        .map(lambda v: v * 2, Types.INT())
        .execute_and_collect(limit=30)
    )


def in_order_collect_next(env):
    it = env.from_collection([5, 4], Types.INT()).map(lambda v: v * 2, Types.INT()).execute_and_collect()
    print(next(it))
    print(it.next())
    it.close()


def in_order_two_jobs(env):
    env.from_collection([1], Types.INT()).map(lambda v: v, Types.INT()).print("one")
    env.execute("a")
    env.from_collection([2], Types.INT()).map(lambda v: v, Types.INT()).print("two")
    env.execute("b")
    try:
        env.execute("c")
    except Exception as e:
        print("No operators" in str(e))


def in_order_collect_twice(env):
    s = env.from_collection([1, 2], Types.INT()).map(lambda v: v + 1, Types.INT())
    print(list(s.execute_and_collect()))
    print(list(s.map(lambda v: v * 2, Types.INT()).execute_and_collect()))


def in_order_accumulators(env):
    env.from_collection([1], Types.INT()).map(lambda v: v, Types.INT()).print("x")
    r = env.execute()
    print(r.get_all_accumulator_results())
    try:
        print(r.get_accumulator_result("nope"))
    except Exception as e:
        print(type(e).__name__)


def in_order_iterator_protocol(env):
    it = env.from_collection([1, 2], Types.INT()).map(lambda v: v, Types.INT()).execute_and_collect("j")
    print(type(it).__name__, [x for x in it])
    it.close()
    try:
        next(it)
    except StopIteration:
        print("stop")
    except Exception as e:
        print(type(e).__name__)


def in_order_jobparams(env):
    env.get_config().set_global_job_parameters({"a": "1", "b": "x"})
    print(sorted(env.get_config().get_global_job_parameters().items()))


def in_order_plan_json(env):
    m = env.from_collection([1], Types.INT()).map(lambda v: v, Types.INT())
    m.print("x")
    plan = json.loads(env.get_execution_plan())
    print(sorted(plan), [sorted(n) for n in plan["nodes"]], [n["type"] for n in plan["nodes"]])


def in_order_exec_several(env):
    for n in range(2):
        s = env.from_collection([n, n + 1], Types.INT()).map(lambda v: v * 10, Types.INT())
        s.print("r%d" % n)
        r = env.execute("job %d" % n)
        print(r.get_net_runtime() >= 0, r.get_job_id() is not None)


def in_order_loop_streams(env):
    s = env.from_collection([1, 2, 3], Types.INT())
    for k in (2, 3, 5):
        s = s.map(lambda v, k=k: v * k, Types.INT())
    with s.execute_and_collect() as r:
        print(list(r))


def in_order_late_binding(env):
    s = env.from_collection([1], Types.INT())
    k = 1
    a = s.map(lambda v: v + k, Types.INT())
    k = 100
    with a.execute_and_collect() as r:
        print(list(r))
