"""Op tags that say how a step uses slots."""

from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.graph.slot_sharing import resources_of

SLOTS = "flinkpy/slots"
"""How many slots the op takes; for a FlinkPy op the parallelism of its vertex."""

SLOT_SHARING_GROUP = "flinkpy/slot_sharing_group"
"""Ops of one group share slots. An op without it has slots of its own."""

REGION = "flinkpy/region"
"""Set on ops of FlinkPy jobs only: ops of one region start together."""

VERTEX = "flinkpy/vertex"
"""Set on ops of FlinkPy jobs only: ``vertex_tag`` of the vertex that the op is."""

RESOURCE_PROFILE = "flinkpy/resource_profile"
"""What each of the op's slots must have: ``cpu=2``, ``memory=4g``, or both with a comma."""

CO_LOCATION_GROUP = "flinkpy/co_location_group"
"""Ops of one such group, which have one slot sharing group, take the very same slots."""

KNOWN = frozenset({SLOTS, SLOT_SHARING_GROUP, REGION, VERTEX, RESOURCE_PROFILE, CO_LOCATION_GROUP})


def vertex_tag(job_name: str, vertex_id: str) -> str:
    """Names a vertex among all that one run may have."""
    return f"{job_name} {vertex_id}"


def of_vertex(
    job_name: str, job_graph: JobGraph, vertex: JobVertex, region: PipelinedRegion
) -> dict[str, str]:
    """The tags of the op that a vertex is."""
    group = vertex.slot_sharing_group
    cores, memory = resources_of(group.name, job_graph.configuration)
    profile = [f"cpu={cores:g}"] if cores is not None else []
    profile += [f"memory={memory}b"] if memory is not None else []
    return {
        VERTEX: vertex_tag(job_name, vertex.id),
        REGION: f"{job_name} region {region.id}",
        SLOTS: str(vertex.execution_parallelism),
        SLOT_SHARING_GROUP: f"{group.name} {group.index}",
        **({RESOURCE_PROFILE: ",".join(profile)} if profile else {}),
    }
