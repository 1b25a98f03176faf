"""Routes that bring programs and run them: ``/jars``, ``POST /jobs``."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flinkpy_dagster.config import HIGHEST_MAX_PARALLELISM
from flinkpy_dagster.gateway.answers import job_json
from flinkpy_dagster.gateway.gateway import Gateway
from flinkpy_dagster.gateway.programs import programs
from flinkpy_dagster.gateway.programs.programs import StoredProgram
from flinkpy_dagster.gateway.programs.running_programs import ProgramRun, plan, submit
from flinkpy_dagster.gateway.rest.failures import RestError, bad_request
from flinkpy_dagster.gateway.rest.routes import Call, Query, Reply, Route, Upload
from flinkpy_dagster.gateway.rest.schemas import (
    BOOL,
    EMPTY,
    HEX,
    ID,
    INT,
    STR,
    arr,
    map_of,
    obj,
    or_null,
    word,
)

_MOST_FILES = 20
_NO_NULLS = {"type": "string", "pattern": "^[^\\u0000]*$"}


def _require_submission(gateway: Gateway) -> None:
    if not gateway.settings.can_submit:
        raise RestError(403, "This gateway takes no programs: web.submit.enable is false.")


def upload(gateway: Gateway, call: Call) -> Any:
    """``POST /jars/upload``."""
    _require_submission(gateway)
    if len(call.parts) != 1:
        raise bad_request(f"Exactly 1 file must be sent, received {len(call.parts)}.")
    settings = gateway.settings
    with gateway.uploads:
        made = programs.store(
            settings.upload_dir,
            call.parts[0],
            most=settings.max_uploads,
            most_bytes=10 * settings.max_content_bytes,
        )
    return {"filename": str(made.path), "status": "success"}


def jars(gateway: Gateway, call: Call) -> Any:
    """``GET /jars``."""
    _require_submission(gateway)
    return {
        "address": call.origin,
        "files": [
            {
                "id": each.id,
                "name": each.name,
                "uploaded": each.uploaded_ms,
                "entry": [{"name": name, "description": text} for name, text in each.entries()],
            }
            for each in programs.stored(gateway.settings.upload_dir)
        ],
    }


def delete(gateway: Gateway, call: Call) -> Any:
    """``DELETE /jars/{jarid}``."""
    _require_submission(gateway)
    with gateway.uploads:
        _program(gateway, call, status=400).path.unlink(missing_ok=True)
    return {}


def _program(gateway: Gateway, call: Call, status: int = 404) -> StoredProgram:
    """Flink answers 400 to who deletes what is not there."""
    wanted = call.path["jarid"]
    found = programs.find(gateway.settings.upload_dir, wanted)
    if found is None:
        raise RestError(status, f"File {wanted} does not exist in the upload folder.")
    return found


def run(gateway: Gateway, call: Call) -> Any:
    """``POST /jars/{jarid}/run``."""
    _require_submission(gateway)
    job_id = submit(_run(_program(gateway, call), call), gateway.instance.root_directory)
    return {"jobid": job_id, "applicationId": job_id}


def plan_of(gateway: Gateway, call: Call) -> Any:
    """``GET /jars/{jarid}/plan``."""
    _require_submission(gateway)
    return {"plan": plan(_run(_program(gateway, call), call), gateway.instance.root_directory)}


def _run(program: StoredProgram, call: Call) -> ProgramRun:
    """The body wins over the query, as in Flink. ``programArgs``, one text, is what clients of Flink 1 send."""
    body, query = call.body, call.query
    entry = body.get("entryClass") or body.get("entry-class") or query.get("entry-class") or None
    if not program.is_zip and entry == program.name.removesuffix(".py"):
        entry = None  # as ``jars`` lists it
    options = {**body.get("flinkConfiguration", {})} if body.get("flinkConfiguration") else {}
    for key in options:
        if not key or "=" in key:
            raise bad_request(f"'{key}' is no key of an option.")
    return ProgramRun(
        path=program.path,
        entry=entry,
        args=tuple(
            body.get("programArgsList") or _split(body.get("programArgs")) or query.get("programArg") or ()
        ),
        parallelism=body.get("parallelism") or query.get("parallelism"),
        job_id=body.get("jobId"),
        savepoint=body.get("savepointPath") or query.get("savepointPath") or None,
        allows_non_restored=bool(body.get("allowNonRestoredState") or query.get("allowNonRestoredState")),
        claim_mode=body.get("claimMode"),
        options=options,
    )


def _split(text: str | None) -> list[str]:
    try:
        return shlex.split(text or "")
    except ValueError as error:
        raise bad_request(f"programArgs cannot be split: {error}.") from None


# -- POST /jobs ----------------------------------------------------------------------------------------


def submit_job(gateway: Gateway, call: Call) -> Any:
    """Flink's ``JobSubmitHandler``, with a Python program as the job graph's file: nothing is unpickled."""
    _require_submission(gateway)
    name, libraries = _names(call)
    files = {part.name: part for part in call.parts}
    if len(files) != len(call.parts):
        raise bad_request(
            f"The number of uploaded files was {len(call.parts)}, their names are {len(files)}: "
            "every file needs a name of its own."
        )
    program = _file(files, name, "ExecutionPlan")
    others = [_file(files, each, kind) for kind, each in libraries]
    if not name.endswith((".py", ".zip")):
        raise bad_request(
            "Failed to deserialize ExecutionPlan. This gateway takes a Python program (.py, or .zip) in its place."
        )
    with _named(program, *others) as (path, *paths):
        if path.suffix == ".zip":
            programs.check_zip(path, 10 * gateway.settings.max_content_bytes)
        job_id = submit(
            ProgramRun(path=path, files=paths, entry=call.body.get("entryClass")),
            gateway.instance.root_directory,
        )
    return Reply({"jobUrl": f"/jobs/{job_id}"}, 202)


def _names(call: Call) -> tuple[str, list[tuple[str, str]]]:
    name = call.body.get("jobGraphFileName")
    if name is None:
        raise bad_request("The jobGraphFileName field must not be omitted or be null.")
    found = [("Jar", each) for each in call.body.get("jobJarFileNames") or ()]
    for artifact in call.body.get("jobArtifactFileNames") or ():
        if artifact.get("fileName") is None or artifact.get("entryName") is None:
            raise bad_request("The jobArtifactFileNames field needs entryName and fileName.")
        found.append(("Artifact", artifact["fileName"]))
    return name, found


def _file(files: dict[str, Upload], name: str, kind: str) -> Upload:
    if name not in files:
        raise bad_request(f"{kind} file {name[:200]} could not be found on the server.")
    return files[name]


@contextmanager
def _named(*uploads: Upload) -> Iterator[list[Path]]:
    """Under their names, in the folder of the request: a program's name is that of its module."""
    paths = []
    for each in uploads:
        path = each.path.with_name(each.name)
        each.path.rename(path)
        paths.append(path)
    yield paths


_RUN_BODY = obj(
    {
        "entryClass?": or_null(_NO_NULLS),
        "entry-class?": or_null(_NO_NULLS),
        "programArgsList?": or_null(arr(_NO_NULLS)),
        "programArgs?": or_null(_NO_NULLS),
        "parallelism?": or_null(INT | {"minimum": 1, "maximum": HIGHEST_MAX_PARALLELISM}),
        "jobId?": or_null(ID),
        "allowNonRestoredState?": or_null(BOOL),
        "savepointPath?": or_null(_NO_NULLS),
        "claimMode?": or_null(word("NO_CLAIM", "CLAIM", "LEGACY")),
        "flinkConfiguration?": or_null(map_of(_NO_NULLS)),
    },
    is_open=True,
)
_RUN_QUERY = (
    Query("entry-class", doc="Of a .zip the module; of a .py a function that takes an environment."),
    Query(
        "parallelism",
        INT | {"minimum": 1, "maximum": HIGHEST_MAX_PARALLELISM},
        "Parallelism of operators that set none.",
    ),
    Query("savepointPath", doc="Where the job starts."),
    Query("allowNonRestoredState", BOOL, "Start although there is state that has no operator."),
    Query("programArg", doc="Arguments.", is_list=True),
)
_ARTIFACT = obj({"entryName?": or_null(STR), "fileName?": or_null(STR)}, is_open=True)
_SUBMIT_BODY = obj(
    {
        "jobGraphFileName?": or_null(STR),
        "jobJarFileNames?": or_null(arr(STR)),
        "jobArtifactFileNames?": or_null(arr(_ARTIFACT)),
        "entryClass?": or_null(_NO_NULLS),
    },
    is_open=True,
)
_PLAN: dict[str, Any] = {
    "path": "/jars/{jarid}/plan",
    "handler": plan_of,
    "answer": obj({"plan": job_json.PLAN}),
    "tag": "programs",
    "query": _RUN_QUERY,
    "refusals": (403, 404),
}

ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/jobs",
        handler=submit_job,
        doc="Submits a program: the part `request` names its file, which is another part.",
        answer=obj({"jobUrl": STR}),
        status=202,
        tag="programs",
        body=_SUBMIT_BODY,
        body_name="JobSubmitRequestBody",
        files=_MOST_FILES,
        refusals=(403, 413),
    ),
    Route(
        method="POST",
        path="/jars/upload",
        handler=upload,
        doc="Uploads a program, a .py file or a .zip with modules; it is not run.",
        answer=obj({"filename": STR, "status": word("success")}),
        tag="programs",
        files=2,
        refusals=(403, 413),
    ),
    Route(
        method="GET",
        path="/jars",
        handler=jars,
        doc="Uploaded programs.",
        answer=obj(
            {
                "address": STR,
                "files": arr(
                    obj(
                        {
                            "id": STR,
                            "name": STR,
                            "uploaded": INT,
                            "entry": arr(obj({"name": STR, "description": or_null(STR)})),
                        }
                    )
                ),
            }
        ),
        tag="programs",
        refusals=(403,),
    ),
    Route(
        method="DELETE",
        path="/jars/{jarid}",
        handler=delete,
        doc="Deletes one.",
        answer=EMPTY,
        tag="programs",
        refusals=(403,),
    ),
    Route(
        method="POST",
        path="/jars/{jarid}/run",
        handler=run,
        doc="Runs one, detached.",
        answer=obj({"jobid": HEX, "applicationId": HEX}),
        tag="programs",
        query=_RUN_QUERY,
        body=_RUN_BODY,
        body_name="JarRunRequestBody",
        refusals=(403, 404),
    ),
    Route(method="GET", doc="The dataflow of one, which is not run.", **_PLAN),
    Route(
        method="POST",
        doc="The dataflow of one, which is not run.",
        body=_RUN_BODY,
        body_name="JarPlanRequestBody",
        **_PLAN,
    ),
)
