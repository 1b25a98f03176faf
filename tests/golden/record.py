"""Records Flink's plans of the programs beside this file; needs PyFlink 2.3 and a JVM, which the tests do not.

    python tests/golden/record.py [NAME...]
    python tests/golden/record.py --random FIRST LAST

Each program has ``build(env)`` as in tests/conformance, and may have ``CONFIGURATION`` (a dict) for the environment.
The answer has the form of tests/conformance/expected, without results; a program that Flink refuses is recorded as
``error``.
"""

import hashlib
import json
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def record(name):
    """Everything Flink says about one program."""
    from pyflink.datastream import StreamExecutionEnvironment

    StreamExecutionEnvironment.get_execution_environment()
    try:
        answer = {"name": name} | plans(name, is_fused=True)
        return answer | {
            "unfused": {
                key: value for key, value in plans(name, is_fused=False).items() if key != "result_types"
            }
        }
    except Exception as problem:
        text = str(problem)
        causes = [line for line in text.splitlines() if "Exception: " in line or "Error: " in line]
        return {"name": name, "error": (causes or [text])[0].strip()}


def plans(name, is_fused):
    """The four views of one program's plan, and the types of its streams."""
    from pyflink.common import Configuration
    from pyflink.datastream import StreamExecutionEnvironment

    program = runpy.run_path(str(HERE / "programs" / f"{name}.py"))
    configuration = Configuration()
    configuration.set_boolean("python.operator-chaining.enabled", is_fused)
    for key, value in program.get("CONFIGURATION", {}).items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    streams = program["build"](env)
    answer = plans_of(env)
    return answer | {"result_types": [stream._j_data_stream.getType().toString() for stream in streams]}


def plans_of(env):
    """The four views of what was recorded in an environment."""
    stream_graph = env._generate_stream_graph(False)
    execution_plan = json.loads(stream_graph.getStreamingPlanAsJSON())
    job_graph = stream_graph.getJobGraph()
    return {
        "execution_plan": renumbered(execution_plan),
        "job_plan": renumbered(job_plan(job_graph)),
        **job_views(stream_graph, job_graph),
    }


def job_plan(job_graph):
    """The JSON plan, without the job's id."""
    from pyflink.java_gateway import get_gateway

    jvm = get_gateway().jvm
    plan = jvm.org.apache.flink.runtime.jobgraph.jsonplan.JsonPlanGenerator.generatePlan(job_graph)
    mapper = jvm.org.apache.flink.util.jackson.JacksonMapperFactory.createObjectMapper()
    parsed = json.loads(mapper.writeValueAsString(plan))
    parsed.pop("jid", None)
    for node in parsed["nodes"]:
        if not node.get("inputs"):
            node.pop("inputs", None)
        for entry in node.get("inputs", []):
            for key in [key for key, value in entry.items() if value is None]:
                del entry[key]
    return parsed


def job_views(stream_graph, job_graph):
    """Vertices and edges of the JobGraph."""
    from pyflink.java_gateway import get_gateway

    jvm = get_gateway().jvm
    loader = jvm.Thread.currentThread().getContextClassLoader()
    vertices = elements(job_graph.getVertices())
    numbers = {vertex.getID().toString(): number for number, vertex in enumerate(vertices)}
    groups, views = {}, []
    for number, vertex in enumerate(vertices):
        config = jvm.org.apache.flink.streaming.api.graph.StreamConfig(vertex.getConfiguration())
        names = {config.getVertexID(): config.getOperatorName()}
        for node_id, chained in dict(config.getTransitiveChainedTaskConfigs(loader)).items():
            names[node_id] = chained.getOperatorName()
        group = vertex.getSlotSharingGroup()
        index = groups.setdefault(group.getSlotSharingGroupId().toString(), len(groups))
        views.append(
            {
                "id": number,
                "name": vertex.getName(),
                "parallelism": vertex.getParallelism(),
                "max_parallelism": vertex.getMaxParallelism(),
                "slot_sharing_group": {
                    "name": stream_graph.getStreamNode(config.getVertexID()).getSlotSharingGroup(),
                    "index": index,
                },
                "chained_operators": [names[node_id] for node_id in sorted(names)],
            }
        )
    data_sets, edges = {}, []
    for vertex in vertices:
        for data_set in elements(vertex.getProducedDataSets()):
            for edge in elements(data_set.getConsumers()):
                edges.append(
                    {
                        "source": numbers[vertex.getID().toString()],
                        "target": numbers[edge.getTarget().getID().toString()],
                        "dataset": data_sets.setdefault(data_set.getId().toString(), len(data_sets)),
                        "result_partition_type": data_set.getResultType().name(),
                        "ship_strategy": edge.getShipStrategyName(),
                        "distribution_pattern": edge.getDistributionPattern().name(),
                    }
                )
    return {"job_vertices": views, "job_edges": edges}


def elements(iterable):
    """The elements of a Java Iterable."""
    iterator, found = iterable.iterator(), []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


def renumbered(plan):
    """Ids replaced by their position."""
    numbers = {node["id"]: number for number, node in enumerate(plan["nodes"])}
    for node in plan["nodes"]:
        node["id"] = numbers[node["id"]]
        for entry in node.get("predecessors", []) + node.get("inputs", []):
            entry["id"] = numbers[entry["id"]]
    return plan


def digest(plan):
    """A short text that stands for all four views."""
    views = {key: plan[key] for key in ("execution_plan", "job_plan", "job_vertices", "job_edges")}
    return hashlib.sha256(json.dumps(views, sort_keys=True).encode()).hexdigest()[:16]


def random_plan(seed, is_fused):
    """The digest of a random program's plans; "error" if PyFlink refuses it, rightly or not."""
    import random_programs
    from pyflink.common import Configuration
    from pyflink.datastream import StreamExecutionEnvironment

    configuration = Configuration()
    configuration.set_boolean("python.operator-chaining.enabled", is_fused)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    try:
        random_programs.build(env, seed)
        return digest(plans_of(env))
    except Exception:
        return "error"


def record_random(first, last):
    """Replaces random_plans.json."""
    answers = {seed: [random_plan(seed, True), random_plan(seed, False)] for seed in range(first, last)}
    lines = ",\n".join(f'"{seed}": {json.dumps(digests)}' for seed, digests in answers.items())
    (HERE / "random_plans.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def main():
    if sys.argv[1:2] == ["--random"]:
        record_random(int(sys.argv[2]), int(sys.argv[3]))
        return
    names = sys.argv[1:] or [path.stem for path in sorted((HERE / "programs").glob("*.py"))]
    for name in names:
        answer = record(name)
        path = HERE / "expected" / f"{name}.json"
        path.write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(name, answer.get("error", "recorded"), flush=True)


if __name__ == "__main__":
    main()
