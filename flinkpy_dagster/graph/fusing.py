"""PyFlink's pass over the transformations: align its helper operators, then fuse neighbouring Python operators.

Fused operators run in one Python process without encoding values in between.
Source of the rules: PyFlink's ``PythonConfigUtil.alignTransformation`` and ``PythonOperatorChainingOptimizer``.
"""

from collections import deque
from collections.abc import Iterable

from flinkpy_dagster.graph.stream_graph import ChainingStrategy, ShipStrategy
from flinkpy_dagster.graph.transformations import (
    KEY_BY_OPERATOR,
    KEYED_VALUES_OPERATOR,
    PARTITION_CUSTOM_OPERATOR,
    OperatorKind,
    OperatorTransformation,
    PartitionTransformation,
    Transformation,
    TransformationIds,
    reachable,
)

FUSIBLE_HEADS = frozenset(
    {
        OperatorKind.PROCESS,
        OperatorKind.KEYED_PROCESS,
        OperatorKind.CO_PROCESS,
        OperatorKind.KEYED_CO_PROCESS,
    }
)


def align_helpers(transformations: Iterable[Transformation], ids: TransformationIds) -> None:
    """Gives PyFlink's helper operators the parallelism and slot sharing group of the neighbour they serve.

    A key-by or partition-custom step goes with what it reads, a values step with what reads it.
    """
    for transformation in transformations:
        if not transformation.inputs:
            continue
        source = transformation.inputs[0]
        if source.name == KEYED_VALUES_OPERATOR:
            _align(source, transformation)
            _connect_forward(source, transformation, ids)
        if transformation.name in (KEY_BY_OPERATOR, PARTITION_CUSTOM_OPERATOR):
            _align(transformation, source)
            _connect_forward(source, transformation, ids)


def _align(helper: Transformation, neighbour: Transformation) -> None:
    helper.slot_sharing_group = neighbour.slot_sharing_group or helper.slot_sharing_group
    helper.parallelism = neighbour.parallelism
    helper.is_parallelism_configured = (
        False  # PyFlink does not copy that: a helper alone shows -1 in BATCH plans
    )


def _connect_forward(source: Transformation, target: Transformation, ids: TransformationIds) -> None:
    forward = partition(source, ShipStrategy.FORWARD, ids)
    target.inputs[0] = forward


def partition(
    source: Transformation, ship_strategy: ShipStrategy, ids: TransformationIds
) -> PartitionTransformation:
    """``source``, to be read with this ship strategy."""
    return PartitionTransformation(
        id=ids.next(),
        name="Partition",
        output_type=source.output_type,
        parallelism=source.parallelism,
        is_parallelism_configured=source.is_parallelism_configured,
        inputs=[source],
        ship_strategy=ship_strategy,
    )


def fuse(transformations: Iterable[Transformation], ids: TransformationIds) -> list[Transformation]:
    """The transformations with Python operators fused wherever PyFlink does it, in PyFlink's order."""
    originals = list(transformations)
    readers = _readers(originals)
    result: dict[Transformation, None] = {}
    done: set[Transformation] = set()
    queue = deque(originals)
    while queue:
        transformation = queue.popleft()
        if transformation in done:
            continue
        done.add(transformation)
        fused, replaced = _fuse_with_input(transformation, readers, ids)
        result[fused] = None
        for old in replaced:
            result.pop(old, None)
            done.add(old)
        queue.append(fused)
        queue.extend(fused.inputs)
    return list(result)


def _readers(transformations: Iterable[Transformation]) -> dict[Transformation, list[Transformation]]:
    """Who reads a transformation, each reader once."""
    readers: dict[Transformation, list[Transformation]] = {}
    for transformation in reachable(transformations):
        for source in dict.fromkeys(transformation.inputs):
            readers.setdefault(source, []).append(transformation)
    return readers


def _fuse_with_input(
    transformation: Transformation,
    readers: dict[Transformation, list[Transformation]],
    ids: TransformationIds,
) -> tuple[Transformation, tuple[Transformation, ...]]:
    """What stands for ``transformation`` from now on, and what it replaces."""
    upstream = _python_input(transformation)
    if upstream is None or not isinstance(transformation, OperatorTransformation):
        return transformation, ()
    if not _is_fusible(upstream, transformation) or len(readers[upstream]) != 1:
        return transformation, ()
    fused = _fused(upstream, transformation, ids)
    for reader in readers.get(transformation, ()):
        reader.replace_input(transformation, fused)
    if transformation in readers:
        readers[fused] = readers[transformation]
    return fused, (upstream, transformation)


def _python_input(transformation: Transformation) -> OperatorTransformation | None:
    """The Python operator that a one-input Python operator reads, directly or by FORWARD."""
    if not isinstance(transformation, OperatorTransformation) or not transformation.kind.is_python:
        return None
    if len(transformation.inputs) != 1:
        return None
    source = transformation.inputs[0]
    while isinstance(source, PartitionTransformation) and source.ship_strategy is ShipStrategy.FORWARD:
        source = source.inputs[0]
    return source if isinstance(source, OperatorTransformation) and source.kind.is_python else None


def _is_fusible(upstream: OperatorTransformation, downstream: OperatorTransformation) -> bool:
    return (
        upstream.parallelism == downstream.parallelism
        and upstream.max_parallelism == downstream.max_parallelism
        and upstream.slot_sharing_group == downstream.slot_sharing_group
        and upstream.chaining is not ChainingStrategy.NEVER
        and downstream.chaining is ChainingStrategy.ALWAYS
        and upstream.kind in FUSIBLE_HEADS
        and downstream.kind is OperatorKind.PROCESS
    )


def _fused(
    upstream: OperatorTransformation, downstream: OperatorTransformation, ids: TransformationIds
) -> OperatorTransformation:
    descriptions = [text for text in (upstream.description, downstream.description) if text is not None]
    return OperatorTransformation(
        id=ids.next(),
        name=f"{upstream.name}, {downstream.name}",
        output_type=downstream.output_type,
        parallelism=upstream.parallelism,
        is_parallelism_configured=False,  # PyFlink forgets it: BATCH plans show -1
        max_parallelism=upstream.max_parallelism,
        slot_sharing_group=upstream.slot_sharing_group,
        uid=upstream.uid,
        uid_hash=upstream.uid_hash,
        description=", ".join(descriptions) if descriptions else None,
        buffer_timeout_ms=min(upstream.buffer_timeout_ms, downstream.buffer_timeout_ms),
        inputs=list(upstream.inputs),
        operators=upstream.operators + downstream.operators,
        chaining=upstream.chaining,
        kind=upstream.kind,
        places=upstream.places + downstream.places,
    )
