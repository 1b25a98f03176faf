"""Tables with a folder for every value of a field: ``ParquetSink(partition_by=...)``.

A run for some partitions replaces these and leaves all others alone, so runs for different partitions may write one
table, one after the other or at the same time.
"""

from urllib.parse import unquote

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark.file_system import FileSystem
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.operators.specs import TableSink


def put_partitions(
    spark: SparkSession, files: FileSystem, written: str, path: str, spec: TableSink, sink_name: str
) -> None:
    """Moves the rows at ``written`` into the folders of the table at ``path``.

    Raises InvalidProgram, and changes nothing, for rows of partitions that the run is not for.
    """
    field = spec.partition_by
    assert field is not None
    sorted_out = f"{written}-by-partition"
    spark.read.parquet(written).write.mode("overwrite").partitionBy(field).parquet(sorted_out)
    made = {value_of(name): name for name in files.names(sorted_out) if name.startswith(f"{field}=")}
    _require_own(made, spec, sink_name)
    if spec.mode == "overwrite" and not spec.partitions:
        files.replace(sorted_out, path)
    else:
        for name in sorted(made.values()):
            _put(files, f"{sorted_out}/{name}", f"{path}/{name}", appends=spec.mode == "append")
        if spec.mode == "overwrite":
            _delete_empty(files, path, spec, set(made))
        files.delete(sorted_out)
    files.delete(written)


def value_of(folder: str) -> str:
    """The value that ``field=value`` stands for, as text; Spark escapes what no path may have."""
    return unquote(folder.partition("=")[2])


def _require_own(made: dict[str, str], spec: TableSink, sink_name: str) -> None:
    strangers = sorted(set(made) - set(spec.partitions)) if spec.partitions else []
    if strangers:
        raise InvalidProgram(
            f"Sink '{sink_name}' has rows with {spec.partition_by} = {strangers[0]}, but the run is for "
            f"{', '.join(spec.partitions)}: let the program read and write the partitions of env.get_partition() only."
        )


def _put(files: FileSystem, source: str, target: str, *, appends: bool) -> None:
    if appends and files.exists(target):
        files.move_files(source, target)
    else:
        files.replace(source, target)


def _delete_empty(files: FileSystem, path: str, spec: TableSink, filled: set[str]) -> None:
    """Partitions of the run that have no rows any more."""
    names = files.names(path) if files.exists(path) else []
    for name in names:
        is_of_run = name.startswith(f"{spec.partition_by}=") and value_of(name) in spec.partitions
        if is_of_run and value_of(name) not in filled:
            files.delete(f"{path}/{name}")
