"""The version of a program in its checkpoints, without Spark."""

import runpy
from pathlib import Path

from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.orchestration.programs.checkpoint_assets import checkpoint_metadata
from flinkpy_dagster.orchestration.streaming.program_version import program_version
from flinkpy_dagster.state.metadata import EpochMetadata

PROGRAM = """
from flinkpy_dagster.api import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2]).map(lambda number: number + 1).print()
job_graph = env.job_graph("job")
"""


def job_of(program: Path, content: str) -> JobGraph:
    program.parent.mkdir(exist_ok=True)
    program.write_text(content)
    return runpy.run_path(str(program))["job_graph"]


def test_version_when_the_program_is_copied_stays_and_when_it_is_edited_changes(tmp_path: Path) -> None:
    version = program_version(job_of(tmp_path / "job.py", PROGRAM))
    assert len(version) == 12
    assert program_version(job_of(tmp_path / "copies" / "of_it.py", PROGRAM)) == version
    assert program_version(job_of(tmp_path / "job.py", PROGRAM.replace("+ 1", "+ 2"))) != version


def test_version_when_the_file_is_gone_is_empty(tmp_path: Path) -> None:
    job_graph = job_of(tmp_path / "job.py", PROGRAM)
    (tmp_path / "job.py").unlink()
    assert program_version(job_graph) == ""


def test_checkpoints_tell_the_version_where_it_is_known() -> None:
    known = EpochMetadata(job_name="job", job_id="0" * 32, epoch=1, program_version="abc")
    assert checkpoint_metadata(known, "/chk-1")["program_version"] == "abc"
    unknown = EpochMetadata(job_name="job", job_id="0" * 32, epoch=1)
    assert "program_version" not in checkpoint_metadata(unknown, "/chk-1")
