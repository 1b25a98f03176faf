"""``POST /jobs``: the validations of Flink's JobSubmitHandler, and that nothing is unpickled."""

import json
import pickle

import pytest

from flinkpy_dagster.gateway.handlers import program_routes
from tests.gateway.multipart import body, part, uploaded


class Bomb:
    """Leaves a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def submitted(client, request, *files: tuple[str, bytes]):
    parts = [part("request", json.dumps(request).encode())] if request is not None else []
    parts += [part(f"file_{at}", content, name) for at, (name, content) in enumerate(files)]
    return uploaded(client, "/v1/jobs", body(*parts))


@pytest.mark.parametrize(
    ("request_", "files", "sentence"),
    [
        ({"jobGraphFileName": "g"}, [], "ExecutionPlan file g could not be found on the server."),
        ({}, ["g"], "The jobGraphFileName field must not be omitted or be null."),
        ({"jobGraphFileName": None}, ["g"], "The jobGraphFileName field must not be omitted or be null."),
        (None, ["g"], "The jobGraphFileName field must not be omitted or be null."),
        (
            {"jobGraphFileName": "g", "jobJarFileNames": ["a.jar"]},
            ["g"],
            "Jar file a.jar could not be found on the server.",
        ),
        (
            {"jobGraphFileName": "g", "jobArtifactFileNames": [{"entryName": "a", "fileName": "b"}]},
            ["g"],
            "Artifact file b could not be found on the server.",
        ),
        (
            {"jobGraphFileName": "g"},
            ["g", "g"],
            "The number of uploaded files was 2, their names are 1: every file needs a name of its own.",
        ),
        (
            {"jobGraphFileName": "g"},
            ["g"],
            "Failed to deserialize ExecutionPlan. This gateway takes a Python program (.py, or .zip) in its place.",
        ),
        ([], ["g"], "Request did not match expected format JobSubmitRequestBody."),
    ],
)
def test_job_when_something_is_missing_then_refused_in_flinks_words(
    client, request_, files, sentence
) -> None:
    answer = submitted(client, request_, *((name, b"junk") for name in files))
    assert (answer.status_code, answer.json()) == (400, {"errors": [sentence]})


def test_job_graph_when_it_is_a_pickle_then_it_is_not_loaded(client, tmp_path) -> None:
    trap = tmp_path / "trap"
    for name in ("graph", "graph.bin", "graph.pkl", "job.zip"):
        answer = submitted(client, {"jobGraphFileName": name}, (name, pickle.dumps(Bomb(trap))))
        assert answer.status_code == 400
    assert not trap.exists()


def test_job_when_it_is_a_program_then_run_beside_its_files(client, monkeypatch, tmp_path) -> None:
    seen = []

    def submit(run, dagster_home):
        seen.append((run.path.name, run.path.read_bytes(), [path.name for path in run.files]))
        return "a" * 32

    monkeypatch.setattr(program_routes, "submit", submit)
    request = {"jobGraphFileName": "job.py", "jobJarFileNames": ["lib.zip"]}
    answer = submitted(client, request, ("job.py", b"import lib"), ("lib.zip", b"zip"))
    assert (answer.status_code, answer.json()) == (202, {"jobUrl": "/jobs/" + "a" * 32})
    assert seen == [("job.py", b"import lib", ["lib.zip"])]
    assert not list((tmp_path / "uploads").iterdir())
