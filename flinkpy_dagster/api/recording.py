"""What an environment has been told so far: its transformations and its configuration."""

import os
from collections.abc import Sequence
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import cloudpickle

from flinkpy_dagster.config import HIGHEST_MAX_PARALLELISM, Configuration
from flinkpy_dagster.config.slots import local_cores
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.chaining import job_graph_of
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.settings import GraphSettings
from flinkpy_dagster.graph.stream_graph import ChainingStrategy, StreamGraph
from flinkpy_dagster.graph.transformations import (
    OperatorKind,
    OperatorTransformation,
    Transformation,
    TransformationIds,
)
from flinkpy_dagster.graph.translating import stream_graph_of
from flinkpy_dagster.types import TypeInformation, Types

PARALLELISM = "parallelism.default"
MAX_PARALLELISM = "pipeline.max-parallelism"


class Recording:
    """The state shared by an environment and all its streams.

    ``transformations`` are those that do something (Flink does not count sources, unions and partitionings).
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self.configuration = Configuration(configuration)
        self.ids = TransformationIds()
        self.transformations: list[Transformation] = []
        self._lock = RLock()  # programs may record in several threads; it also keeps streams out of functions
        self._default_local_parallelism: int | None = None

    @property
    def default_local_parallelism(self) -> int:
        """Parallelism where nothing sets one: N on ``local[N]``, else the processors of this machine."""
        return self._default_local_parallelism or local_cores(self.configuration) or os.cpu_count() or 1

    @default_local_parallelism.setter
    def default_local_parallelism(self, parallelism: int) -> None:
        self._default_local_parallelism = parallelism

    @property
    def parallelism(self) -> int:
        """Parallelism of operators that set none."""
        return self.configuration.get_integer(PARALLELISM, self.default_local_parallelism)

    @property
    def max_parallelism(self) -> int:
        """-1: not set."""
        return self.configuration.get_integer(MAX_PARALLELISM, -1)

    def add(self, transformation: Transformation) -> None:
        """Makes the transformation part of the job."""
        with self._lock:
            self.transformations.append(transformation)

    def operator(
        self,
        name: str,
        inputs: Sequence[Transformation],
        spec: object,
        kind: OperatorKind,
        output_type: TypeInformation,
        parallelism: int | None = None,
    ) -> OperatorTransformation:
        """A new operator of the job, with the environment's parallelism unless told otherwise."""
        transformation = OperatorTransformation(
            id=self.ids.next(),
            name=name,
            output_type=output_type,
            parallelism=self.parallelism if parallelism is None else parallelism,
            inputs=list(inputs),
            operators=(as_it_is_now(spec),),
            kind=kind,
            chaining=ChainingStrategy.ALWAYS,
        )
        self.add(transformation)
        return transformation

    def stream_graph(self, job_name: str | None = None, extra: Sequence[Transformation] = ()) -> StreamGraph:
        """The StreamGraph of everything recorded, and of ``extra`` transformations after that."""
        settings = GraphSettings(
            parallelism=self.parallelism,
            max_parallelism=self.max_parallelism,
            job_name=job_name,
            configuration=Configuration(self.configuration),
        )
        return stream_graph_of([*self.transformations, *extra], settings, self.ids)

    def job_graph(self, job_name: str | None = None, extra: Sequence[Transformation] = ()) -> JobGraph:
        """The JobGraph of everything recorded, and of ``extra`` transformations after that."""
        return job_graph_of(self.stream_graph(job_name, extra))

    def clear(self) -> None:
        """Forgets the transformations: they have become a job."""
        with self._lock:
            self.transformations.clear()


def as_it_is_now(payload: object) -> object:
    """A copy that later changes do not reach: PyFlink pickles a function when it is given, not when the job starts.

    What cannot be pickled stays what it is; ``execute()`` says so, and then knows the operator's name.
    """
    try:
        copy: object = cloudpickle.loads(cloudpickle.dumps(payload))
    except Exception:
        return payload
    _copies[id(copy)] = copy
    return copy


def is_such_a_copy(payload: object) -> bool:
    """Has ``as_it_is_now`` made it? Then it can be pickled."""
    return _copies.get(id(payload)) is payload


_copies: WeakValueDictionary[int, object] = WeakValueDictionary()


def declared_type(output_type: TypeInformation | list[TypeInformation] | None) -> TypeInformation:
    """The type meant by an ``output_type`` argument: None is pickled, a list of types a row of them."""
    if output_type is None:
        return Types.PICKLED_BYTE_ARRAY()
    if isinstance(output_type, list):
        return Types.ROW(output_type)
    if not isinstance(output_type, TypeInformation):
        raise TypeError(
            f"output_type must be None, list or TypeInformation, not {output_type!r}: it has no attribute "
            "'get_java_type_info'."
        )
    return output_type


def checked_parallelism(parallelism: int, what: str = "an operator") -> int:
    """``parallelism`` if it is one. Raises InvalidProgram."""
    if not _is_int(parallelism) or (parallelism < 1 and parallelism != -1):
        raise InvalidProgram(
            f"The parallelism of {what} must be at least 1, or ExecutionConfig.PARALLELISM_DEFAULT (use system "
            f"default). It was {parallelism!r}."
        )
    return parallelism


def checked_max_parallelism(max_parallelism: int) -> int:
    """The ``max_parallelism`` of an operator if it is one. Raises InvalidProgram."""
    if not _is_int(max_parallelism) or max_parallelism < 1:
        raise InvalidProgram(f"The maximum parallelism must be greater than 0. Found: {max_parallelism!r}")
    if max_parallelism > HIGHEST_MAX_PARALLELISM:
        raise InvalidProgram(
            f"Maximum parallelism must be between 1 and {HIGHEST_MAX_PARALLELISM}. Found: {max_parallelism}"
        )
    return max_parallelism


def checked_job_max_parallelism(max_parallelism: int) -> int:
    """The ``max_parallelism`` of an environment if it is one. Raises InvalidProgram."""
    if not _is_int(max_parallelism) or not 0 < max_parallelism <= HIGHEST_MAX_PARALLELISM:
        raise InvalidProgram(
            f"maxParallelism is out of bounds 0 < maxParallelism <= {HIGHEST_MAX_PARALLELISM}. "
            f"Found: {max_parallelism!r}"
        )
    return max_parallelism


def checked_text(value: Any, what: str) -> str:
    """``value`` if it is a text. Raises InvalidProgram."""
    if not isinstance(value, str):
        raise InvalidProgram(f"{what} must be a str, not {value!r}.")
    return value


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
