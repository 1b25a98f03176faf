"""Names of ops, outputs and assets, from the names of vertices: readable, legal in Dagster, unique, deterministic."""

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode

JOB_ID_TAG = "flinkpy/job_id"
"""On the Dagster runs of a job, see ``job_id_of``."""

JOB_TAG = "flinkpy/job"
"""``true`` on every Dagster run that is the run of a job: by it they are found."""

JOB_NAME_TAG = "flinkpy/job_name"
"""The job's name as the program gave it."""

UNBOUNDED_TAG = "flinkpy/unbounded"
"""``true`` or ``false``, once a run has begun."""

STATUS_TAG = "flinkpy/status"
"""What Dagster's status does not tell: RECONCILING, RESTARTING, FAILING while it runs; SUSPENDED when it has ended."""

TAP = "Kept-For-Checks"
"""The operator that stores a pipelined data set beside its way; no names are made from it."""

_LONGEST = 64
_STEPS_ONLY_THE_PLAN_HAS = frozenset(
    {
        TAP,
        "_stream_key_by_map_operator",
        "_keyed_stream_values_operator",
        "Keyed-Stream-Values",
        "Extract-Timestamp",
        "Remove-Timestamp",
        "Key-By",
    }
)
_NAMES_NOBODY_GAVE = frozenset(
    {
        "map",
        "flatmap",
        "filter",
        "process",
        "keyed process",
        "reduce",
        "projection",
        "timestamps/watermarks",
        "collection source",
        "text file source",
        "print to std. out",
    }
)
_WORDS_WITHOUT_CONTENT = re.compile(r"^(Source|Sink): |: Writer$")


def job_id_of(run_id: str, tags: Mapping[str, str]) -> str:
    """The one rule: the id that the run was given, else the 32 hex digits of its run id.

    Retries and re-executions of a run have its tags: they are the same job.
    """
    return tags.get(JOB_ID_TAG) or run_id.replace("-", "")


def legal_name(text: str, longest: int = _LONGEST) -> str:
    """``text`` as a Dagster name: letters, digits and underscores, cut at a word when it is too long."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").lower() or "unnamed"
    if len(name) > longest:
        name = name[: longest + 1].rpartition("_")[0] or name[:longest]
    if keyword.iskeyword(name) or name[0].isdigit():
        name = f"_{name}"
    return name


def resource_key(name: str) -> str:
    """Of what the ops of the program of this (legal) name share; Dagster's resources begin with a letter."""
    return f"program{name}_run" if name.startswith("_") else f"{name}_run"


def unique_names(texts: Iterable[str]) -> list[str]:
    """Legal names in the order of ``texts``; a name that is taken gets ``_2``, ``_3`` and so on."""
    taken: set[str] = set()
    names = []
    for text in texts:
        base = name = legal_name(text)
        count = 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        taken.add(name)
        names.append(name)
    return names


def readable(node: StreamNode) -> str:
    """A node's name without the operators that PyFlink adds by itself; "" when nothing is left."""
    return " ".join(_parts_of(node))


def _parts_of(node: StreamNode) -> list[str]:
    """PyFlink fuses Python operators into one node: the names of those that the program asked for."""
    parts = [part for part in node.name.split(", ") if part not in _STEPS_ONLY_THE_PLAN_HAS]
    return list(filter(None, (_WORDS_WITHOUT_CONTENT.sub("", part) for part in parts)))


def vertex_text(vertex: JobVertex) -> str:
    """What a vertex is called: the names that the program gives its operators; if it gives none, those that PyFlink
    gives them, or the plan's own name if only helpers are in it."""
    names = [part for node in vertex.nodes for part in _parts_of(node)]
    given = [name for name in names if name.lower() not in _NAMES_NOBODY_GAVE]
    by_legal_name = {legal_name(name): name for name in given or names}  # an operator and its sink: once
    return " ".join(by_legal_name.values()) or vertex.name


@dataclass(frozen=True)
class NamedGraph:
    """A JobGraph with the names that Dagster knows its parts by.

    ``op_names`` by vertex id; ``output_names`` by data set id, by sink node id (as text) and, for vertices whose
    result nobody takes, by vertex id.
    """

    name: str
    job_graph: JobGraph

    @cached_property
    def op_names(self) -> Mapping[str, str]:
        """By vertex id, in topological order; unique, and legal in Dagster."""
        vertices = self.job_graph.vertices
        return dict(zip((vertex.id for vertex in vertices), unique_names(map(vertex_text, vertices))))

    @cached_property
    def output_names(self) -> Mapping[str, str]:
        """By data set id, sink node id as text, and id of a vertex whose result nobody takes."""
        data_sets = {each.id: self._text_of(each) for each in self.job_graph.data_sets}
        sinks = {str(node.id): readable(node) or "sink" for _, node in self.sinks()}
        dead_ends = {vertex.id: self.op_names[vertex.id] for vertex in self.dead_ends()}
        texts = data_sets | sinks | dead_ends
        return dict(zip(texts, unique_names(texts.values())))

    def _text_of(self, data_set: IntermediateDataSet) -> str:
        """The producer's name; if it has several results, also who reads this one."""
        name = self.op_names[data_set.producer]
        if sum(each.producer == data_set.producer for each in self.job_graph.data_sets) == 1:
            return name
        reader = next(edge.target for edge in self.job_graph.edges if edge.data_set == data_set.id)
        producer, consumer = (self.job_graph.vertex(each).head for each in (data_set.producer, reader))
        return f"{readable(producer) or name} for {readable(consumer) or self.op_names[reader]}"

    def sinks(self) -> Iterable[tuple[JobVertex, StreamNode]]:
        """Every sink node with its vertex."""
        return ((vertex, node) for vertex in self.job_graph.vertices for node in vertex.nodes if node.is_sink)

    def dead_ends(self) -> Iterable[JobVertex]:
        """Vertices without sinks whose result nobody reads; Dagster wants an output of them all the same."""
        useful = {data_set.producer for data_set in self.job_graph.data_sets}
        useful |= {vertex.id for vertex, _ in self.sinks()}
        return (vertex for vertex in self.job_graph.vertices if vertex.id not in useful)

    def vertex_of(self, op_name: str) -> JobVertex:
        """The vertex of an op; there must be one."""
        return next(vertex for vertex in self.job_graph.vertices if self.op_names[vertex.id] == op_name)

    def shape(self) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, str], ...]]:
        """Ops with their outputs, and which op reads which: what the ops of a job are made from."""
        ops = tuple((name, self.outputs_of(vertex_id)) for vertex_id, name in self.op_names.items())
        edges = ((self.op_names[edge.source], self.op_names[edge.target]) for edge in self.job_graph.edges)
        return ops, tuple(sorted(set(edges)))

    def outputs_of(self, vertex_id: str) -> tuple[str, ...]:
        """Names of the outputs of a vertex: its data sets, then its sinks."""
        data_sets = [each.id for each in self.job_graph.data_sets if each.producer == vertex_id]
        sinks = [str(node.id) for vertex, node in self.sinks() if vertex.id == vertex_id]
        dead_ends = [vertex.id for vertex in self.dead_ends() if vertex.id == vertex_id]
        return tuple(self.output_names[key] for key in (*data_sets, *sinks, *dead_ends))
