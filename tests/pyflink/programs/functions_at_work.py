"""Runtime contexts, open() and close(), side outputs, connected streams."""

import tempfile
from pyflink.common import Types
from pyflink.datastream import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    MapFunction,
    OutputTag,
    ProcessFunction,
    RuntimeExecutionMode,
)
from pyflink.datastream.state import MapStateDescriptor


class CM(CoMapFunction):
    def map1(self, v):
        return "a%s" % v if v != 2 else None

    def map2(self, v):
        return "b%s" % v


class CF(CoFlatMapFunction):
    def flat_map1(self, v):
        for i in range(v):
            yield ("a%d" % i)

    def flat_map2(self, v):
        return [v, v]


class CP(CoProcessFunction):
    def process_element1(self, v, ctx):
        yield ("a%s %s" % (v, ctx.timestamp()))

    def process_element2(self, v, ctx):
        yield ("b%s" % v)


class RC(MapFunction):
    def open(self, ctx):
        self.d = (
            ctx.get_task_name(),
            ctx.get_number_of_parallel_subtasks(),
            ctx.get_max_number_of_parallel_subtasks(),
            ctx.get_index_of_this_subtask(),
            ctx.get_attempt_number(),
            ctx.get_task_name_with_subtasks(),
            ctx.get_job_parameter("k", "dflt"),
        )

    def map(self, v):
        return self.d


def in_order_union_order(env):
    a = env.from_collection([1], Types.INT())
    b = env.from_collection([2], Types.INT())
    c = env.from_collection([3], Types.INT())
    return a.union(b, c).map(lambda v: 1, Types.INT())


def in_order_union_none(env):
    return env.from_collection([1], Types.INT()).union().map(lambda v: v, Types.INT())


def in_order_project(env):
    T = Types.TUPLE([Types.INT(), Types.STRING(), Types.DOUBLE()])
    return env.from_collection([(1, "a", 0.5)], T).project(2, 0)


def in_order_project_fused(env):
    T = Types.TUPLE([Types.INT(), Types.STRING(), Types.DOUBLE()])
    return (
        env.from_collection([(1, "a", 0.5)], T)
        .map(lambda v: v, T)
        .project(1, 1)
        .map(lambda v: v[0] + v[1], Types.STRING())
    )


def in_order_side_outputs(env):
    tag = OutputTag("odd", Types.INT())
    tag2 = OutputTag("text", Types.STRING())

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            if v % 2:
                yield (tag, v)
            else:
                yield v
            yield (tag2, "t%d" % v)

    m = env.from_collection([1, 2, 3], Types.INT()).process(P(), Types.INT())
    m.print("main")
    m.get_side_output(tag).map(lambda v: v * 10, Types.INT()).print("odd")
    m.get_side_output(tag2).print("text")
    env.execute()


def in_order_side_from_fused(env):
    tag = OutputTag("odd", Types.INT())

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            if v % 2:
                yield (tag, v)
            else:
                yield v

    m = (
        env.from_collection([1, 2, 3], Types.INT())
        .map(lambda v: v + 1, Types.INT())
        .process(P(), Types.INT())
    )
    n = m.map(lambda v: v * 100, Types.INT())
    n.print("main")
    m.get_side_output(tag).print("odd")
    env.execute()


def any_order_comap(env):
    a = env.from_collection([1, 2, 3], Types.INT())
    b = env.from_collection(["x"], Types.STRING())
    return a.connect(b).map(CM(), Types.STRING())


def any_order_coflat(env):
    a = env.from_collection([1, 2, 0], Types.INT())
    b = env.from_collection(["x"], Types.STRING())
    return a.connect(b).flat_map(CF(), Types.STRING())


def any_order_coprocess(env):
    a = env.from_collection([1, 2, 0], Types.INT())
    b = env.from_collection(["x"], Types.STRING())
    return a.connect(b).process(CP(), Types.STRING())


def in_order_runtime_context(env):
    return env.from_collection([1], Types.INT()).map(RC())


def in_order_runtime_context_par(env):
    return env.from_collection([1], Types.INT()).rebalance().map(RC()).set_parallelism(2).name("named")


def in_order_job_params(env):
    env.get_config().set_global_job_parameters({"k": "v", "n": "1"})
    return env.from_collection([1], Types.INT()).map(RC())


def in_order_open_close(env):
    log = tempfile.mktemp()

    class M(MapFunction):
        def open(self, ctx):
            open_(log, "open")

        def map(self, v):
            open_(log, "map%d" % v)
            return v

        def close(self):
            open_(log, "close")

    def open_(p, t):
        with open(p, "a") as f:
            f.write(t + "\n")

    env.from_collection([1, 2], Types.INT()).map(M(), Types.INT()).print("m")
    env.execute("j")
    print(open(log).read().split())


def in_order_open_close_all(env):
    log = tempfile.mktemp()

    def w(t):
        with open(log, "a") as f:
            f.write(t + "\n")

    class A(FlatMapFunction):
        def open(self, ctx):
            w("openA")

        def flat_map(self, v):
            yield v

        def close(self):
            w("closeA")

    class B(FilterFunction):
        def open(self, ctx):
            w("openB")

        def filter(self, v):
            return True

        def close(self):
            w("closeB")

    class C(ProcessFunction):
        def open(self, ctx):
            w("openC")

        def process_element(self, v, ctx):
            yield v

        def close(self):
            w("closeC")

    env.from_collection([1, 2], Types.INT()).flat_map(A(), Types.INT()).filter(B()).process(
        C(), Types.INT()
    ).print("m")
    env.execute("j")
    print(open(log).read().split())


def in_order_broadcast_noncon(env):
    return env.from_collection([1, 2], Types.INT()).broadcast().map(lambda v: v, Types.INT())


def any_order_keyed_side(env):

    class P(KeyedProcessFunction):
        def process_element(self, v, ctx):
            yield v
            yield (OutputTag("s", Types.STRING()), "k%s" % ctx.get_current_key())

    m = (
        env.from_collection([1, 2], Types.INT())
        .key_by(lambda v: v % 2, Types.INT())
        .process(P(), Types.INT())
    )
    u = m.get_side_output(OutputTag("s", Types.STRING()))
    m.print("m")
    u.print("u")
    env.execute()


def any_order_co_side(env):

    class P(CoProcessFunction):
        def process_element1(self, v, ctx):
            yield v
            yield (OutputTag("s", Types.STRING()), "one")

        def process_element2(self, v, ctx):
            yield (OutputTag("s", Types.STRING()), v)

    m = (
        env.from_collection([1, 2], Types.INT())
        .connect(env.from_collection(["z"], Types.STRING()))
        .process(P(), Types.INT())
    )
    m.print("m")
    m.get_side_output(OutputTag("s", Types.STRING())).print("u")
    env.execute()


def any_order_bcast_side(env):
    d = MapStateDescriptor("d", Types.INT(), Types.INT())

    class P(BroadcastProcessFunction):
        def process_element(self, v, ctx):
            yield v
            yield (OutputTag("s", Types.STRING()), "one")

        def process_broadcast_element(self, v, ctx):
            yield (OutputTag("s", Types.STRING()), v)

    m = (
        env.from_collection([1, 2], Types.INT())
        .connect(env.from_collection(["z"], Types.STRING()).broadcast(d))
        .process(P(), Types.INT())
    )
    m.print("m")
    m.get_side_output(OutputTag("s", Types.STRING())).print("u")
    env.execute()


def in_order_no_elements(env):
    return (
        env.from_collection([1], Types.INT())
        .filter(lambda v: False)
        .key_by(lambda v: v)
        .reduce(lambda a, b: a)
    )


def any_order_empty_broadcast(env):
    d = MapStateDescriptor("d", Types.INT(), Types.INT())

    class P(BroadcastProcessFunction):
        def process_element(self, v, ctx):
            yield list(ctx.get_broadcast_state(MapStateDescriptor("d", Types.INT(), Types.INT())).items())

        def process_broadcast_element(self, v, ctx):
            pass

    return (
        env.from_collection([1, 2], Types.INT())
        .connect(env.from_collection(["z"], Types.STRING()).filter(lambda v: False).broadcast(d))
        .process(P())
    )


def any_order_enrich_broadcast(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    d = MapStateDescriptor("names", Types.INT(), Types.STRING())

    class E(BroadcastProcessFunction):
        def process_element(self, v, ctx):
            yield (
                "%s %s"
                % (
                    ctx.get_broadcast_state(MapStateDescriptor("names", Types.INT(), Types.STRING())).get(v),
                    v,
                )
            )

        def process_broadcast_element(self, v, ctx):
            ctx.get_broadcast_state(MapStateDescriptor("names", Types.INT(), Types.STRING())).put(v[0], v[1])

    return (
        env.from_collection([1, 2, 3, 1], Types.INT())
        .connect(
            env.from_collection(
                [(1, "one"), (2, "two")], Types.TUPLE([Types.INT(), Types.STRING()])
            ).broadcast(d)
        )
        .process(E(), Types.STRING())
    )


def any_order_side_chain(env):
    big, small = (OutputTag("big", Types.INT()), OutputTag("small", Types.INT()))

    class Split(ProcessFunction):
        def process_element(self, v, ctx):
            if v > 5:
                yield (OutputTag("big", Types.INT()), v)
            elif v < 2:
                yield (OutputTag("small", Types.INT()), v)
            else:
                yield v

    s = env.from_collection(list(range(9)), Types.INT()).process(Split(), Types.INT()).name("split")
    u = s.get_side_output(big).union(s.get_side_output(small)).map(lambda v: "x%d" % v, Types.STRING())
    u.print("odd")
    s.key_by(lambda v: v % 2, Types.INT()).sum().print("mid")
    env.execute()


def any_order_process_all(env):
    env.set_parallelism(2)

    class F(ProcessFunction):
        def open(self, ctx):
            self.n = ctx.get_number_of_parallel_subtasks()

        def process_element(self, v, ctx):
            yield (v, self.n)

    return env.from_collection([1, 2], Types.INT()).rebalance().process(F())


def in_order_metrics(env):

    class M(MapFunction):
        def open(self, ctx):
            self.c = ctx.get_metrics_group().counter("c")
            self.d = ctx.get_metrics_group().add_group("g").distribution("d")

        def map(self, v):
            self.c.inc()
            self.d.update(v)
            return self.c.get_count() if hasattr(self.c, "get_count") else v

    return env.from_collection([4, 5], Types.INT()).map(M(), Types.INT())
