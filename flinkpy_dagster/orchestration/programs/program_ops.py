"""A JobGraph as Dagster definitions: one op per vertex, one asset per data set and sink.

Every op has an output ``started``, yielded first, which is all that its readers wait for: the executor decides about
the rest. Data sets and sinks are outputs yielded at the end. Nothing travels through an IO manager. What an op does is
``vertex_steps``, which is imported when it does it: a code location is loaded often, and in many processes.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dagster import (
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    BetaWarning,
    DependencyDefinition,
    GraphDefinition,
    In,
    InputMapping,
    NodeInvocation,
    Nothing,
    OpDefinition,
    OpExecutionContext,
    Out,
    Output,
    OutputMapping,
    ResourceDefinition,
    RetryRequested,
    op,
)

from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion, pipelined_regions
from flinkpy_dagster.orchestration import op_tags
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name
from flinkpy_dagster.orchestration.programs import descriptions, metadata
from flinkpy_dagster.orchestration.programs.column_lineage import ColumnLineage
from flinkpy_dagster.orchestration.programs.source_assets import checkpoints_spec, source_keys, source_specs
from flinkpy_dagster.orchestration.quality.program_checks import ProgramChecks

STARTED = "started"


@dataclass(frozen=True)
class ProgramOps:
    """The ops, the graph and the assets of one program. ``resource_key`` gives the ops their JobRun."""

    graph: NamedGraph
    resource_key: str
    key_prefix: tuple[str, ...] = ()
    group_name: str | None = None
    description: str | None = None
    owners: tuple[str, ...] = ()
    partitions_def: Any = None
    backfill_policy: Any = None
    automation_condition: Any = None
    checks: ProgramChecks = field(default_factory=ProgramChecks)
    resource: ResourceDefinition | None = None
    """What gives it, as a part of the assets: a job's config has no resources but those of its own assets. None: the
    job that the graph becomes has it."""

    # -- assets ----------------------------------------------------------------------------------------

    def assets(self) -> AssetsDefinition:
        """One asset per data set and sink, with lineage; they can only be made together."""
        keys = self.asset_keys()
        with warnings.catch_warnings():  # Dagster calls resource_defs beta
            warnings.simplefilter("ignore", BetaWarning)
            return AssetsDefinition.from_graph(
                self.graph_definition(),
                keys_by_input_name={f"source_{node}": key for node, key in self._sources.items()},
                keys_by_output_name=keys,
                check_specs=self.checks.specs,
                internal_asset_deps={name: self._upstream_keys(name, keys) for name in keys},
                group_name=self.group_name or legal_name(self.graph.name),
                descriptions_by_output_name=self._descriptions(),
                metadata_by_output_name=self._metadata(),
                tags_by_output_name=self._kinds(),
                owners_by_output_name=dict.fromkeys(keys, list(self.owners)) if self.owners else None,
                partitions_def=self.partitions_def,
                backfill_policy=self.backfill_policy,
                automation_conditions_by_output_name=dict.fromkeys(keys, self.automation_condition)
                if self.automation_condition
                else None,
                resource_defs={self.resource_key: self.resource} if self.resource is not None else None,
                can_subset=False,
            )

    def source_specs(self) -> list[AssetSpec]:
        """External assets: what the program reads, and its checkpoints."""
        group = self.group_name or legal_name(self.graph.name)
        found = source_specs(self.graph, self.key_prefix, group, self.owners)
        if is_unbounded(self.graph.job_graph):
            found.append(checkpoints_spec(self.checkpoints_key(), group))
        return found

    def checkpoints_key(self) -> AssetKey:
        """Of an unbounded job."""
        return AssetKey([*self.key_prefix, legal_name(self.graph.name), "checkpoints"])

    def asset_keys(self) -> dict[str, AssetKey]:
        """By output name. A table sink may name its own."""
        prefix = [*self.key_prefix, legal_name(self.graph.name)]
        keys = {name: AssetKey([*prefix, name]) for name in self.graph.output_names.values()}
        for _, node in self.graph.sinks():
            own = getattr(node.operators[-1], "asset_key", None)
            if own:
                keys[self.graph.output_names[str(node.id)]] = AssetKey(list(own))
        return keys

    @cached_property
    def _sources(self) -> dict[int, AssetKey]:
        return source_keys(self.graph, self.key_prefix)

    @cached_property
    def _regions(self) -> dict[str, PipelinedRegion]:
        regions = pipelined_regions(self.graph.job_graph)
        return {vertex: each for each in regions for vertex in each.vertex_ids}

    def _upstream_keys(self, output_name: str, keys: Mapping[str, AssetKey]) -> set[AssetKey]:
        producer = next(
            v.id for v in self.graph.job_graph.vertices if output_name in self.graph.outputs_of(v.id)
        )
        read = {edge.data_set for edge in self.graph.job_graph.edges_into(producer)}
        sources = self._sources
        own = {sources[node.id] for node in self.graph.job_graph.vertex(producer).nodes if node.id in sources}
        return own | {keys[self.graph.output_names[data_set]] for data_set in read}

    def _metadata(self) -> dict[str, metadata.Metadata]:
        job_graph, names = self.graph.job_graph, self.graph.output_names
        of_data_sets = {names[each.id]: metadata.of_data_set(job_graph, each) for each in job_graph.data_sets}
        of_sinks = {names[str(node.id)]: metadata.of_sink(v, node) for v, node in self.graph.sinks()}
        dead_ends = {names[v.id]: metadata.of_dead_end(v) for v in self.graph.dead_ends()}
        every = of_data_sets | of_sinks | dead_ends
        return {name: about | self._column_lineage.get(name, {}) for name, about in every.items()}

    def _descriptions(self) -> dict[str, str]:
        graph, names = self.graph, self.graph.output_names
        of_data_sets = {
            names[each.id]: descriptions.of_data_set(graph, each) for each in graph.job_graph.data_sets
        }
        of_sinks = {
            names[str(node.id)]: descriptions.of_sink(graph, vertex, node) for vertex, node in graph.sinks()
        }
        dead_ends = {names[each.id]: descriptions.of_dead_end(graph, each) for each in graph.dead_ends()}
        return of_data_sets | of_sinks | dead_ends

    @cached_property
    def _column_lineage(self) -> dict[str, metadata.Metadata]:
        """By output name; a part of what an asset is, and of what every run says, which is where Dagster looks."""
        job_graph, names = self.graph.job_graph, self.graph.output_names
        keys = self.asset_keys()
        by_id = {data_set.id: keys[names[data_set.id]] for data_set in job_graph.data_sets}
        columns = ColumnLineage(self.graph, by_id, self._sources)
        of_data_sets = {names[each.id]: columns.of_data_set(each) for each in job_graph.data_sets}
        return of_data_sets | {names[str(node.id)]: columns.of_sink(node) for _, node in self.graph.sinks()}

    def _kinds(self) -> dict[str, Mapping[str, str]]:
        names = self.graph.output_names
        kinds = {names[each.id]: metadata.kinds_of_data_set(each) for each in self.graph.job_graph.data_sets}
        kinds |= {names[str(node.id)]: metadata.kinds_of_sink(node) for _, node in self.graph.sinks()}
        return {name: metadata.kind_tags(each) for name, each in kinds.items()}

    # -- graph -----------------------------------------------------------------------------------------

    def graph_definition(self) -> GraphDefinition:
        """Ops connected by ``started``; graph inputs for the sources that are assets."""
        names = self.graph.op_names
        invocations = {
            name: NodeInvocation(self._definition_name(name), alias=name) for name in names.values()
        }
        dependencies: dict[Any, dict[str, DependencyDefinition]] = {each: {} for each in invocations.values()}
        for edge in self.graph.job_graph.edges:
            source = names[edge.source]
            dependencies[invocations[names[edge.target]]][f"from_{source}"] = DependencyDefinition(
                source, STARTED
            )
        outputs = [
            OutputMapping(
                graph_output_name=output, mapped_node_name=names[vertex_id], mapped_node_output_name=output
            )
            for vertex_id in names
            for output in (*self.graph.outputs_of(vertex_id), *self._check_outputs(vertex_id))
        ]
        inputs = [
            InputMapping(
                graph_input_name=f"source_{node.id}",
                mapped_node_name=names[vertex.id],
                mapped_node_input_name=f"source_{node.id}",
            )
            for vertex in self.graph.job_graph.vertices
            for node in vertex.nodes
            if node.id in self._sources
        ]
        return GraphDefinition(
            name=legal_name(self.graph.name),
            description=self.description,
            node_defs=[self._op(vertex) for vertex in self.graph.job_graph.vertices],
            dependencies=dependencies,
            input_mappings=inputs,
            output_mappings=outputs,
        )

    def _op(self, vertex: JobVertex) -> OpDefinition:
        name = self.graph.op_names[vertex.id]
        upstream = {self.graph.op_names[edge.source] for edge in self.graph.job_graph.edges_into(vertex.id)}
        sources = self._sources
        ins = {f"from_{each}": In(Nothing) for each in sorted(upstream)}
        ins |= {f"source_{node.id}": In(Nothing) for node in vertex.nodes if node.id in sources}
        is_read = bool(
            self.graph.job_graph.edges_out_of(vertex.id)
        )  # Dagster refuses outputs that nobody wants
        outs = {STARTED: Out(Nothing, description="It runs.")} if is_read else {}
        outputs = (*self.graph.outputs_of(vertex.id), *self._check_outputs(vertex.id))
        outs |= {output: Out(Nothing, is_required=False) for output in outputs}

        @op(
            name=self._definition_name(name),
            description=" -> ".join(node.name for node in vertex.nodes),
            ins=ins,
            out=outs,
            tags=self._tags(vertex),
            required_resource_keys={self.resource_key},
        )
        def run_vertex(context: OpExecutionContext) -> Iterator[Any]:
            from flinkpy_dagster.orchestration.programs.vertex_steps import take_part

            job_run = getattr(context.resources, self.resource_key)
            try:
                if is_read:
                    yield Output(None, STARTED)
                yield from take_part(context, job_run, name, self.checkpoints_key(), self._column_lineage)
            except RetryRequested:
                raise
            except BaseException as error:  # also GeneratorExit: Dagster gave the op up
                job_run.fail(error)
                raise

        return run_vertex

    def _check_outputs(self, vertex_id: str) -> list[str]:
        return [spec.get_python_identifier() for spec in self.checks.specs_of(self.graph, vertex_id)]

    def _definition_name(self, op_name: str) -> str:
        """Ops of one name in two programs of a code location would be refused, so each has its program's name, too."""
        return f"{legal_name(self.graph.name)}__{op_name}"

    def _tags(self, vertex: JobVertex) -> dict[str, str]:
        region = self._regions[vertex.id]
        return {
            **op_tags.of_vertex(self.graph.name, self.graph.job_graph, vertex, region),
            **metadata.kind_tags({"flink"}),
        }
