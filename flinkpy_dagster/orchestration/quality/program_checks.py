"""The checks of a code location, bound to what its programs make; said at once when there is nothing to bind to."""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dagster import AssetCheckSpec, AssetKey

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.quality.expecting import Expectations
from flinkpy_dagster.orchestration.quality.suites import suite_name
from flinkpy_dagster.state.storage.schemes import is_remote

if TYPE_CHECKING:
    from flinkpy_dagster.orchestration.quality.gates import Inspection

_CHECKED_SINKS = (specs.TableSink, specs.RowFileSink)


@dataclass(frozen=True)
class ProgramChecks:
    """The checks of one program: of data sets and sinks by output name, and of its state.

    ``keys``: the assets by output name; ``checkpoints`` that of its checkpoints.
    """

    keys: Mapping[str, AssetKey] = field(default_factory=dict)
    checkpoints: AssetKey | None = None
    checks: Mapping[str, tuple[Expectations, ...]] = field(default_factory=dict)
    states: tuple[Expectations, ...] = ()

    @property
    def specs(self) -> list[AssetCheckSpec]:
        """Of data sets and sinks: outputs of the ops of the program."""
        return [self._spec(name, check) for name, checks in self.checks.items() for check in checks]

    def specs_of(self, graph: NamedGraph, vertex_id: str) -> list[AssetCheckSpec]:
        """Those whose results the op of a vertex gives."""
        names = graph.outputs_of(vertex_id)
        return [self._spec(name, check) for name in names for check in self.checks.get(name, ())]

    def bound(self, graph: NamedGraph) -> tuple[NamedGraph, "Inspection | None"]:
        """The graph of a run, with what is stored only to be checked, and its checks; None if it has none.

        Raises InvalidProgram for what cannot be checked, before anything runs.
        """
        if not self.checks and not self.states:
            return graph, None
        from flinkpy_dagster.orchestration.quality.gates import BoundCheck, Inspection
        from flinkpy_dagster.orchestration.quality.taps import with_taps

        named = {output: key for key, output in graph.output_names.items()}
        data_sets = {each.id: each for each in graph.job_graph.data_sets}
        wanted = [data_sets[named[name]] for name in self.checks if named[name] in data_sets]
        job_graph, taps = with_taps(
            graph.job_graph, [each for each in wanted if not each.result_type.is_blocking]
        )
        by_result: dict[str, list[BoundCheck]] = defaultdict(list)
        for name, checks in self.checks.items():
            key = named[name]
            vertex, operator = _maker(graph.job_graph, key)
            for check in checks:
                require_checkable(graph, key, check)
                bound = BoundCheck(check, self._spec(name, check), operator.name, vertex.id)
                by_result[str(taps.get(key, key))].append(bound)
        states = [BoundCheck(check, state_spec(check, self.checkpoints)) for check in self.states]
        return NamedGraph(graph.name, job_graph), Inspection(by_result, states, taps=taps)

    def _spec(self, output_name: str, check: Expectations) -> AssetCheckSpec:
        return AssetCheckSpec(
            check.name,
            asset=self.keys[output_name],
            blocking=check.blocking,
            description=check.description or _described(check),
        )


def state_spec(check: Expectations, checkpoints: AssetKey | None) -> AssetCheckSpec:
    """Of keyed state: a check of the checkpoints asset."""
    assert checkpoints is not None
    about = check.description or f"{_described(check)} Looks at the state of '{check.uid}'."
    return AssetCheckSpec(check.name, asset=checkpoints, description=about)


def checks_by_program(
    checks: Iterable[Expectations], programs: Sequence[tuple[NamedGraph, Mapping[str, AssetKey], AssetKey]]
) -> list[ProgramChecks]:
    """Every check with its program; a program is its graph, its assets by output name and its checkpoints asset.

    Raises InvalidProgram for a check of something that no program makes, or that cannot be checked.
    """
    of_outputs: list[dict[str, list[Expectations]]] = [defaultdict(list) for _ in programs]
    of_state: list[list[Expectations]] = [[] for _ in programs]
    for check in checks:
        if check.uid is not None:
            of_state[_program_of(check, programs)].append(check)
            continue
        number, name = _output_of(check, programs)
        graph = programs[number][0]
        require_checkable(
            graph, next(key for key, output in graph.output_names.items() if output == name), check
        )
        if any(other.name == check.name for other in of_outputs[number][name]):
            raise InvalidProgram(
                f"'{check.shown}' has two checks called '{check.name}': give each a name of its own."
            )
        of_outputs[number][name].append(check)
    return [
        ProgramChecks(
            keys,
            checkpoints,
            {name: tuple(found) for name, found in of_outputs[number].items()},
            tuple(of_state[number]),
        )
        for number, (_, keys, checkpoints) in enumerate(programs)
    ]


def require_checkable(graph: NamedGraph, key: str, check: Expectations) -> None:
    """Raises InvalidProgram for results that are nowhere to be looked at. ``key`` is one of ``graph.output_names``."""
    data_set = next((each for each in graph.job_graph.data_sets if each.id == key), None)
    if data_set is not None:
        _require_stored(graph.job_graph, data_set, check)
        return
    node = next((node for _, node in graph.sinks() if str(node.id) == key), None)
    if node is None:
        raise InvalidProgram(f"'{check.shown}' cannot be checked: nobody reads it, so it is nowhere.")
    if not any(isinstance(spec, _CHECKED_SINKS) for spec in node.operators):
        raise InvalidProgram(
            f"'{check.shown}' cannot be checked: sink '{node.name}' hands its elements on and stores none; check a "
            "ParquetSink, TableSink or FileSink, or the data set before it."
        )
    is_in_epochs = is_unbounded(graph.job_graph)
    for spec in node.operators:
        place = _pending_files_of(spec, is_in_epochs)
        if place is not None and is_remote(place):
            raise InvalidProgram(
                f"'{check.shown}' cannot be checked: sink '{node.name}' writes to another file system ({place}), where "
                "nobody sees its files before they are committed; check the folder with expectations_check(), or write "
                "to a path that the driver and all workers share."
            )


def _pending_files_of(spec: object, is_in_epochs: bool) -> str | None:
    """Where a sink has files that are pending while checks look at them; None for a table that Spark writes."""
    if isinstance(spec, specs.RowFileSink):
        return spec.base_path
    return spec.path if isinstance(spec, specs.TableSink) and is_in_epochs else None


def _require_stored(job_graph: JobGraph, data_set: IntermediateDataSet, check: Expectations) -> None:
    edge = next(each for each in job_graph.edges if each.data_set == data_set.id)
    if edge.value_type is None:
        raise InvalidProgram(
            f"'{check.shown}' cannot be checked: its elements have no declared type, so it has no columns; give the "
            "operator that makes it an output_type."
        )
    if data_set.result_type.is_blocking:
        return
    if is_unbounded(job_graph):
        raise InvalidProgram(
            f"'{check.shown}' cannot be checked: the data sets of an unbounded job are never stored; check a sink, or "
            "the state of an operator with expect_state()."
        )
    if not check.materialize:
        raise InvalidProgram(
            f"'{check.shown}' cannot be checked as it is: it is pipelined, so its readers take it and it is never "
            "stored; say expect(..., materialize=True) to have it stored beside its way, check a sink, or run the "
            "program in BATCH mode."
        )


def _maker(job_graph: JobGraph, key: str) -> tuple[JobVertex, StreamNode]:
    """The vertex and the operator whose result it is."""
    edge = next((each for each in job_graph.edges if each.data_set == key), None)
    wanted = key if edge is None else str(edge.source_node)
    return next(
        (vertex, node) for vertex in job_graph.vertices for node in vertex.nodes if str(node.id) == wanted
    )


def _output_of(
    check: Expectations, programs: Sequence[tuple[NamedGraph, Mapping[str, AssetKey], AssetKey]]
) -> tuple[int, str]:
    """The program's number and the output name of the one asset whose key is, or ends with, the given one."""
    known = [
        (number, name, tuple(key.path))
        for number, (_, keys, _) in enumerate(programs)
        for name, key in keys.items()
    ]
    found = [each for each in known if each[2] == check.asset] or [
        each for each in known if each[2][-len(check.asset) :] == check.asset
    ]
    if len(found) == 1:
        return found[0][:2]
    shown = ["/".join(path) for _, _, path in found or known]
    if found:
        raise InvalidProgram(
            f"Check '{check.name}' is of '{check.shown}', which may be {' or '.join(shown)}: write its whole key."
        )
    near = difflib.get_close_matches(check.shown, [*shown, *(text.split("/")[-1] for text in shown)], 1, 0.3)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(shown)}."
    raise InvalidProgram(
        f"Check '{check.name}' is of '{check.shown}', which no program makes: {hint} For other assets there is "
        "expectations_check()."
    )


def _program_of(
    check: Expectations, programs: Sequence[tuple[NamedGraph, Mapping[str, AssetKey], AssetKey]]
) -> int:
    """Of a check of state: the program whose name, or whose asset ``checkpoints``, the given path ends with."""
    wanted = check.asset if check.asset[-1] == "checkpoints" else (*check.asset, "checkpoints")
    found = [
        number
        for number, (_, _, checkpoints) in enumerate(programs)
        if tuple(checkpoints.path)[-len(wanted) :] == wanted
    ]
    names = ", ".join(graph.name for graph, _, _ in programs)
    if len(found) != 1:
        raise InvalidProgram(
            f"Check '{check.name}' is of state of '{check.shown}'; the programs are {names}."
        )
    graph = programs[found[0]][0]
    if not is_unbounded(graph.job_graph):
        raise InvalidProgram(
            f"Check '{check.name}' is of state of '{graph.name}', which is bounded: it has no checkpoints."
        )
    known = {
        each for vertex in graph.job_graph.vertices for node in vertex.nodes for each in (node.uid, node.name)
    }
    if check.uid not in known:
        raise InvalidProgram(
            f"Check '{check.name}' is of state of operator '{check.uid}' of '{graph.name}', which has only "
            f"{', '.join(sorted(each for each in known if each))}."
        )
    return found[0]


def _described(check: Expectations) -> str:
    what = "Stops what does not meet it. " if check.blocking else ""
    return f"{what}Great Expectations suite {suite_name(check.suite, check.name)}."
