"""Starting Spark's JVM faster: an archive of the classes it loads (Java's application class-data sharing).

``python -m flinkpy_dagster.dataplane.class_archive`` makes the archive, once per installation of Java and Spark; it
takes a third off the time a session and its first jobs need. Without one everything works the same.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

_JOBS = """
import sys
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.session import spark_session

def same(batches):
    yield from batches

options, folder = sys.argv[1:]
spark = spark_session(Configuration.from_dict({
    "spark.master": "local[2]", "spark.driver.extraJavaOptions": options, "spark.sql.adaptive.enabled": "false",
    "spark.sql.warehouse.dir": folder + "/warehouse",
}))
numbers = spark.range(0, 100, 1, 2).selectExpr("cast(id % 2 as int) as channel", "id", "cast(id as string) as text")
moved = numbers.mapInArrow(same, numbers.schema).persist().repartitionById(2, "channel")
for _ in range(3):
    moved.mapInArrow(same, numbers.schema).write.mode("overwrite").parquet(folder + "/data")
    spark.read.parquet(folder + "/data").unionAll(numbers).where("id > 3").toArrow()
process = spark.sparkContext._gateway.proc
spark.stop()
process.stdin.close()
process.wait(300)
"""


def archive_options(java: str) -> str:
    """Options of the JVM that use the archive, "" if there is none for this Java and Spark."""
    path = archive_path(java)
    return f"-XX:SharedArchiveFile={path} -Xlog:disable -Xlog:all=off" if path.exists() else ""


def archive_path(java: str) -> Path:
    """Where the archive for this Java and Spark lies: another installation has another one."""
    parts = [_identity(Path(java)), _identity(Path(pyspark.__file__).parent / "jars"), pyspark.__version__]
    name = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "flinkpy-dagster" / f"spark-{pyspark.__version__}-{name}.jsa"


def _identity(path: Path) -> str:
    real = path.resolve()
    return f"{real} {real.stat().st_mtime_ns}"


def make_archive(java: str) -> Path:
    """Runs a few small jobs and keeps the classes they have loaded. Takes about half a minute."""
    target = archive_path(java)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        unfinished = f"{folder}/classes.jsa"
        options = f"-XX:ArchiveClassesAtExit={unfinished} -Xlog:disable -Xlog:all=off"
        subprocess.run([sys.executable, "-c", _JOBS, options, folder], check=True, stdout=subprocess.DEVNULL)
        os.replace(unfinished, target)
    return target


def main() -> int:
    """Makes the archive unless it is there."""
    from flinkpy_dagster.dataplane.session import java_command

    java = java_command()
    if java is None:
        print("There is no Java: nothing to archive.", file=sys.stderr)
        return 1
    if not archive_path(java).exists():
        make_archive(java)
    return 0


if __name__ == "__main__":
    sys.exit(main())
