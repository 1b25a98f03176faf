"""What a run of a job leaves behind, so that another one need not compute it again: one record per finished region.

A record lies beside the stored data sets. It is written when everything of the region is in its place, so a region
with a record is complete, whenever the process was killed.
"""

import pickle
from contextlib import suppress
from dataclasses import dataclass

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.data_sets import DataSetStore, is_whole
from flinkpy_dagster.dataplane.regions.results import RegionResult
from flinkpy_dagster.dataplane.spark.engines import engine_of

_FORMAT = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultRecord:
    """``fingerprint`` says what was computed (``graph.fingerprint``), ``run_id`` by which run."""

    fingerprint: str
    run_id: str
    result: RegionResult


class ResultRecords:
    """The records of the run whose data sets lie in the folder of ``store``."""

    def __init__(self, spark: SparkSession, store: DataSetStore, run_id: str) -> None:
        self._files = engine_of(spark).files()
        self._store = store
        self._run_id = run_id

    def write(self, region_id: int, fingerprint: str, result: RegionResult) -> None:
        """The region is complete. Data sets of an earlier run stay where they are.

        A record that cannot be written is no reason to fail: a later run computes the region again.
        """
        record = ResultRecord(fingerprint=fingerprint, run_id=self._run_id, result=result)
        path = self._path(self._store.folder, region_id)
        with suppress(OSError, Py4JError):
            self._files.write_bytes(f"{path}-new", pickle.dumps((_FORMAT, record), 5))
            self._files.replace(f"{path}-new", path)

    def read(self, folder: str, region_id: int) -> ResultRecord | None:
        """The record that a run has left in its folder; None if the region was not complete, or another version wrote
        it.
        """
        path = self._path(folder, region_id)
        if not self._files.exists(path):
            return None
        try:
            version, record = pickle.loads(self._files.read_bytes(path))
        except Exception:  # whatever an unknown text does to pickle: there is no usable record
            return None
        return record if version == _FORMAT else None

    def is_whole(self, result: RegionResult) -> bool:
        """Is everything still there that the region made?"""
        stored = [*result.data_sets.values(), *result.tables.values()]
        return all(is_whole(self._files, each) for each in stored) and all(
            self._files.exists(file.final) for files in result.files.values() for file in files
        )

    def adopt(self, result: RegionResult) -> None:
        """Regions of this run read its data sets."""
        for data_set_id, stored in result.data_sets.items():
            self._store.add(data_set_id, stored)

    def delete(self) -> None:
        """All records of this run; the data sets stay."""
        self._files.delete(f"{self._store.folder}/_regions")

    def _path(self, folder: str, region_id: int) -> str:
        return f"{folder.rstrip('/')}/_regions/{region_id}.record"
