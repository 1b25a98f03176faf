"""Submitted jobs and results on disk."""

import os
import subprocess
import sys

import pytest

from flinkpy_dagster.orchestration.dispatcher.job_store import JobStore, StoredJob, program_folder, read_job
from flinkpy_dagster.orchestration.job.job_results import JobResult, JobResultStore
from flinkpy_dagster.orchestration.job.processes import is_gone, this_process

JOB = "a" * 32


def job(job_id=JOB, **changes):
    values = {
        "job_id": job_id,
        "name": "words",
        "dagster_name": "words",
        "program": "/somewhere/words.py",
        "module": None,
        "function": None,
        "source": "words.py",
        "args": ("--in", "x"),
        "files": ("files/0",),
        "folder": "/somewhere",
        "configuration": {"parallelism.default": "2"},
        "plan": {"nodes": []},
        "submitted_ms": 1,
    }
    return StoredJob(**values | changes)


def test_job_when_put_then_it_is_there_with_its_program_and_files(tmp_path):
    (tmp_path / "words.py").write_text("print(1)")
    (tmp_path / "files" / "0").mkdir(parents=True)
    (tmp_path / "files" / "0" / "lib.py").write_text("")
    store = JobStore(str(tmp_path / "home"))
    copies = [(str(tmp_path / "words.py"), "words.py"), (str(tmp_path / "words.py"), "beside/it.py")]
    folder = store.put(job(), copies, files=str(tmp_path / "files"))
    assert (store.ids(), store.get(JOB), read_job(folder)) == ([JOB], job(), job())
    assert sorted(os.listdir(folder)) == ["definitions.py", "files", "job.json", "program"]
    assert sorted(os.listdir(program_folder(folder))) == ["beside", "words.py"]


def test_job_when_put_again_then_replaced_and_when_forgotten_then_gone(tmp_path):
    store = JobStore(str(tmp_path))
    store.put(job())
    store.put(job(name="other"))
    assert store.get(JOB).name == "other"
    store.forget(JOB)
    assert (store.ids(), store.get(JOB)) == ([], None)


@pytest.mark.parametrize("renames", [1, 2])
def test_job_when_the_process_dies_while_it_is_replaced_then_the_next_one_finds_one_of_both(
    tmp_path, monkeypatch, renames
):
    store = JobStore(str(tmp_path))
    store.put(job())
    really, done = os.rename, []

    def rename(source, target):
        really(source, target)
        done.append(target)
        if len(done) == renames:
            raise KeyboardInterrupt  # the last thing that this process does

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            store.put(job(name="other"))
    after = JobStore(str(tmp_path))
    with after.locked():
        assert (after.ids(), after.get(JOB).name) == ([JOB], ["words", "other"][renames - 1])
    after.put(job(name="third"))
    after.forget(JOB)
    with after.locked():
        assert sorted(os.listdir(tmp_path / "flinkpy" / "jobs")) == ["lock"]


@pytest.mark.parametrize("text", ["../../etc", "", "A" * 32, "x" * 32])
def test_job_when_its_id_is_none_then_no_path_is_made_of_it(tmp_path, text):
    assert JobStore(str(tmp_path)).get(text) is None


def test_job_when_the_process_ends_while_it_is_stored_then_it_is_not_there(tmp_path):
    store = JobStore(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        store.put(job(), [(str(tmp_path / "missing.py"), "missing.py")])
    assert store.ids() == []


def result(**changes):
    values = {
        "job_id": JOB,
        "run_id": "r",
        "name": "words",
        "status": "FINISHED",
        "start_ms": 10,
        "end_ms": 25,
        "accumulators": {"count": 3},
        "printed": {"Sink: Print to Std. Out": ["a", "b"]},
    }
    return JobResult(**values | changes)


def test_result_when_put_then_it_is_kept_until_forgotten(tmp_path):
    store = JobResultStore(str(tmp_path))
    assert store.get(JOB) is None
    store.put(result())
    store.put(result(status="FAILED", error="no"))
    assert store.get(JOB) == result(status="FAILED", error="no")
    assert store.get(JOB).net_runtime_ms == 15
    store.forget(JOB)
    assert store.get(JOB) is None


def test_result_when_a_value_is_no_json_then_its_text_is_kept(tmp_path):
    store = JobResultStore(str(tmp_path))
    store.put(result(accumulators={"of": {1, 2}}))
    assert store.get(JOB).accumulators == {"of": "{1, 2}"}


def test_process_when_it_lives_then_not_gone_and_when_it_ended_then_gone():
    assert not is_gone(this_process())
    code = "from flinkpy_dagster.orchestration.job.processes import this_process; print(this_process())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert is_gone(done.stdout.strip())
    host, pid, started = this_process().rsplit(" ", 2)
    assert not is_gone(f"elsewhere {pid} {started}")
    if started != "?":
        assert is_gone(f"{host} {pid} 1")  # its number belongs to another process now
