"""Actions with ``-m``: what is asked of a gateway, and what is printed, in the words of Flink's CliFrontend."""

import json
import os

import pytest

from flinkpy_dagster.cli import remote
from flinkpy_dagster.cli.main import main
from tests.cli.flink_lines import is_flinks, jar_of, recorded, texts_of
from tests.cli.rest_stub import RestStub, serving

JOB = "0123456789abcdef0123456789abcdef"
DONE = {"status": {"id": "COMPLETED"}, "operation": {"location": "file:/sp/savepoint-012345-1"}}
IN_PROGRESS = {"status": {"id": "IN_PROGRESS"}}
FAILED = {
    "status": {"id": "COMPLETED"},
    "operation": {
        "failure-cause": {"class": "X", "stack-trace": "org.X: no folder\n\tat y", "serialized-throwable": ""}
    },
}


@pytest.fixture
def stub(monkeypatch):
    monkeypatch.setattr(remote, "_LOOK_SECONDS", 0.001)
    monkeypatch.delenv(remote.TOKEN, raising=False)
    with serving(RestStub()) as made:
        yield made


def job(state, name="words", start_ms=0, job_id=JOB):
    return {
        "jid": job_id,
        "name": name,
        "state": state,
        "start-time": start_ms,
        "end-time": -1,
        "duration": 5,
        "last-modification": 7,
        "tasks": {"total": 1},
    }


def test_texts_are_those_of_this_flink():
    venv = os.environ.get("FLINK_VENV")
    if not venv:
        pytest.skip("FLINK_VENV names no venv with apache-flink: there is nothing to compare with")
    assert recorded() == texts_of(jar_of(venv))


@pytest.mark.parametrize(
    ("argv", "requests", "last_line"),
    [
        (["list", "-a"], [("GET /jobs/overview", None)], "-" * 62),
        (["cancel", JOB], [(f"PATCH /jobs/{JOB}?mode=cancel", None)], f"Cancelled job {JOB}."),
        (
            ["cancel", "-s", "/sp", JOB],
            [
                (
                    f"POST /jobs/{JOB}/savepoints",
                    {"target-directory": "/sp", "cancel-job": True, "formatType": "CANONICAL"},
                ),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
            ],
            f"Cancelled job {JOB}. Savepoint stored in file:/sp/savepoint-012345-1.",
        ),
        (
            ["stop", "-d", "-p", "/sp", JOB],
            [
                (
                    f"POST /jobs/{JOB}/stop",
                    {"targetDirectory": "/sp", "drain": True, "formatType": "CANONICAL"},
                ),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
            ],
            "Savepoint completed. Path: file:/sp/savepoint-012345-1",
        ),
        (
            ["stop", "-p", JOB],  # the option takes a folder only if there is a job id besides
            [
                (
                    f"POST /jobs/{JOB}/stop",
                    {"targetDirectory": None, "drain": False, "formatType": "CANONICAL"},
                ),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
            ],
            "Savepoint completed. Path: file:/sp/savepoint-012345-1",
        ),
        (
            ["stop", "-detached", JOB],
            [
                (
                    f"POST /jobs/{JOB}/stop",
                    {"targetDirectory": None, "drain": False, "formatType": "CANONICAL"},
                )
            ],
            "Successfully trigger stop-with-savepoint in detached mode, triggerId: r1",
        ),
        (
            ["savepoint", JOB, "/sp"],
            [
                (
                    f"POST /jobs/{JOB}/savepoints",
                    {"target-directory": "/sp", "cancel-job": False, "formatType": "CANONICAL"},
                ),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
                (f"GET /jobs/{JOB}/savepoints/r1", None),
            ],
            "You can resume your program from this savepoint with the run command.",
        ),
        (
            ["savepoint", "-detached", JOB],
            [
                (
                    f"POST /jobs/{JOB}/savepoints",
                    {"target-directory": None, "cancel-job": False, "formatType": "CANONICAL"},
                )
            ],
            "Successfully trigger manual savepoint, triggerId: r1",
        ),
        (
            ["savepoint", "-d", "/sp/1"],
            [("POST /savepoint-disposal", {"savepoint-path": "/sp/1"}), ("GET /savepoint-disposal/r1", None)],
            "Savepoint '/sp/1' disposed.",
        ),
        (
            ["checkpoint", JOB],
            [
                (f"POST /jobs/{JOB}/checkpoints", {"checkpointType": "CONFIGURED"}),
                (f"GET /jobs/{JOB}/checkpoints/r1", None),
            ],
            "You can resume your program from this checkpoint with the run command.",
        ),
    ],
)
def test_action_when_done_then_flinks_requests_were_made_and_every_line_is_flinks(
    stub, capsys, argv, requests, last_line
):
    stub.on("GET /jobs/overview", {"jobs": [job("RUNNING"), job("CREATED"), job("FINISHED")]})
    stub.on(f"PATCH /jobs/{JOB}?mode=cancel", {}, status=202)
    for path in (
        f"/jobs/{JOB}/savepoints",
        f"/jobs/{JOB}/stop",
        f"/jobs/{JOB}/checkpoints",
        "/savepoint-disposal",
    ):
        stub.on(f"POST {path}", {"request-id": "r1"}, status=202)
    stub.on(f"GET /jobs/{JOB}/savepoints/r1", IN_PROGRESS, DONE)
    stub.on("GET /savepoint-disposal/r1", {"status": {"id": "COMPLETED"}, "operation": {}})
    stub.on(
        f"GET /jobs/{JOB}/checkpoints/r1", {"status": {"id": "COMPLETED"}, "operation": {"checkpointId": 7}}
    )
    code = main([argv[0], "-m", stub.address, *argv[1:]])
    printed = capsys.readouterr()
    assert (code, printed.err, stub.asked) == (0, "", requests)
    lines = printed.out.splitlines()
    assert lines[-1] == last_line
    jobs = [line for line in lines if JOB in line and " : " in line]
    assert [line for line in lines if line not in jobs and not is_flinks(line, recorded())] == []


@pytest.mark.parametrize(
    ("argv", "answer", "line"),
    [
        (
            ["cancel", JOB],
            (404, {"errors": [f"org.X: Could not find Flink job ({JOB})\n\tat y"]}),
            f"flinkpy: Could not find Flink job ({JOB})",
        ),
        (
            ["cancel", JOB],
            (409, {"errors": ["Job cancellation failed because the job has already finished."]}),
            f"flinkpy: The gateway refuses /jobs/{JOB} (409): Job cancellation failed because the job has already "
            "finished.",
        ),
    ],
)
def test_cancel_when_refused_then_one_line_and_exit_code_1(stub, capsys, argv, answer, line):
    stub.answers[f"PATCH /jobs/{JOB}?mode=cancel"] = [answer]
    assert main([argv[0], "-m", stub.address, *argv[1:]]) == 1
    assert capsys.readouterr().err == line + "\n"


def test_savepoint_when_it_fails_then_flinks_sentence_and_the_cause(stub, capsys):
    stub.on(f"POST /jobs/{JOB}/savepoints", {"request-id": "r1"})
    stub.on(f"GET /jobs/{JOB}/savepoints/r1", FAILED)
    assert main(["savepoint", "-m", stub.address, JOB]) == 1
    sentence = f"Failed to trigger a savepoint for the job {JOB}."
    assert capsys.readouterr().err == f"flinkpy: {sentence} org.X: no folder\n"
    assert is_flinks(sentence, recorded())


def test_json_when_asked_for_then_one_object_and_nothing_else(stub, capsys):
    stub.on("GET /jobs/overview", {"jobs": [job("RUNNING"), job("FINISHED")]})
    assert main(["list", "--json", "-m", stub.address]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["jobs"]
    assert listed == {key: value for key, value in job("RUNNING").items() if key != "tasks"}
    stub.on(f"POST /jobs/{JOB}/stop", {"request-id": "r1"}).on(f"GET /jobs/{JOB}/savepoints/r1", DONE)
    assert main(["stop", "--json", "-m", stub.address, JOB]) == 0
    assert json.loads(capsys.readouterr().out) == {"job_id": JOB, "savepoint": "file:/sp/savepoint-012345-1"}


def test_token_when_there_is_one_then_every_request_has_it(stub, monkeypatch, capsys):
    monkeypatch.setenv(remote.TOKEN, "secret")
    stub.on("GET /jobs/overview", {"jobs": []})
    assert main(["list", "-m", stub.address]) == 0
    assert stub.headers[0]["Authorization"] == "Bearer secret"


def test_gateway_when_there_is_none_then_it_says_where(capsys):
    assert main(["list", "-m", "127.0.0.1:1"]) == 1
    assert capsys.readouterr().err.startswith("flinkpy: There is no gateway at 'http://127.0.0.1:1' (")
    assert main(["list", "-m", "not an address"]) == 1


def test_run_when_attached_then_the_end_is_waited_for(stub, tmp_path, capsys, monkeypatch):
    from flinkpy_dagster.cli import submit

    monkeypatch.setattr(submit, "_LOOK_SECONDS", 0.001)
    program = tmp_path / "words.py"
    program.write_text("print('never run here')")
    stub.on("POST /jars/upload", {"filename": "/up/1_words.py", "status": "success"})
    stub.on("POST /jars/1_words.py/run", {"jobid": JOB})
    stub.on(f"GET /jobs/{JOB}", {"state": "RUNNING"}, {"state": "FINISHED", "duration": 12})
    argv = ["run", "-m", stub.address, "-p", "2", "-D", "spark.x=1", str(program), "--in", "x"]
    assert main(argv) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"Job has been submitted with JobID {JOB}",
        "Program execution finished",
        f"Job with JobID {JOB} has finished.",
        "Job Runtime: 12 ms",
    ]
    upload, run = stub.asked[0][1], stub.asked[1][1]
    assert b'name="jarfile"; filename="words.py"' in upload
    assert program.read_bytes() in upload
    options = {"spark.x": "1", "parallelism.default": "2"}
    assert run == {"programArgsList": ["--in", "x"], "parallelism": 2, "flinkConfiguration": options}


def test_run_when_the_job_fails_then_its_cause_and_exit_code_1(stub, tmp_path, capsys):
    program = tmp_path / "words.py"
    program.write_text("")
    stub.on("POST /jars/upload", {"filename": "/up/1_words.py"}).on(
        "POST /jars/1_words.py/run", {"jobid": JOB}
    )
    stub.on(f"GET /jobs/{JOB}", {"state": "FAILED", "duration": 12})
    stub.on(f"GET /jobs/{JOB}/exceptions", {"root-exception": "ValueError: no\n\tat x"})
    assert main(["run", "-m", stub.address, str(program)]) == 1
    assert capsys.readouterr().err == f"flinkpy: Job '{JOB}' failed: ValueError: no\n"
