"""Programs for a shared session, as text: they run in processes of their own."""

KEYED = """
from flinkpy_dagster.api import StreamExecutionEnvironment, Types

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(3)
pairs = env.from_collection([("a", 1), ("b", 2), ("a", 3)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).print()
env.execute("sums")
"""

SLOW = """
import os, pathlib, time
from flinkpy_dagster.api import StreamExecutionEnvironment, Types

def slow(number):
    pathlib.Path({folder!r}, f"began-{{number % 2}}").write_text(str(os.getpid()))
    time.sleep({seconds})
    return number

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.from_collection(list(range({count})), type_info=Types.LONG()).rebalance().map(slow, Types.LONG()).print()
env.execute("slow")
"""

FILES = """
import sys
from flinkpy_dagster.api import Configuration, RuntimeExecutionMode, StreamExecutionEnvironment, Types

folder = sys.argv[1]
settings = Configuration()
settings.set_string("flinkpy.data-sets.dir", folder + "/data-sets")
env = StreamExecutionEnvironment.get_execution_environment(settings)
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
env.set_parallelism(3)
lines = env.read_text_file(folder + "/lines.txt")
words = lines.flat_map(str.split, Types.STRING()).map(lambda w: (w, 1), Types.TUPLE([Types.STRING(), Types.LONG()]))
counts = words.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))
counts.map(lambda pair: f"{pair[0]} {pair[1]}", Types.STRING()).print()
env.execute("words")
"""

UNBOUNDED = """
from flinkpy_dagster.api import DataGeneratorSource, StreamExecutionEnvironment, Types, WatermarkStrategy

env = StreamExecutionEnvironment.get_execution_environment()
numbers = DataGeneratorSource(lambda number: number, Types.LONG(), records_per_second=1)
env.from_source(numbers, WatermarkStrategy.no_watermarks(), "numbers").print()
env.execute("for ever")
"""

MANY_AND_FEW = """
import sys, threading, time
from flinkpy_dagster.dataplane.spark.connect import connected_session
from flinkpy_dagster.dataplane.spark.session_registry import token_of

spark = connected_session(sys.argv[1], {}, token_of(sys.argv[1]))

def pause(batches):
    import time
    for batch in batches:
        time.sleep(0.5)
        yield batch

def run(name, tasks):
    spark.range(0, tasks, 1, tasks).mapInArrow(pause, "id long").collect()
    print(name, flush=True)

spark.range(0, 2, 1, 2).mapInArrow(pause, "id long").collect()  # the workers are there
many = threading.Thread(target=run, args=("many", 60))
many.start()
time.sleep(2)  # its tasks wait for slots by now
run("few", 2)
many.join()
"""

CHECKED = """
import sys
from dagster import DagsterInstance, build_reconstructable_job, execute_job
from tests.orchestration.quality import checked_programs

job = build_reconstructable_job(checked_programs.__name__, "batch_job", (True,))
told = {"target": sys.argv[1], "configuration": {"flinkpy.data-sets.dir": sys.argv[2]}}
with DagsterInstance.ephemeral() as instance:
    config = {"resources": {"words_batch_run": {"config": told}}}
    result = execute_job(job, instance, run_config=config, raise_on_error=False)
for each in result.get_asset_check_evaluations():
    print(each.check_name, each.passed)
for event in result.all_events:
    if event.is_step_failure:
        print(event.step_failure_data.user_failure_data.description, file=sys.stderr)
"""
