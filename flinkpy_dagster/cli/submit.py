"""``flinkpy run -d`` and ``-m``: the job runs in a process of its own, here or behind a gateway."""

import os
import sys
import time
from contextlib import redirect_stdout

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.program_call import configuration_of, files_of
from flinkpy_dagster.cli.remote import RemoteCluster
from flinkpy_dagster.cli.saying import Teller, say_unused
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram, JobCanceled, JobFailed, UnsupportedFeature

JOB_ID_OPTION = "$internal.pipeline.job-id"
_LOOK_SECONDS = 0.5
_TERMINAL = frozenset({"FINISHED", "CANCELED", "FAILED", "SUSPENDED"})


def submit(arguments: Arguments) -> int:
    """Prints the id of every job of the program once launched; with ``-m``, but without ``-d``, waits for its end.

    Raises the program's error, SubmissionRefused, and what the gateway refuses.
    """
    configuration = configuration_of(arguments)
    say_unused(configuration)
    if arguments.manager is not None:
        return _submit_remotely(arguments, configuration, RemoteCluster.at(arguments.manager))
    from flinkpy_dagster.orchestration.dispatcher.jobs import open_instance

    output = sys.stdout
    with open_instance() as instance:
        from flinkpy_dagster.orchestration.dispatcher.submission import (
            ProgramCall,
            SubmittedJob,
            submit_program,
        )

        call = ProgramCall(
            path=arguments.program,
            module=arguments.module,
            function=arguments.function,
            args=tuple(arguments.args),
            files=tuple(files_of(arguments)),
            folder=os.getcwd(),
        )
        job_id = configuration.get_string(JOB_ID_OPTION, None)
        tell = Teller(arguments.json)

        def told(job: SubmittedJob) -> None:
            with redirect_stdout(output):  # the program's own output goes elsewhere
                tell(f"Job has been submitted with JobID {job.job_id}")
                tell.object({"job_id": job.job_id, "run_id": job.run_id, "name": job.name})

        submit_program(instance, call, configuration, job_id=job_id, tell=told)
    return 0


def _submit_remotely(arguments: Arguments, configuration: Configuration, remote: RemoteCluster) -> int:
    program = arguments.program
    own = (arguments.files, arguments.python_path, arguments.requirements, arguments.archives)
    if program is None or any(own):
        raise UnsupportedFeature(
            "-pyfs, -pypath, -pyreq, -pyarch and -pym with -m",
            "give the gateway one .py file, or a .zip that has all modules; what is on the gateway's machine can be "
            "named with -D python.files, -D python.requirements and -D python.archives.",
        )
    if not os.path.isfile(program):
        raise InvalidProgram(f"Program '{program}' cannot be read: there is no such file.")
    jar = remote.upload(program)
    options = configuration.to_dict()
    body = {
        "entryClass": arguments.function,
        "programArgsList": list(arguments.args),
        "parallelism": arguments.parallelism,
        "savepointPath": arguments.savepoint,
        "allowNonRestoredState": arguments.allows_non_restored or None,
        "jobId": options.pop(JOB_ID_OPTION, None),
        "flinkConfiguration": options,
    }
    answer = remote.ask("POST", f"/jars/{jar}/run", {key: v for key, v in body.items() if v is not None})
    job_id = str(answer["jobid"])
    tell = Teller(arguments.json)
    tell(f"Job has been submitted with JobID {job_id}")
    if arguments.is_detached:
        tell.object({"job_id": job_id})
        return 0
    return _await_remote_end(remote, job_id, tell)


def _await_remote_end(remote: RemoteCluster, job_id: str, tell: Teller) -> int:
    """Raises JobFailed, JobCanceled; the job is canceled if this process is interrupted."""
    try:
        while (job := remote.get(f"/jobs/{job_id}"))["state"] not in _TERMINAL:
            time.sleep(_LOOK_SECONDS)
    except KeyboardInterrupt:
        remote.cancel(job_id)
        raise
    if job["state"] == "CANCELED":
        raise JobCanceled(job_id)
    if job["state"] != "FINISHED":
        cause = remote.get(f"/jobs/{job_id}/exceptions").get("root-exception") or job["state"]
        raise JobFailed(job_id, cause.splitlines()[0])
    tell("Program execution finished")
    tell(f"Job with JobID {job_id} has finished.")
    tell(f"Job Runtime: {job['duration']} ms")
    tell.object({"job_id": job_id, "status": job["state"], "net_runtime_ms": job["duration"]})
    sys.stdout.flush()
    return 0
