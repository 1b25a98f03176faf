"""What functions can ask of their subtask; side outputs that nobody reads."""

from pyflink.common import Types
from pyflink.datastream import MapFunction, OutputTag, ProcessFunction

ASIDE = OutputTag("aside", Types.INT())


class Facts(MapFunction):
    def open(self, context):
        self.context = context

    def map(self, value):
        context = self.context
        return "|".join(
            [
                context.get_task_name(),
                context.get_task_name_with_subtasks(),
                str(context.get_number_of_parallel_subtasks()),
                str(context.get_max_number_of_parallel_subtasks()),
                str(context.get_index_of_this_subtask()),
                str(context.get_attempt_number()),
                context.get_job_parameter("x", "none"),
                context.get_job_parameter("z", "none"),
            ]
        )


def in_order_facts(env):
    env.get_config().set_global_job_parameters({"x": "y"})
    return env.from_collection([1], Types.INT()).map(Facts(), Types.STRING()).name("My Map").filter(lambda v: True)


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield value
        yield ASIDE, value * 10


def in_order_side_output(env):
    return env.from_collection([1, 2], Types.INT()).process(Split(), Types.INT()).get_side_output(ASIDE)


def in_order_side_output_and_main(env):
    split = env.from_collection([1, 2], Types.INT()).process(Split(), Types.INT())
    split.get_side_output(ASIDE)
    return split
